-- Files with payouts, encrypted with a key derived from the master key. One for each payout.
CREATE TABLE conversions.payout_file (
    payout_id uuid PRIMARY KEY,
    website_id uuid NOT NULL,
    file_id uuid NOT NULL,
    sealed text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX payout_file_website ON conversions.payout_file (website_id);

GRANT USAGE ON SCHEMA conversions TO query_reader;
GRANT SELECT ON conversions.payout_file TO query_reader;
ALTER TABLE conversions.payout_file ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON conversions.payout_file
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON conversions.payout_file FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR website_id = ANY ((SELECT read.reader_websites())::uuid[]));
