-- Schema `engine`: subscribers of the log: what is built, how far each has read, what it could not take, what people ask
-- of it, and measurements.
CREATE SCHEMA engine;
GRANT USAGE ON SCHEMA engine TO query_reader;

-- family: of a rollup, the projection whose rows feed it. event_names: the decided events that each read model handles, so
-- that a command can wait for those that process what it appended (command_api/kernel/read_your_writes.py).
CREATE TABLE engine.projection (
    name text PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('clickhouse', 'rollup', 'postgres')),
    version int NOT NULL,
    live_generation int NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    family text,
    event_names text[] NOT NULL DEFAULT '{}'
);

CREATE TABLE engine.build (
    name text NOT NULL REFERENCES engine.projection,
    generation int NOT NULL,
    state text NOT NULL CHECK (
        state IN ('building', 'catching_up', 'ready', 'live', 'retired', 'paused', 'failed', 'cancelled')
    ),
    -- What a pause or failure interrupted; resuming goes back to it.
    resume_state text,
    version int NOT NULL,
    -- For a rollup: the generation of the raw table whose rows feed it.
    source_generation int,
    -- Rollups: where the backfill ends, which months are done. Others: the log's ends when the build began.
    progress jsonb NOT NULL DEFAULT '{}',
    promote_when_ready boolean NOT NULL DEFAULT false,
    reason text NOT NULL DEFAULT '',
    error text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    ready_at timestamptz,
    promoted_at timestamptz,
    retired_at timestamptz,
    dropped_at timestamptz,
    PRIMARY KEY (name, generation)
);
-- A projection is rebuilt by one build at a time.
CREATE UNIQUE INDEX build_one_at_a_time ON engine.build (name)
    WHERE state IN ('building', 'catching_up', 'ready')
       OR (state IN ('paused', 'failed') AND resume_state IN ('building', 'catching_up', 'ready'));

-- Of all subscribers; those without generations have generation 0.
CREATE TABLE engine.position (
    projection text NOT NULL,
    generation int NOT NULL,
    topic text NOT NULL,
    partition int NOT NULL,
    next_offset bigint NOT NULL DEFAULT 0,
    -- The last offset of the range that is being inserted; a restart repeats exactly this range.
    intent_to bigint,
    domain_position bigint NOT NULL DEFAULT 0,
    owner text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- When the record before next_offset was written to the log.
    record_at timestamptz,
    processed bigint NOT NULL DEFAULT 0,
    rate real NOT NULL DEFAULT 0,
    -- Why the worker waits and tries again; empty: it does not.
    error text NOT NULL DEFAULT '',
    -- Not to be passed before stop_until: two generations are compared here.
    stop_at bigint,
    stop_until timestamptz,
    -- Starts of a worker at start_offset without a step forward.
    starts int NOT NULL DEFAULT 0,
    start_offset bigint NOT NULL DEFAULT -1,
    -- The dead letter limit does not count records before this offset.
    accept_bad_to bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (projection, generation, topic, partition)
);

CREATE TABLE engine.relay (
    name text PRIMARY KEY,
    position bigint NOT NULL
);

-- website_id: of the website whose record it has, for its owner; what cannot be read as a record has none. erasure_id: the
-- erasure that its visitor waits for, repeated by a retry. `superseded`: of a generation that another one replaced, which
-- has read the records again.
CREATE TABLE engine.dead_letter (
    id uuid PRIMARY KEY,
    projection text NOT NULL,
    generation int NOT NULL,
    topic text NOT NULL,
    partition int NOT NULL,
    "offset" bigint NOT NULL,
    reason text NOT NULL,
    error text NOT NULL DEFAULT '',
    key bytea NOT NULL DEFAULT '',
    value bytea NOT NULL,
    headers jsonb NOT NULL DEFAULT '[]',
    first_at timestamptz NOT NULL DEFAULT now(),
    attempts int NOT NULL DEFAULT 1,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'retried', 'skipped', 'superseded')),
    retry_requested_at timestamptz,
    decided_at timestamptz,
    erasure_id uuid,
    website_id uuid GENERATED ALWAYS AS (
        (substring(encode(value, 'escape')
            from '"website_id": ?"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"'))::uuid) STORED
);
-- Events stay parked behind superseded ones, too.
CREATE INDEX dead_letter_open ON engine.dead_letter (projection, generation, topic, partition, "offset")
    WHERE state IN ('open', 'superseded');
CREATE INDEX dead_letter_website ON engine.dead_letter (website_id) WHERE state = 'open';
-- Wakes the subscribers of the write side when a retry is requested.
CREATE TRIGGER dead_letter_retry AFTER INSERT OR UPDATE OF retry_requested_at ON engine.dead_letter
    FOR EACH ROW WHEN (NEW.retry_requested_at IS NOT NULL) EXECUTE FUNCTION kernel.notify_channel('dead_letters');

-- Processes that run projections; one that has not been seen for 10 seconds is gone.
CREATE TABLE engine.runner (
    id uuid PRIMARY KEY,
    host text NOT NULL,
    pid int NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now()
);

-- What people ask of projections and what came of it.
CREATE TABLE engine.request (
    id uuid PRIMARY KEY,
    projection text NOT NULL,
    action text NOT NULL CHECK (
        action IN (
            'pause', 'resume', 'rebuild', 'promote', 'rollback', 'cancel', 'verify', 'retry', 'skip', 'reveal'
        )
    ),
    reason text NOT NULL DEFAULT '',
    -- Promote although the build has dead letters of its own; resume although more bad records are to come.
    force boolean NOT NULL DEFAULT false,
    -- For retry, skip and reveal.
    dead_letter_id uuid,
    -- Who asked: an account, or an operator at the machine by name.
    actor_id uuid,
    operator text NOT NULL DEFAULT '',
    network text NOT NULL DEFAULT '',
    device text NOT NULL DEFAULT '',
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'done', 'refused', 'cancelled')),
    generation int,
    progress jsonb NOT NULL DEFAULT '{}',
    result jsonb,
    error text NOT NULL DEFAULT '',
    requested_at timestamptz NOT NULL DEFAULT now(),
    -- Whoever carries it out is taken for dead afterwards.
    lease_until timestamptz,
    cancel_requested_at timestamptz,
    finished_at timestamptz,
    -- When the command service made an event of it.
    recorded_at timestamptz,
    -- How often a process took it up: one that ends whoever carries it out is given up in the end.
    attempts int NOT NULL DEFAULT 0,
    -- A rebuild run is a list of requests that are carried out one after the other: a rebuild, and a promotion if wanted, of
    -- each projection. They are written together, so the run continues after a restart.
    run_id uuid,
    run_step int
);
CREATE INDEX request_open ON engine.request (requested_at) WHERE state IN ('waiting', 'running');
CREATE INDEX request_unrecorded ON engine.request (finished_at)
    WHERE recorded_at IS NULL AND state IN ('done', 'refused', 'cancelled');
CREATE INDEX request_of_projection ON engine.request (projection, requested_at DESC);
CREATE INDEX request_of_run ON engine.request (run_id, run_step) WHERE run_id IS NOT NULL;
-- Wakes the recorder of operations whenever a request has ended, whoever ended it.
CREATE TRIGGER request_ended AFTER INSERT OR UPDATE OF state ON engine.request
    FOR EACH ROW WHEN (NEW.state IN ('done', 'refused', 'cancelled'))
    EXECUTE FUNCTION kernel.notify_channel('operation_ended');

-- `is_open`: the next step waits for it. A rebuild is open until its build is ready or has ended. `error` names a failure.
CREATE VIEW engine.rebuild_step WITH (security_invoker = true) AS
SELECT
    r.run_id,
    r.run_step,
    r.id,
    r.projection,
    r.action,
    r.state,
    r.reason,
    r.actor_id,
    r.requested_at,
    r.finished_at,
    b.state AS build_state,
    CASE
        WHEN r.state = 'refused' THEN r.error
        WHEN r.action = 'rebuild' AND b.state = 'failed' THEN coalesce(nullif(b.error, ''), 'The build failed.')
        ELSE ''
    END AS error,
    r.state IN ('waiting', 'running')
    OR (
        r.action = 'rebuild' AND r.state = 'done' AND b.state IS DISTINCT FROM 'failed'
        AND coalesce(coalesce(b.resume_state, b.state) IN ('building', 'catching_up'), false)
    ) AS is_open
FROM engine.request AS r
LEFT JOIN engine.build AS b ON b.name = r.projection AND b.generation = r.generation
WHERE r.run_id IS NOT NULL;

-- The ends of the log as the running projectors saw them last.
CREATE TABLE engine.log_end (
    topic text NOT NULL,
    partition int NOT NULL,
    end_offset bigint NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, partition)
);

-- Every 10 seconds: where each live or growing generation stood, and where the log ended. Kept for two hours.
CREATE TABLE engine.sample (
    at timestamptz NOT NULL,
    projection text NOT NULL,
    generation int NOT NULL,
    topic text NOT NULL,
    partition int NOT NULL,
    next_offset bigint NOT NULL,
    end_offset bigint NOT NULL,
    processed bigint NOT NULL,
    lag_seconds real NOT NULL,
    -- From the log's timestamp of the last record of a batch to the commit that made it visible.
    visible_after_s real
);
CREATE INDEX sample_at ON engine.sample (at);
CREATE INDEX sample_of_projection ON engine.sample (projection, generation, at);

CREATE TABLE engine.log_sample (
    at timestamptz NOT NULL,
    topic text NOT NULL,
    end_offset bigint NOT NULL,
    PRIMARY KEY (at, topic)
);

GRANT SELECT ON engine.projection, engine.build, engine.position, engine.dead_letter, engine.runner TO query_reader;
GRANT SELECT ON engine.request, engine.rebuild_step TO query_reader;
GRANT SELECT ON engine.log_end, engine.sample, engine.log_sample TO query_reader;
ALTER TABLE engine.dead_letter ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON engine.dead_letter
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON engine.dead_letter FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');
CREATE POLICY owners ON engine.dead_letter FOR SELECT TO query_reader
    USING (website_id = ANY ((SELECT read.reader_websites())::uuid[]));
ALTER TABLE engine.request ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY others ON engine.request
    USING (CURRENT_USER <> 'query_reader') WITH CHECK (CURRENT_USER <> 'query_reader');
CREATE POLICY readers ON engine.request FOR SELECT TO query_reader USING ((SELECT read.reader()) = 'admin');
