-- What each account sent and stored on a day (UTC), beside a budget: nobody fills the disk alone. It follows from no event.
CREATE TABLE kernel.account_usage (
    account_id uuid NOT NULL,
    day date NOT NULL,
    commands int NOT NULL,
    bytes bigint NOT NULL,
    refused int NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, day)
);
CREATE INDEX account_usage_day ON kernel.account_usage (day, bytes);

GRANT SELECT ON kernel.account_usage TO query_reader;
ALTER TABLE kernel.account_usage ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
-- Records of everybody. Other roles than the query service's are held by their grants alone.
CREATE POLICY others ON kernel.account_usage
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON kernel.account_usage FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');
