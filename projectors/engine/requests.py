"""Requests on projections: stored, executed exactly once, and recorded as events by the command service.

`POST /api/admin/projections/{name}/{action}` stores a row of `engine.request`, the running service executes it
(`engine.operations`); `althing projections` stores the row and executes it itself, by the same functions. The row
is ended in the transaction that does the work, so a crash leaves either both or none. The command service makes an
event of every row that ended (`command_api.operations.operation_recorder`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from uuid import UUID, uuid4

from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from infra.kernel.log import partitions
from projectors.engine import barrier, generations
from projectors.engine.clickhouse import ClickHouse
from projectors.engine.generations import NotAllowed
from projectors.engine.projection import Registry, TopicPartition, topic_partitions
from projectors.engine.verify import ProgressCallback, VerifyReport, verify

LEASE_S: Final = 120
MAX_ATTEMPTS: Final = 5
"""Attempts of a request: one that crashes every process would otherwise be retried indefinitely."""
LONG_RUNNING: Final = ("promote", "rollback", "verify")
"""Actions that wait for workers or compare tables: too slow for the supervisor's loop."""
SHOWN_DIFFERENCES: Final = 100


class RequestLost(Exception):
    """Another process ended the request; this attempt has no effect."""


class RequestCancelled(Exception):
    """The comparison was cancelled by request."""


@dataclass(frozen=True)
class QueuedRequest:
    """One row of `engine.request`, as far as carrying it out needs it."""

    id: UUID
    projection: str
    action: str
    reason: str
    force: bool


@dataclass(frozen=True)
class RequestExecution:
    """The dependencies of the execution of a request besides Postgres."""

    clickhouse: ClickHouse
    registry: Registry
    end_of: Callable[[TopicPartition], int | None]


@dataclass(frozen=True)
class RequestOutcome:
    """`is_done`: false for a rollback whose generation catches up first; the running service ends it then."""

    generation: int | None = None
    report: VerifyReport | None = None
    is_done: bool = True


def due(connection: Connection[Any]) -> list[QueuedRequest]:
    """Leases waiting and abandoned requests, in the order of their creation.

    A request has one lease at a time. A step of a rebuild run waits for the steps before it, and a promotion is refused
    unless the run's own generation is ready.
    """
    connection.execute(
        "update engine.request set state = 'cancelled', finished_at = now(), error = 'the command ended before it was "
        "done' where state = 'running' and operator <> '' and generation is null and lease_until < now()"
    )
    connection.execute(
        "update engine.request set state = 'refused', finished_at = now(), error = 'it was begun ' || attempts || "
        "' times, and each time the process that carried it out ended' where state = 'running' and generation is null "
        "and lease_until < now() and attempts >= %s",
        (MAX_ATTEMPTS,),
    )
    connection.execute(
        "update engine.request as r set state = 'refused', finished_at = now(), error = 'the rebuild is not ready' "
        "from engine.rebuild_step as s where r.state = 'waiting' and r.action = 'promote' and s.run_id = r.run_id "
        "and s.projection = r.projection and s.action = 'rebuild' and not s.is_open "
        "and s.build_state is distinct from 'ready'"
    )
    with connection.cursor(row_factory=class_row(QueuedRequest)) as cursor:
        return cursor.execute(
            "with taken as (update engine.request set state = 'running', error = '', attempts = attempts + 1, "
            "lease_until = now() + make_interval(secs => %s) where id in "
            "(select id from engine.request as r where (state = 'waiting' and not exists (select from "
            "engine.rebuild_step as s where s.run_id = r.run_id and s.run_step < r.run_step and s.is_open)) "
            "or (state = 'running' and operator = '' and generation is null and lease_until < now()) "
            "order by requested_at limit 10 for update skip locked) "
            "returning *) "
            "select id, projection, action, reason, force from taken order by requested_at",  # an update keeps no order
            (LEASE_S,),
        ).fetchall()


def renew_leases(connection: Connection[Any], ids: Sequence[UUID]) -> None:
    """Renews the leases of requests in execution, so that no other process takes them."""
    connection.execute(
        "update engine.request set lease_until = now() + make_interval(secs => %s) where id = any(%s) "
        "and state = 'running' and error = '' and lease_until < now() + make_interval(secs => %s)",
        (LEASE_S, list(ids), LEASE_S / 2),
    )


@contextmanager
def by_operator(
    connection: Connection[Any], name: str, action: str, operator: str, reason: str, *, force: bool = False
) -> Iterator[QueuedRequest]:
    """A request that an operator's own command carries out in the block; refused or broken off with it."""
    request = QueuedRequest(uuid4(), name, action, reason, force)
    connection.execute(
        "insert into engine.request (id, projection, action, reason, force, operator, state, lease_until) "
        "values (%s, %s, %s, %s, %s, %s, 'running', now() + interval '1 hour')",
        (request.id, name, action, reason, force, operator),
    )
    try:
        yield request
    except (NotAllowed, barrier.BarrierLost) as error:
        refuse(connection, request, str(error))
        raise
    except BaseException:
        _end(connection, request.id, "cancelled", error="the command was broken off")
        raise


def execute(
    connection: Connection[Any],
    context: RequestExecution,
    request: QueuedRequest,
    watch: ProgressCallback | None = None,
) -> RequestOutcome:
    """Executes the request and ends the row in one transaction. Raises `NotAllowed`, `BarrierLost` or `RequestLost`."""
    name, done = request.projection, partial(finish, request=request)
    match request.action:
        case "pause":
            with connection.transaction():
                generations.pause(connection, context.registry, name, request.reason)
                done(connection)
            return RequestOutcome()
        case "resume":
            accepted = _accepted(connection, context, name) if request.force else ()
            with connection.transaction():
                generations.resume(connection, name, accepted)
                done(connection)
            return RequestOutcome()
        case "rebuild":
            with connection.transaction():
                generation = generations.request_rebuild(connection, context.registry, name, request.reason)
                done(connection, generation=generation)
            return RequestOutcome(generation)
        case "cancel":
            with connection.transaction():
                generation = generations.cancel(connection, context.registry, name)
                done(connection, generation=generation)
            return RequestOutcome(generation)
        case "promote":
            generation = generations.promote(
                connection,
                context.clickhouse,
                context.registry,
                name,
                force=request.force,
                also=lambda made: done(connection, generation=made),
            )
            return RequestOutcome(generation)
        case "rollback":
            return _roll_back(connection, context, request)
        case "verify":
            report = verify(connection, context.clickhouse, context.registry, name, watch)
            done(connection, generation=report.rebuilt, result=as_result(report))
            return RequestOutcome(report.rebuilt, report)
        case other:
            raise NotAllowed(f"Unknown action {other!r}.")


def finish(
    connection: Connection[Any],
    request: QueuedRequest,
    generation: int | None = None,
    result: dict[str, Any] | None = None,
) -> None:
    """Ends the row as done, in the caller's transaction. Raises `RequestLost` when it has ended already."""
    if not _end(connection, request.id, "done", generation=generation, result=result):
        raise RequestLost(f"request {request.id} was ended by another process")


def refuse(connection: Connection[Any], request: QueuedRequest, why: str) -> None:
    """Ends the row as refused: the current state does not permit the request."""
    _end(connection, request.id, "refused", error=why)


def stop(connection: Connection[Any], request: QueuedRequest) -> None:
    """Ends a comparison that was cancelled by request."""
    _end(connection, request.id, "cancelled", error="cancelled")


def put_back(connection: Connection[Any], request: QueuedRequest, why: str) -> None:
    """Postpones the request for 2 s: an engine was unavailable."""
    connection.execute(
        "update engine.request set lease_until = now() + interval '2 seconds', error = %s "
        "where id = %s and state = 'running'",
        (why[:2000], request.id),
    )


def note_progress(connection: Connection[Any], request: QueuedRequest, report: VerifyReport, steps: int) -> None:
    """Shows how far a comparison is, and keeps the request. Raises `RequestCancelled` or `RequestLost`."""
    row = connection.execute(
        "update engine.request set progress = %s, lease_until = now() + make_interval(secs => %s) "
        "where id = %s and state = 'running' returning cancel_requested_at is not null",
        (Jsonb({"done": len(report.hashes), "of": steps, **as_result(report)}), LEASE_S, request.id),
    ).fetchone()
    if row is None:
        raise RequestLost(f"request {request.id} was ended by another process")
    if row[0]:
        raise RequestCancelled


def as_result(report: VerifyReport) -> dict[str, Any]:
    """The comparison as pages show it: one entry per table."""
    differences = [vars(one) for one in report.differences]
    return {
        "live": report.live,
        "rebuilt": report.rebuilt,
        "isEqual": report.is_equal,
        "at": report.at,
        "tables": [
            {
                "table": table,
                "liveRows": report.rows[f"{table} (live)"],
                "rebuiltRows": report.rows[f"{table} (rebuilt)"],
                "hash": hashed,
                "differences": sum(one["table"] == table for one in differences),
                "sums": [
                    {"column": column, "live": str(live), "rebuilt": str(rebuilt)}
                    for column, (live, rebuilt) in report.sums.get(table, {}).items()
                ],
            }
            for table, hashed in report.hashes.items()
        ],
        "differences": differences[:SHOWN_DIFFERENCES],
        "differenceCount": len(differences),
    }


def _roll_back(connection: Connection[Any], context: RequestExecution, request: QueuedRequest) -> RequestOutcome:
    def also(generation: int, *, is_live: bool) -> None:
        if is_live:
            finish(connection, request, generation=generation)
            return
        connection.execute(
            "update engine.request set generation = %s where id = %s and state = 'running'", (generation, request.id)
        )

    target = generations.rollback(connection, context.clickhouse, context.registry, request.projection, also=also)
    return RequestOutcome(target.generation, is_done=target.state == "live")


def _accepted(connection: Connection[Any], context: RequestExecution, name: str) -> list[tuple[str, int, int]]:
    projection = context.registry.projections.get(name)
    if projection is None:
        return []
    read = topic_partitions(projection, partitions.counts(connection))
    ends = [(place, context.end_of(place)) for place in read]
    return [(place.topic, place.partition, end) for place, end in ends if end is not None]


def _end(
    connection: Connection[Any],
    request_id: UUID,
    state: str,
    *,
    generation: int | None = None,
    result: dict[str, Any] | None = None,
    error: str = "",
) -> bool:
    ended = connection.execute(
        "update engine.request set state = %s, generation = coalesce(%s, generation), result = %s, error = %s, "
        "finished_at = now(), lease_until = null where id = %s and state in ('waiting', 'running')",
        (state, generation, Jsonb(result) if result is not None else None, error[:2000], request_id),
    )
    return bool(ended.rowcount)
