-- Context `leads` (schemas `auth` and `ops`): people without an account.

-- Their addresses: sealed, under the id of what they have with us; gone when that ends. site_newsletter: subscribers of
-- built sites, who say whose list they are on.
CREATE TABLE ops.contact (
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('newsletter', 'early_access', 'site_newsletter')),
    email_sealed text NOT NULL,
    name_sealed text,
    confirmed_at timestamptz, -- of a newsletter: its owner proved the address; else it is deleted after a week
    place int, -- of early access; none: waits
    created_at timestamptz NOT NULL DEFAULT now(),
    held_until timestamptz, -- of early access: how long the place is held for an address that nobody has confirmed yet
    site_id uuid,
    account_id uuid
);
CREATE INDEX contact_kind ON ops.contact (kind, created_at);
-- The line for early access is read from its front.
CREATE INDEX contact_waiting ON ops.contact (created_at, id) WHERE kind = 'early_access' AND place IS NULL;
CREATE INDEX contact_held ON ops.contact (held_until) WHERE held_until IS NOT NULL;
CREATE INDEX contact_site ON ops.contact (site_id) WHERE site_id IS NOT NULL;
GRANT SELECT ON ops.contact TO query_reader;
ALTER TABLE ops.contact ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.contact
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.contact FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');
-- The account that has the site reads its own subscribers.
CREATE POLICY owners ON ops.contact FOR SELECT TO query_reader
    USING (account_id = (SELECT read.reader_account()));

-- Mailed links by which the owner of an address confirms it. Used: the row is gone.
CREATE TABLE auth.contact_link (
    token_hash bytea PRIMARY KEY,
    contact_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX contact_link_contact ON auth.contact_link (contact_id);
CREATE INDEX contact_link_expires ON auth.contact_link (expires_at);
