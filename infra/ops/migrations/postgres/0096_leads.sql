-- Addresses of people without an account: sealed, under the id of what they have with us; gone when that ends.
CREATE TABLE ops.contact (
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('newsletter', 'early_access')),
    email_sealed text NOT NULL,
    name_sealed text,
    confirmed_at timestamptz, -- of a newsletter: its owner proved the address; else it is deleted after a week
    place int, -- of early access; none: waits
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX contact_kind ON ops.contact (kind, created_at);
CREATE INDEX contact_waiting ON ops.contact (id) WHERE kind = 'early_access' AND place IS NULL;

-- Mailed links by which the owner of an address confirms it. Used: the row is gone.
CREATE TABLE auth.contact_link (
    token_hash bytea PRIMARY KEY,
    contact_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX contact_link_contact ON auth.contact_link (contact_id);
CREATE INDEX contact_link_expires ON auth.contact_link (expires_at);

-- Where a mail of a list can be stopped with one click (RFC 8058).
ALTER TABLE ops.mail ADD COLUMN unsubscribe_sealed text;

GRANT SELECT ON ops.contact TO query_reader;
ALTER TABLE ops.contact ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.contact
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.contact FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');
