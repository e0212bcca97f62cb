-- Keys of ad click ids: one for each visitor of a website and day, wrapped by the master key. They are stored before
-- they are used, in blocks, so that ingest needs no Postgres to seal. Deleting a row blanks what was sealed with it, in
-- the log, the tables and every replay; so backups leave the rows out.
CREATE TABLE ingest.visitor_key (
    key_id      uuid PRIMARY KEY,
    website_id  uuid NOT NULL,
    made_on     date NOT NULL,
    key_wrapped text NOT NULL
);
CREATE INDEX visitor_key_day ON ingest.visitor_key (website_id, made_on);

GRANT SELECT ON ingest.visitor_key TO query_reader;
ALTER TABLE ingest.visitor_key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ingest.visitor_key
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ingest.visitor_key FOR SELECT TO query_reader
    USING (website_id = ANY ((SELECT read.reader_websites())::uuid[]));
