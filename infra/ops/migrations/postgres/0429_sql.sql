-- Schema `sql`: tokens of analysts' ClickHouse clients, what they ran, and the queries that they keep.
CREATE SCHEMA sql;
GRANT USAGE ON SCHEMA sql TO query_reader;

-- warned_at: when its owner got the email that says that it expires.
CREATE TABLE sql.token (
    id uuid CONSTRAINT sql_token_pkey PRIMARY KEY,
    account_id uuid NOT NULL,
    name text NOT NULL,
    token_hash bytea NOT NULL CONSTRAINT sql_token_hash_key UNIQUE,
    last4 text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_used_at timestamptz,
    revoked_at timestamptz,
    expires_at timestamptz NOT NULL DEFAULT now() + interval '90 days',
    warned_at timestamptz
);
CREATE INDEX sql_token_account ON sql.token (account_id) WHERE revoked_at IS NULL;
CREATE INDEX sql_token_expiring ON sql.token (expires_at) WHERE revoked_at IS NULL AND warned_at IS NULL;
GRANT SELECT, UPDATE (last_used_at) ON sql.token TO query_reader;

-- Every statement, written down before it runs; `running` until its outcome is known.
CREATE TABLE sql.statement (
    id uuid CONSTRAINT sql_statement_pkey PRIMARY KEY,
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
CREATE INDEX sql_statement_account ON sql.statement (account_id, started_at DESC, id);
CREATE INDEX sql_statement_started ON sql.statement (started_at DESC, id);
CREATE INDEX sql_statement_running ON sql.statement (account_id) WHERE outcome = 'running';
GRANT SELECT, INSERT, UPDATE (outcome, message, tables, result_rows, read_rows, ms, ended_at) ON sql.statement
    TO query_reader;
ALTER TABLE sql.statement ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON sql.statement
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON sql.statement TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()))
    WITH CHECK ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));

-- Queries of an earlier version, which become events when the service starts.
CREATE TABLE sql.saved_query (
    id uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT saved_query_title_key UNIQUE (account_id, title)
);
GRANT SELECT ON sql.saved_query TO query_reader;
ALTER TABLE sql.saved_query ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON sql.saved_query
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON sql.saved_query FOR SELECT TO query_reader
    USING ((SELECT read.reader()) = 'admin' OR account_id = (SELECT read.reader_account()));
