-- What people ask of projections and what came of it; how far the log reaches, now and lately; backups that were made.

-- Of a rollup: the projection whose rows feed it.
alter table engine.projection add column family text;

create table engine.request (
    id uuid primary key,
    projection text not null,
    action text not null check (
        action in (
            'pause', 'resume', 'rebuild', 'promote', 'rollback', 'cancel', 'verify', 'retry', 'skip', 'reveal'
        )
    ),
    reason text not null default '',
    -- Promote although the build has dead letters of its own; resume although more bad records are to come.
    force boolean not null default false,
    -- For retry, skip and reveal.
    dead_letter_id uuid,
    -- Who asked: an account, or an operator at the machine by name.
    actor_id uuid,
    operator text not null default '',
    network text not null default '',
    device text not null default '',
    state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'refused', 'cancelled')),
    generation int,
    progress jsonb not null default '{}',
    result jsonb,
    error text not null default '',
    requested_at timestamptz not null default now(),
    -- Whoever carries it out is taken for dead afterwards.
    lease_until timestamptz,
    cancel_requested_at timestamptz,
    finished_at timestamptz,
    -- When the command service made an event of it.
    recorded_at timestamptz
);

create index request_open on engine.request (requested_at) where state in ('waiting', 'running');
create index request_unrecorded on engine.request (finished_at)
    where recorded_at is null and state in ('done', 'refused', 'cancelled');
create index request_of_projection on engine.request (projection, requested_at desc);

-- The ends of the log as the running projectors saw them last.
create table engine.log_end (
    topic text not null,
    partition int not null,
    end_offset bigint not null,
    seen_at timestamptz not null default now(),
    primary key (topic, partition)
);

-- Every 10 seconds: where each live or growing generation stood, and where the log ended. Kept for two hours.
create table engine.sample (
    at timestamptz not null,
    projection text not null,
    generation int not null,
    topic text not null,
    partition int not null,
    next_offset bigint not null,
    end_offset bigint not null,
    processed bigint not null,
    lag_seconds real not null,
    -- From the log's timestamp of the last record of a batch to the commit that made it visible.
    visible_after_s real
);
create index sample_at on engine.sample (at);
create index sample_of_projection on engine.sample (projection, generation, at);

create table engine.log_sample (
    at timestamptz not null,
    topic text not null,
    end_offset bigint not null,
    primary key (at, topic)
);

create table ops.backup (
    id uuid primary key,
    started_at timestamptz not null default now(),
    finished_at timestamptz,
    state text not null default 'running' check (state in ('running', 'done', 'failed')),
    folder text not null,
    bytes bigint not null default 0,
    events bigint not null default 0,
    error text not null default '',
    restored_at timestamptz
);

grant usage on schema ops to query_reader;
grant select on engine.log_end, engine.sample, engine.log_sample, engine.runner to query_reader;
grant select on engine.request, ops.backup to query_reader;

alter table engine.request enable row level security, force row level security;
create policy others on engine.request
    using (current_user <> 'query_reader') with check (current_user <> 'query_reader');
create policy readers on engine.request for select to query_reader using ((select read.reader()) = 'admin');
alter table ops.backup enable row level security, force row level security;
create policy others on ops.backup
    using (current_user <> 'query_reader') with check (current_user <> 'query_reader');
create policy readers on ops.backup for select to query_reader using ((select read.reader()) = 'admin');
