-- Analysts: tokens of their ClickHouse clients, what they ran, and the queries that they keep.
CREATE TABLE auth.sql_token (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    name text NOT NULL,
    token_hash bytea NOT NULL CONSTRAINT sql_token_hash_key UNIQUE,
    last4 text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at timestamptz
);
CREATE INDEX sql_token_account ON auth.sql_token (account_id) WHERE revoked_at IS NULL;

-- Every statement, written down before it runs; `running` until its outcome is known.
CREATE TABLE ops.sql_statement (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    door text NOT NULL,
    text text NOT NULL,
    tables text[] NOT NULL DEFAULT '{}',
    outcome text NOT NULL,
    message text NOT NULL DEFAULT '',
    result_rows bigint NOT NULL DEFAULT 0,
    read_rows bigint NOT NULL DEFAULT 0,
    ms bigint NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended_at timestamptz
);
CREATE INDEX sql_statement_account ON ops.sql_statement (account_id, started_at DESC, id);
CREATE INDEX sql_statement_started ON ops.sql_statement (started_at DESC, id);
CREATE INDEX sql_statement_running ON ops.sql_statement (account_id) WHERE outcome = 'running';

CREATE TABLE ops.saved_query (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT saved_query_title_key UNIQUE (account_id, title)
);

GRANT USAGE ON SCHEMA ops TO query_reader;
GRANT SELECT, UPDATE (last_used_at) ON auth.sql_token TO query_reader;
GRANT SELECT ON ops.saved_query TO query_reader;
GRANT SELECT, INSERT, UPDATE (outcome, message, tables, result_rows, read_rows, ms, ended_at) ON ops.sql_statement
    TO query_reader;

-- Other roles than the query service's are held by their grants alone.
ALTER TABLE ops.sql_statement ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.sql_statement
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.sql_statement TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()))
    WITH CHECK ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));

ALTER TABLE ops.saved_query ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.saved_query
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.saved_query FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
