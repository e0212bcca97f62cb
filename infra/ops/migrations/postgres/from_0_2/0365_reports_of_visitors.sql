-- The owner of a website may see what reports that did not count say of a person.
GRANT SELECT (report_id, conversion_id, website_id, code, message, at, claim) ON conversions.rejected_report
    TO query_reader;
ALTER TABLE conversions.rejected_report ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON conversions.rejected_report
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON conversions.rejected_report FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR website_id = ANY ((SELECT read.reader_websites())::uuid[]));
