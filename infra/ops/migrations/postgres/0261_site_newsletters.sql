-- Subscribers of built sites: their addresses lie with those of other people without an account, and say whose list they
-- are on. The account that has the site reads its own.
ALTER TABLE ops.contact
    DROP CONSTRAINT contact_kind_check,
    ADD CONSTRAINT contact_kind_check CHECK (kind IN ('newsletter', 'early_access', 'site_newsletter')),
    ADD COLUMN site_id uuid,
    ADD COLUMN account_id uuid;
CREATE INDEX contact_site ON ops.contact (site_id) WHERE site_id IS NOT NULL;
CREATE POLICY owners ON ops.contact FOR SELECT TO query_reader
    USING (account_id = (SELECT read.reader_account()));

-- Forms as ingest got them, each with a timeout of the process that turns it into a subscription. The address is sealed,
-- and blank once the form was handled; the row stays for a day, because forms of one sender are counted.
CREATE TABLE publishing.sent_form (
    id uuid PRIMARY KEY,
    site_id uuid NOT NULL,
    sender text NOT NULL, -- keyed hash of the network that sent it
    email_sealed text,
    page text NOT NULL,
    block text NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sent_form_sender ON publishing.sent_form (sender, sent_at);
CREATE INDEX sent_form_waiting ON publishing.sent_form (site_id) WHERE email_sealed IS NOT NULL;
CREATE INDEX sent_form_sent ON publishing.sent_form (sent_at);
