"""Generations of a projection: their states, and the switches between them.

All state is in `engine.build`; these functions change it in one transaction each, and the running service executes
(`engine.supervisor`). Readers only see the switch of a view. States:

    building -> catching_up -> ready -> live -> retired          beside them: paused, failed, cancelled

A family of ClickHouse tables is built whole: generation G of `events` has its own raw table and its own rollups. A
rollup can also be built alone from the live raw table; its generation then names that table's generation as its source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Protocol

import psycopg
import structlog
from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from infra.kernel.subscriptions import dead_letters
from projectors.engine import barrier, schema
from projectors.engine.clickhouse import ClickHouse
from projectors.engine.projection import ClickHouseProjection, Projection, Registry
from projectors.engine.read_model import ReadModel

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

ACTIVE: Final = ("building", "catching_up", "ready")
RUNNING: Final = (*ACTIVE, "live")
KEPT_DAYS: Final = 7
SWITCH_HOLD_S: Final = 30
CONTROL: Final = "projection_control"


class RollbackHook(Protocol):
    """An additional step of `rollback`, in its transaction."""

    def __call__(self, generation: int, *, is_live: bool) -> None:
        """Receives the generation that a rollback chose; `is_live`: readers see it already."""
        ...


PARAMETERS: Final = "parameters"
PARAMETERS_PAUSE_S: Final = 3600
"""A rebuild reads the whole log, and owners of websites can cause one: not more than one an hour."""


class NotAllowed(Exception):
    """The current state does not permit the request; the message gives the reason in one sentence."""


@dataclass(frozen=True)
class GenerationRow:
    """One row of `engine.build`, with what `engine.projection` says about its name."""

    name: str
    kind: str
    generation: int
    state: str
    resume_state: str | None
    version: int
    source_generation: int | None
    progress: dict[str, Any]
    promote_when_ready: bool
    error: str
    created_at: datetime
    ready_at: datetime | None
    promoted_at: datetime | None
    retired_at: datetime | None
    dropped_at: datetime | None
    live_generation: int

    @property
    def is_live(self) -> bool:
        """Returns whether readers see this generation."""
        return self.generation == self.live_generation


_ROWS: Final = (
    "select b.name, p.kind, b.generation, b.state, b.resume_state, b.version, b.source_generation, b.progress, "
    "b.promote_when_ready, b.error, b.created_at, b.ready_at, b.promoted_at, b.retired_at, b.dropped_at, "
    "p.live_generation from engine.build b join engine.projection p on p.name = b.name "
    "where b.dropped_at is null and (%(name)s::text is null or b.name = %(name)s) order by b.name, b.generation"
)


def rows(connection: Connection[Any], name: str | None = None) -> list[GenerationRow]:
    """Returns every generation that is not dropped, oldest first; of one name, or of all."""
    with connection.cursor(row_factory=class_row(GenerationRow)) as cursor:
        return cursor.execute(_ROWS, {"name": name}).fetchall()


def live_row(connection: Connection[Any], name: str) -> GenerationRow:
    """Returns the live generation. Raises `NotAllowed` for an unknown name."""
    for row in rows(connection, name):
        if row.is_live:
            return row
    raise NotAllowed(f"No projection is named {name!r}; `althing projections list` shows all of them.")


def active_row(connection: Connection[Any], name: str) -> GenerationRow | None:
    """The generation beside the live one, if one is under way (also paused or failed)."""
    for row in rows(connection, name):
        if not row.is_live and (row.state in ACTIVE or row.resume_state in ACTIVE):
            return row
    return None


def request_rebuild(
    connection: Connection[Any], registry: Registry, name: str, reason: str = "", *, promote: bool = False
) -> int:
    """Requests a new generation beside the live one; returns its number. `promote`: it becomes live as soon as it is
    ready. Raises `NotAllowed`."""
    live_row(connection, name)
    try:
        with connection.transaction():
            connection.execute("lock table engine.build in share row exclusive mode")
            _refuse_second(connection, registry, name)
            generation = _next_generation(connection, _related(registry, name))
            if name in registry.rollups:
                family, rollup = registry.rollups[name]
                if _lacks_rows(connection, family):
                    raise NotAllowed(
                        f"Rows of {family.name} have expired, and {name} still counts them: rebuild {family.name}, "
                        "which reads the log."
                    )
                source = schema.live_generation(connection, family.name)
                _add_row(connection, name, generation, rollup.version, reason, source)
            else:
                projection = registry.projections[name]
                _add_row(
                    connection, name, generation, projection.version, reason, None, _parameters(connection, projection)
                )
                if isinstance(projection, ClickHouseProjection):
                    for rollup in projection.rollups:
                        _add_row(connection, rollup.name, generation, rollup.version, reason, generation)
            connection.execute(
                "update engine.build set promote_when_ready = %s where name = %s and generation = %s",
                (promote, name, generation),
            )
            connection.execute("select pg_notify(%s, %s)", (CONTROL, name))
    except psycopg.errors.UniqueViolation as error:
        raise NotAllowed(f"{name} is being rebuilt already.") from error
    return generation


def rebuild_changed(connection: Connection[Any], registry: Registry) -> None:
    """Requests a new generation of each projection whose live one was built by another version of it.

    It becomes live as soon as it is ready. Until then the old one is read as it is. An old read model is not written
    any more; old tables of ClickHouse are, so a new version may change what columns hold, not which there are.
    """
    for model in registry.postgres:
        _rebuild_changed(connection, registry, model.name, model.version)
    for family in registry.clickhouse:
        if not _rebuild_changed(connection, registry, family.name, family.version):
            for rollup in family.rollups:
                _rebuild_changed(connection, registry, rollup.name, rollup.version)


def _rebuild_changed(connection: Connection[Any], registry: Registry, name: str, version: int) -> bool:
    """Requests a rebuild if the live generation is not of version `version`. Returns whether it was not."""
    if schema.is_of_version(connection, name, version, schema.live_generation(connection, name)):
        return False
    family = registry.rollups[name][0] if name in registry.rollups else None
    try:
        is_of_log = family is not None and _lacks_rows(connection, family)
        source = family.name if family is not None and is_of_log else name
        generation = request_rebuild(connection, registry, source, f"version {version}", promote=True)
    except NotAllowed as refused:
        log.warning("rebuild_refused", projection=name, reason="version", error=refused)
        return True
    log.info("rebuild_started", projection=name, generation=generation, reason="version")
    return True


def rebuild_with_new_parameters(connection: Connection[Any], registry: Registry) -> None:
    """Requests a new generation of each projection whose parameters are others than those that its live one has.

    One at a time, and not sooner than `PARAMETERS_PAUSE_S` after the last one began: meanwhile changes are gathered. A
    generation with other parameters that waits for its promotion is cancelled.
    """
    for family in registry.clickhouse:
        if family.parameters is None:
            continue
        live = live_row(connection, family.name)
        if live.state != "live":
            continue
        parameters = family.parameters(connection)
        if parameters == live.progress.get(PARAMETERS, []):
            continue
        active = active_row(connection, family.name)
        if active is not None and not _is_outdated(active, parameters):
            continue
        age = (datetime.now(UTC) - live.created_at).total_seconds()
        if live.generation > 1 and age < PARAMETERS_PAUSE_S:
            continue
        try:
            if active is not None:
                cancelled = cancel(connection, registry, family.name)
                log.info("outdated_build_cancelled", projection=family.name, generation=cancelled)
            generation = request_rebuild(connection, registry, family.name, "changed rules", promote=True)
        except NotAllowed as refused:
            log.info("rebuild_refused", projection=family.name, reason="parameters", error=refused)
            continue
        log.info("rebuild_started", projection=family.name, generation=generation, reason="parameters")


def _is_outdated(row: GenerationRow, parameters: list[Any]) -> bool:
    """Returns whether the generation waits for its promotion, and has other parameters: it would keep erased people."""
    waits = row.state == "ready" and not row.promote_when_ready
    return waits and row.progress.get(PARAMETERS, []) != parameters


def promote(
    connection: Connection[Any],
    clickhouse: ClickHouse,
    registry: Registry,
    name: str,
    *,
    force: bool = False,
    also: Callable[[int], None] = lambda _generation: None,
) -> int:
    """Makes the ready generation the live one: a switch of views. `also` runs in the transaction that does it, with the
    generation. Raises `NotAllowed`."""
    row = active_row(connection, name)
    if row is None:
        raise NotAllowed(
            f"There is no build of {name} to promote; start one with `althing projections rebuild {name}`."
        )
    _refuse_part_of_family(registry, row)
    if row.state != "ready":
        raise NotAllowed(f"Generation {row.generation} of {name} is {row.state}, not ready.")
    worse = _new_dead_letters(connection, row)
    if worse and not force:
        raise NotAllowed(
            f"Generation {row.generation} of {name} has {worse} dead letters that the live one does not have; "
            "look at `althing dlq list`, or promote with --force."
        )
    switch(connection, clickhouse, registry, row, also)
    return row.generation


def rollback(
    connection: Connection[Any],
    clickhouse: ClickHouse,
    registry: Registry,
    name: str,
    *,
    also: RollbackHook = lambda _generation, *, is_live: None,  # noqa: ARG005 - passed by name
) -> GenerationRow:
    """Goes back to the generation that was live before.

    A rollup is switched at once: its table was fed all the time. Others catch up first and are then switched by the
    running service; the returned generation's state is `live` or `catching_up`. `also` runs in the transaction that
    does it, with the generation and whether it is live now. Raises `NotAllowed`.
    """
    live = live_row(connection, name)
    retired = [b for b in rows(connection, name) if b.state == "retired"]
    if live.kind == "rollup":
        retired = [b for b in retired if b.source_generation == live.source_generation]
    if not retired:
        raise NotAllowed(
            f"No generation before the live one of {name} is kept; they are dropped after {KEPT_DAYS} days."
        )
    target = max(retired, key=lambda b: (b.retired_at is not None and b.retired_at.timestamp(), b.generation))
    if target.version != _version_of(registry, name):
        raise NotAllowed(
            f"Generation {target.generation} of {name} was built by another version of the program, which alone could "
            "keep it up to date; rebuild it instead."
        )
    if target.kind == "rollup":
        switch(connection, clickhouse, registry, target, lambda made: also(made, is_live=True))
    else:
        with connection.transaction():
            _refuse_changed(connection, target)
            connection.execute("lock table engine.build in share row exclusive mode")
            _refuse_second(connection, registry, name)
            connection.execute(
                "update engine.build set state = 'catching_up', promote_when_ready = true "
                "where name = %s and generation = %s",
                (name, target.generation),
            )
            dead_letters.reopen(connection, name, target.generation)
            also(target.generation, is_live=False)
            connection.execute("select pg_notify(%s, %s)", (CONTROL, name))
    return next(b for b in rows(connection, name) if b.generation == target.generation)


def cancel(connection: Connection[Any], registry: Registry, name: str) -> int:
    """Gives a generation up; the running service drops its tables. The live generation is not touched."""
    names = _family_names(registry, name)
    with connection.transaction():
        _lock(connection, name)  # one that is being promoted is promoted, or not: never cancelled when it is live
        row = active_row(connection, name)
        if row is None:
            raise NotAllowed(f"No build of {name} is in progress.")
        _refuse_part_of_family(registry, row)
        state = "retired" if row.retired_at else "cancelled"
        connection.execute(
            "update engine.build set state = %s, promote_when_ready = false where generation = %s and "
            "(name = %s or (name = any(%s) and source_generation = %s))",
            (state, row.generation, name, names, row.generation),
        )
        dead_letters.supersede(connection, name)
        _end_rollback(connection, row, "cancelled")
        connection.execute("select pg_notify(%s, %s)", (CONTROL, name))
    return row.generation


def pause(connection: Connection[Any], registry: Registry, name: str, reason: str = "") -> None:
    """Stops every generation of a projection after its current step."""
    row = live_row(connection, name)
    if row.kind == "rollup":
        family = registry.rollups[name][0].name
        raise NotAllowed(f"{name} is fed by {family} and stands still only with it: pause {family}.")
    changed = connection.execute(
        "update engine.build set resume_state = state, state = 'paused', reason = %s "
        "where name = %s and state = any(%s)",
        (reason, name, list(RUNNING)),
    )
    if not changed.rowcount:
        raise NotAllowed(f"{name} is {row.state} already.")
    connection.execute("select pg_notify(%s, %s)", (CONTROL, name))


def resume(connection: Connection[Any], name: str, accept_bad_to: Sequence[tuple[str, int, int]] = ()) -> None:
    """Lets a paused or failed projection go on. `accept_bad_to`: (topic, partition, offset) up to which any number of
    records may become dead letters."""
    row = live_row(connection, name)
    with connection.transaction():
        changed = connection.execute(
            "update engine.build set state = resume_state, resume_state = null, error = '' "
            "where name = %s and state in ('paused', 'failed') and resume_state is not null",
            (name,),
        )
        if not changed.rowcount:
            raise NotAllowed(f"{name} is not paused; it is {row.state}.")
        for topic, partition, offset in accept_bad_to:
            connection.execute(
                "update engine.position set accept_bad_to = %s where projection = %s and topic = %s and partition = %s",
                (offset, name, topic, partition),
            )
        connection.execute("select pg_notify(%s, %s)", (CONTROL, name))


def fail(connection: Connection[Any], name: str, generation: int, error: str) -> None:
    """Marks a generation as failed: it stays stopped until an operator resumes it."""
    connection.execute(
        "update engine.build set resume_state = state, state = 'failed', error = %s "
        "where name = %s and generation = %s and state = any(%s)",
        (error[:4000], name, generation, list(RUNNING)),
    )


def set_state(connection: Connection[Any], row: GenerationRow, state: str) -> None:
    """Sets a generation's state, unless another process changed it concurrently."""
    connection.execute(
        "update engine.build set state = %s, ready_at = case when %s = 'ready' then now() else ready_at end "
        "where name = %s and generation = %s and state = %s",
        (state, state, row.name, row.generation, row.state),
    )


def save_progress(connection: Connection[Any], row: GenerationRow, progress: dict[str, Any]) -> None:
    """Replaces the generation's whole `progress`; the caller keeps the entries that are to stay."""
    connection.execute(
        "update engine.build set progress = %s where name = %s and generation = %s",
        (Jsonb(progress), row.name, row.generation),
    )


def switch(
    connection: Connection[Any],
    clickhouse: ClickHouse,
    registry: Registry,
    row: GenerationRow,
    also: Callable[[int], None] = lambda _generation: None,
) -> None:
    """Makes `row` live. Old and new are held at one place meanwhile, so that no total that people see goes back.

    A rollback that waited for `row` ends with it. A live generation that stands still (paused, failed, of another
    version) is replaced as it is. Raises `barrier.BarrierLost`, and `NotAllowed` when the generation or the live
    generation was changed concurrently.
    """
    live = live_row(connection, row.name)
    stands_still = live.state != "live" or (row.kind == "postgres" and live.version != row.version)
    if row.kind == "rollup" or stands_still or live.generation == row.generation:
        _switch(connection, clickhouse, registry, row, also, None)
        return
    both = [(row.name, live.generation), (row.name, row.generation)]
    with barrier.hold(connection, both, SWITCH_HOLD_S) as hold:
        hold.wait()
        _switch(connection, clickhouse, registry, row, also, hold)


def _switch(
    connection: Connection[Any],
    clickhouse: ClickHouse,
    registry: Registry,
    row: GenerationRow,
    also: Callable[[int], None],
    hold: barrier.Barrier | None,
) -> None:
    """Postgres first, in one transaction; ClickHouse's views follow, and again at every start of the service."""
    with connection.transaction():
        _refuse_changed(connection, row)
        if hold is not None:
            hold.require()
        _make_live(connection, row.name, row.generation)
        projection = registry.projections.get(row.name)
        if isinstance(projection, ReadModel):
            schema.protect_read_model(connection, projection, row.generation)
            schema.make_view(connection, projection, row.generation)
        elif isinstance(projection, ClickHouseProjection):
            for rollup in projection.rollups:
                feeding = connection.execute(
                    "select generation from engine.build where name = %s and source_generation = %s "
                    "and dropped_at is null and state <> 'cancelled' "
                    "order by promoted_at desc nulls last, generation desc limit 1",
                    (rollup.name, row.generation),
                ).fetchone()
                if feeding is None:
                    raise NotAllowed(f"Generation {row.generation} of {row.name} has no {rollup.name}.")
                _make_live(connection, rollup.name, feeding[0])
        _end_rollback(connection, row, "done")
        also(row.generation)
        connection.execute("select pg_notify(%s, %s)", (CONTROL, row.name))
    family = _family_of(registry, row.name)
    if family is not None:
        schema.point_family(connection, clickhouse, family)


def _lock(connection: Connection[Any], name: str) -> int | None:
    """Serializes switches, cancellations and drops; returns the current live generation."""
    row = connection.execute(
        "select live_generation from engine.projection where name = %s for no key update", (name,)
    ).fetchone()
    return row[0] if row is not None else None


def _refuse_changed(connection: Connection[Any], row: GenerationRow) -> None:
    """Checks that `row` and its projection are still as they were read, and locks both. Raises `NotAllowed` if they
    are not."""
    live = _lock(connection, row.name)
    current = connection.execute(
        "select state from engine.build where name = %s and generation = %s and dropped_at is null for no key update",
        (row.name, row.generation),
    ).fetchone()
    if live != row.live_generation or current is None or current[0] != row.state:
        raise NotAllowed(f"Generation {row.generation} of {row.name} was changed concurrently; check its state.")


def drop_expired(connection: Connection[Any], row: GenerationRow, drop: Callable[[], None]) -> None:
    """Runs `drop` for an expired generation, unless it was changed concurrently."""
    with connection.transaction():
        try:
            _refuse_changed(connection, row)
        except NotAllowed as refused:
            log.info("generation_drop_refused", projection=row.name, generation=row.generation, error=refused)
            return
        drop()


def _version_of(registry: Registry, name: str) -> int:
    if name in registry.rollups:
        return registry.rollups[name][1].version
    return registry.projections[name].version


def _make_live(connection: Connection[Any], name: str, generation: int) -> None:
    connection.execute(
        "update engine.build set state = 'retired', retired_at = now(), resume_state = null where name = %s and "
        "generation = (select live_generation from engine.projection where name = %s) and generation <> %s",
        (name, name, generation),
    )
    connection.execute(
        "update engine.build set state = 'live', promoted_at = now(), retired_at = null, resume_state = null, "
        "promote_when_ready = false where name = %s and generation = %s",
        (name, generation),
    )
    connection.execute(
        "update engine.projection set live_generation = %s, updated_at = now(), version = "
        "(select version from engine.build where name = %s and generation = %s) where name = %s",
        (generation, name, generation, name),
    )
    dead_letters.supersede(connection, name)


def _end_rollback(connection: Connection[Any], row: GenerationRow, state: str) -> None:
    """Ends the request of a rollback that waited for `row` to catch up."""
    connection.execute(
        "update engine.request set state = %s, finished_at = now(), lease_until = null where projection = %s "
        "and generation = %s and action = 'rollback' and state = 'running'",
        (state, row.name, row.generation),
    )


def _refuse_second(connection: Connection[Any], registry: Registry, name: str) -> None:
    for related in _related(registry, name):
        other = active_row(connection, related)
        if other is not None:
            raise NotAllowed(f"{related} is being rebuilt already (generation {other.generation} is {other.state}).")


def _refuse_part_of_family(registry: Registry, row: GenerationRow) -> None:
    if row.kind == "rollup" and row.source_generation == row.generation:
        family = registry.rollups[row.name][0].name
        raise NotAllowed(f"This build of {row.name} belongs to the rebuild of {family}: say {family} instead.")


def _related(registry: Registry, name: str) -> list[str]:
    """Names whose generations exclude each other: a rollup and its family, not two rollups."""
    if name in registry.rollups:
        return [name, registry.rollups[name][0].name]
    return [name, *_family_names(registry, name)]


def _family_of(registry: Registry, name: str) -> ClickHouseProjection | None:
    if name in registry.rollups:
        return registry.rollups[name][0]
    projection = registry.projections.get(name)
    return projection if isinstance(projection, ClickHouseProjection) else None


def _family_names(registry: Registry, name: str) -> list[str]:
    projection = registry.projections.get(name)
    return [r.name for r in projection.rollups] if isinstance(projection, ClickHouseProjection) else []


def _next_generation(connection: Connection[Any], names: list[str]) -> int:
    row = connection.execute("select max(generation) + 1 from engine.build where name = any(%s)", (names,)).fetchone()
    return int(row[0]) if row and row[0] else 1


def _add_row(
    connection: Connection[Any],
    name: str,
    generation: int,
    version: int,
    reason: str,
    source: int | None,
    parameters: Sequence[Any] = (),
) -> None:
    progress = {PARAMETERS: parameters} if parameters else {}
    connection.execute(
        "insert into engine.build (name, generation, state, version, reason, source_generation, progress) "
        "values (%s, %s, 'building', %s, %s, %s, %s)",
        (name, generation, version, reason, source, Jsonb(progress)),
    )


def _parameters(connection: Connection[Any], projection: Projection) -> list[Any]:
    if isinstance(projection, ReadModel) or projection.parameters is None:
        return []
    return projection.parameters(connection)


def _lacks_rows(connection: Connection[Any], family: ClickHouseProjection) -> bool:
    return family.lacking is not None and bool(family.lacking(connection).sql)


def _new_dead_letters(connection: Connection[Any], row: GenerationRow) -> int:
    counted = connection.execute(
        "select count(*) from engine.dead_letter n where n.projection = %s and n.generation = %s and n.state = 'open' "
        "and not exists (select 1 from engine.dead_letter o where o.projection = n.projection and o.generation = %s "
        'and o.topic = n.topic and o.partition = n.partition and o."offset" = n."offset")',
        (row.name, row.generation, row.live_generation),
    ).fetchone()
    return int(counted[0]) if counted else 0
