-- When each key of a website was last used, to the minute. The edge notes it in memory and writes it down now and then:
-- it is for the owner's eyes, and nothing is decided by it.
CREATE TABLE ingest.key_use (
    key_hash   bytea PRIMARY KEY,
    website_id uuid NOT NULL,
    used_at    timestamptz NOT NULL
);

GRANT USAGE ON SCHEMA ingest TO query_reader;
GRANT SELECT ON ingest.key_use TO query_reader;
ALTER TABLE ingest.key_use ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ingest.key_use
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ingest.key_use FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR website_id = ANY ((SELECT read.reader_websites())::uuid[]));
