-- What came of each backup, who has to be erased again after a restore, and how long the canary took.

alter table ops.backup add column verified_at timestamptz;
-- Why the last attempt to restore it failed; empty: it did not.
alter table ops.backup add column drill_error text not null default '';
create index backup_started on ops.backup (started_at desc);

-- Erased after the backup that this database was restored from. The command service works it off at its start.
create table ops.to_erase (
    account_id uuid primary key,
    erased_at timestamptz not null
);

-- A page view of nobody's, sent through the whole way by the scheduler: from the request to the row that can be read.
create table ops.canary (
    event_id uuid primary key,
    sent_at timestamptz not null,
    seen_after_s real
);
create index canary_sent on ops.canary (sent_at desc);

grant select on ops.canary to query_reader;
alter table ops.canary enable row level security, force row level security;
create policy others on ops.canary
    using (current_user <> 'query_reader') with check (current_user <> 'query_reader');
create policy readers on ops.canary for select to query_reader using ((select read.reader()) = 'admin');
