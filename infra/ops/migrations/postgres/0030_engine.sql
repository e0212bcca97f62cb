-- The projection engine: what is built, how far it has read, and what it could not take.

create schema if not exists engine;
create schema if not exists read;

create table engine.projection (
    name text primary key,
    kind text not null check (kind in ('clickhouse', 'rollup', 'postgres')),
    version int not null,
    live_generation int not null,
    updated_at timestamptz not null default now()
);

create table engine.build (
    name text not null references engine.projection,
    generation int not null,
    state text not null check (
        state in ('building', 'catching_up', 'ready', 'live', 'retired', 'paused', 'failed', 'cancelled')
    ),
    -- What a pause or failure interrupted; resuming goes back to it.
    resume_state text,
    version int not null,
    -- For a rollup: the generation of the raw table whose rows feed it.
    source_generation int,
    -- Rollups: where the backfill ends, which months are done. Others: the log's ends when the build began.
    progress jsonb not null default '{}',
    promote_when_ready boolean not null default false,
    reason text not null default '',
    error text not null default '',
    created_at timestamptz not null default now(),
    ready_at timestamptz,
    promoted_at timestamptz,
    retired_at timestamptz,
    dropped_at timestamptz,
    primary key (name, generation)
);

-- A projection is rebuilt by one build at a time.
create unique index build_one_at_a_time on engine.build (name)
    where state in ('building', 'catching_up', 'ready')
       or (state in ('paused', 'failed') and resume_state in ('building', 'catching_up', 'ready'));

create table engine.position (
    projection text not null,
    generation int not null,
    topic text not null,
    partition int not null,
    next_offset bigint not null default 0,
    -- The last offset of the range that is being inserted; a restart repeats exactly this range.
    intent_to bigint,
    domain_position bigint not null default 0,
    owner text,
    updated_at timestamptz not null default now(),
    -- When the record before next_offset was written to the log.
    record_at timestamptz,
    processed bigint not null default 0,
    rate real not null default 0,
    -- Why the worker waits and tries again; empty: it does not.
    error text not null default '',
    -- Not to be passed before stop_until: two generations are compared here.
    stop_at bigint,
    stop_until timestamptz,
    -- Starts of a worker at start_offset without a step forward.
    starts int not null default 0,
    start_offset bigint not null default -1,
    -- The dead letter limit does not count records before this offset.
    accept_bad_to bigint not null default 0,
    primary key (projection, generation, topic, partition)
);

create table engine.dead_letter (
    id uuid primary key,
    projection text not null,
    generation int not null,
    topic text not null,
    partition int not null,
    "offset" bigint not null,
    reason text not null,
    error text not null default '',
    key bytea not null default '',
    value bytea not null,
    headers jsonb not null default '[]',
    first_at timestamptz not null default now(),
    attempts int not null default 1,
    state text not null default 'open' check (state in ('open', 'retried', 'skipped')),
    retry_requested_at timestamptz,
    decided_at timestamptz
);

create index dead_letter_open on engine.dead_letter (projection, generation, topic, partition, "offset")
    where state = 'open';

-- Processes that run projections; one that has not been seen for 10 seconds is gone.
create table engine.runner (
    id uuid primary key,
    host text not null,
    pid int not null,
    started_at timestamptz not null default now(),
    seen_at timestamptz not null default now()
);
