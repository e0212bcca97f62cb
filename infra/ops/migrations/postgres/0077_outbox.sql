-- Admins read the outbox through the query service, and everybody what was mailed to them.
GRANT USAGE ON SCHEMA ops TO query_reader;
GRANT SELECT ON ops.mail TO query_reader;
ALTER TABLE ops.mail ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.mail
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.mail FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
