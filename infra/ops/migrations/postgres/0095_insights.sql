-- Which website is to be looked at next: the last of its days that is over, and the last that was looked at.
CREATE TABLE policy.insight_look (
    website_id uuid PRIMARY KEY,
    due_day date NOT NULL,
    looked_day date,
    next_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX insight_look_due ON policy.insight_look (next_at) WHERE looked_day IS DISTINCT FROM due_day;

-- Who is mailed new insights, and when next. `told_until`: what was found later is news.
CREATE TABLE policy.insight_digest (
    account_id uuid PRIMARY KEY,
    every text NOT NULL,
    told_until timestamptz NOT NULL,
    next_at timestamptz NOT NULL
);
CREATE INDEX insight_digest_due ON policy.insight_digest (next_at);

-- What an account asked of the language model is in its export.
GRANT SELECT ON ops.llm_call TO query_reader;
ALTER TABLE ops.llm_call ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.llm_call
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.llm_call FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
