-- Schema `domains`.
CREATE SCHEMA domains;
GRANT USAGE ON SCHEMA domains TO query_reader;

-- What the last check of each custom domain that is not removed found. Whose it is follows from events, and when it is
-- checked next is a timeout.
CREATE TABLE domains.dns_check (
    domain_id uuid CONSTRAINT custom_domain_pkey PRIMARY KEY,
    account_id uuid NOT NULL,
    checked_at timestamptz,
    misses int NOT NULL DEFAULT 0,
    missing_since timestamptz,
    missed_at timestamptz,
    tls_failures int NOT NULL DEFAULT 0,
    problem text
);
CREATE INDEX custom_domain_account ON domains.dns_check (account_id);
GRANT SELECT ON domains.dns_check TO query_reader;
ALTER TABLE domains.dns_check ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON domains.dns_check
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON domains.dns_check FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
