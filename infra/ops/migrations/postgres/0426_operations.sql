-- Schema `operations`: how the installation does: backups and what a restore left to do, the canary, sources of rates.
CREATE SCHEMA operations;
GRANT USAGE ON SCHEMA operations TO query_reader;

-- drill_error: why the last attempt to restore it failed; empty: it did not.
CREATE TABLE ops.backup (
    id uuid PRIMARY KEY,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
    folder text NOT NULL,
    bytes bigint NOT NULL DEFAULT 0,
    events bigint NOT NULL DEFAULT 0,
    error text NOT NULL DEFAULT '',
    restored_at timestamptz,
    verified_at timestamptz,
    drill_error text NOT NULL DEFAULT ''
);
CREATE INDEX backup_started ON ops.backup (started_at DESC);
GRANT SELECT ON ops.backup TO query_reader;
ALTER TABLE ops.backup ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.backup
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.backup FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');

-- Accounts erased, and visitors forgotten, after the backup that this database was restored from; visitors as they were
-- decided. The command service erases and forgets them again at its start.
CREATE TABLE ops.to_erase (
    account_id uuid PRIMARY KEY,
    erased_at timestamptz NOT NULL
);
CREATE TABLE ops.visitor_to_erase (
    erasure_id uuid PRIMARY KEY,
    decided jsonb NOT NULL
);

-- A page view of nobody's, sent through the whole way by the scheduler: from the request to the row that can be read.
CREATE TABLE ops.canary (
    event_id uuid PRIMARY KEY,
    sent_at timestamptz NOT NULL,
    seen_after_s real
);
CREATE INDEX canary_sent ON ops.canary (sent_at DESC);
GRANT SELECT ON ops.canary TO query_reader;
ALTER TABLE ops.canary ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON ops.canary
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON ops.canary FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');

-- How the last check for reference rates ended.
CREATE TABLE operations.rate_source (
    name text PRIMARY KEY,
    checked_at timestamptz NOT NULL,
    succeeded_at timestamptz,
    newest_day date,
    failures int NOT NULL,
    problem text,
    skipped text[] NOT NULL,
    next_at timestamptz NOT NULL
);
GRANT SELECT ON operations.rate_source TO query_reader;
