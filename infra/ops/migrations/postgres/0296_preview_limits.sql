-- The query service limits previews of sites: it may use their buckets, and sees no other.
GRANT SELECT, INSERT, UPDATE ON auth.rate_limit TO query_reader;
ALTER TABLE auth.rate_limit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON auth.rate_limit
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY previews ON auth.rate_limit TO query_reader
    USING (starts_with(bucket, 'site-preview:')) WITH CHECK (starts_with(bucket, 'site-preview:'));
