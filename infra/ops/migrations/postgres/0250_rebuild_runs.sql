-- A rebuild run is a list of requests that are carried out one after the other: a rebuild, and a promotion if wanted, of
-- each projection. They are written together, so the run continues after a restart.
alter table engine.request add column run_id uuid, add column run_step int;
create index request_of_run on engine.request (run_id, run_step) where run_id is not null;

-- `is_open`: the next step waits for it. A rebuild is open until its build is ready or has ended. `error` names a failure.
create view engine.rebuild_step with (security_invoker = true) as
select
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
    b.state as build_state,
    case
        when r.state = 'refused' then r.error
        when r.action = 'rebuild' and b.state = 'failed' then coalesce(nullif(b.error, ''), 'The build failed.')
        else ''
    end as error,
    r.state in ('waiting', 'running')
    or (
        r.action = 'rebuild' and r.state = 'done' and b.state is distinct from 'failed'
        and coalesce(coalesce(b.resume_state, b.state) in ('building', 'catching_up'), false)
    ) as is_open
from engine.request as r
left join engine.build as b on b.name = r.projection and b.generation = r.generation
where r.run_id is not null;

grant select on engine.rebuild_step to query_reader;
