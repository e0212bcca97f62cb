-- Custom domains that are not removed: whose they are, when each is looked at next (never: it expired), and what the last
-- look found (`tls_host`: its name, once links are shown under it). What was decided about them stands in the event store.
CREATE TABLE policy.custom_domain (
    domain_id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    website_id uuid NOT NULL,
    next_at timestamptz,
    checked_at timestamptz,
    misses int NOT NULL DEFAULT 0,
    missing_since timestamptz,
    missed_at timestamptz,
    tls_failures int NOT NULL DEFAULT 0,
    problem text,
    tls_host text
);
CREATE INDEX custom_domain_due ON policy.custom_domain (next_at);
CREATE INDEX custom_domain_account ON policy.custom_domain (account_id);
CREATE INDEX custom_domain_website ON policy.custom_domain (website_id);

GRANT USAGE ON SCHEMA policy TO query_reader;
GRANT SELECT ON policy.custom_domain TO query_reader;
ALTER TABLE policy.custom_domain ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON policy.custom_domain
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON policy.custom_domain FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
