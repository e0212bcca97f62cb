"""What people ask of projections: written down, carried out exactly once, and left for the command service to record.

`POST /api/admin/projections/{name}/{action}` writes a row of `engine.request`, the running service carries it out
(`engine.operations`); `althing projections` writes the row and carries it out itself, by the same functions. The row
is ended in the transaction that does the work, so a crash leaves either both or none. The command service makes an
event of every row that ended (`command_api.operations.recording`).
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

from projectors.engine import generations, holding
from projectors.engine.clickhouse import ClickHouse
from projectors.engine.generations import NotAllowed
from projectors.engine.projection import Catalogue, Place, places
from projectors.engine.verify import Report, Watch, verify

LEASE_S: Final = 120
MOST_ATTEMPTS: Final = 5
"""How often a request is taken up: what ends every process that carries it out would be taken up for ever."""
LONG: Final = ("promote", "rollback", "verify")
"""What may wait for workers or compare tables: not to be done between two looks of the fleet."""
RECORDED: Final = "operation_ended"
"""Postgres channel that wakes the command service."""
SHOWN_DIFFERENCES: Final = 100


class Lost(Exception):
    """The request was ended by somebody else meanwhile; nothing of this try counts."""


class Cancelled(Exception):
    """Somebody asked to stop this comparison."""


@dataclass(frozen=True)
class Request:
    """One row of `engine.request`, as far as carrying it out needs it."""

    id: UUID
    projection: str
    action: str
    reason: str
    force: bool


@dataclass(frozen=True)
class Means:
    """What carrying out needs besides Postgres."""

    clickhouse: ClickHouse
    catalogue: Catalogue
    cluster: str | None
    end_of: Callable[[Place], int | None]


@dataclass(frozen=True)
class Outcome:
    """`is_done`: false for a rollback whose generation catches up first; the running service ends it then."""

    generation: int | None = None
    report: Report | None = None
    is_done: bool = True


def due(connection: Connection[Any]) -> list[Request]:
    """Takes what waits, and what another process began and never ended, in the order in which it was asked for.

    A request is handed out once at a time.
    """
    connection.execute(
        "update engine.request set state = 'cancelled', finished_at = now(), error = 'the command ended before it was "
        "done' where state = 'running' and operator <> '' and generation is null and lease_until < now()"
    )
    connection.execute(
        "update engine.request set state = 'refused', finished_at = now(), error = 'it was begun ' || attempts || "
        "' times, and each time the process that carried it out ended' where state = 'running' and generation is null "
        "and lease_until < now() and attempts >= %s",
        (MOST_ATTEMPTS,),
    )
    with connection.cursor(row_factory=class_row(Request)) as cursor:
        return cursor.execute(
            "with taken as (update engine.request set state = 'running', error = '', attempts = attempts + 1, "
            "lease_until = now() + make_interval(secs => %s) where id in "
            "(select id from engine.request where state = 'waiting' or (state = 'running' and operator = '' "
            "and generation is null and lease_until < now()) order by requested_at limit 10 for update skip locked) "
            "returning *) "
            "select id, projection, action, reason, force from taken order by requested_at",  # an update keeps no order
            (LEASE_S,),
        ).fetchall()


def keep(connection: Connection[Any], ids: Sequence[UUID]) -> None:
    """Nobody else takes these up: they are being worked on, however long one step of them lasts."""
    connection.execute(
        "update engine.request set lease_until = now() + make_interval(secs => %s) where id = any(%s) "
        "and state = 'running' and error = '' and lease_until < now() + make_interval(secs => %s)",
        (LEASE_S, list(ids), LEASE_S / 2),
    )


@contextmanager
def by_operator(
    connection: Connection[Any], name: str, action: str, operator: str, reason: str, *, force: bool = False
) -> Iterator[Request]:
    """A request that an operator's own command carries out in the block; refused or broken off with it."""
    request = Request(uuid4(), name, action, reason, force)
    connection.execute(
        "insert into engine.request (id, projection, action, reason, force, operator, state, lease_until) "
        "values (%s, %s, %s, %s, %s, %s, 'running', now() + interval '1 hour')",
        (request.id, name, action, reason, force, operator),
    )
    try:
        yield request
    except (NotAllowed, holding.HoldLost) as error:
        refuse(connection, request, str(error))
        raise
    except BaseException:
        _end(connection, request.id, "cancelled", error="the command was broken off")
        raise


def carry_out(connection: Connection[Any], means: Means, request: Request, watch: Watch | None = None) -> Outcome:
    """Does what was asked and ends the row in one transaction. Raises `NotAllowed`, `HoldLost` or `Lost`."""
    name, done = request.projection, partial(finish, request=request)
    match request.action:
        case "pause":
            with connection.transaction():
                generations.pause(connection, means.catalogue, name, request.reason)
                done(connection)
            return Outcome()
        case "resume":
            accepted = _accepted(means, name) if request.force else ()
            with connection.transaction():
                generations.resume(connection, name, accepted)
                done(connection)
            return Outcome()
        case "rebuild":
            with connection.transaction():
                generation = generations.request_rebuild(connection, means.catalogue, name, request.reason)
                done(connection, generation=generation)
            return Outcome(generation)
        case "cancel":
            with connection.transaction():
                generation = generations.cancel(connection, means.catalogue, name)
                done(connection, generation=generation)
            return Outcome(generation)
        case "promote":
            generation = generations.promote(
                connection,
                means.clickhouse,
                means.catalogue,
                name,
                cluster=means.cluster,
                force=request.force,
                also=lambda made: done(connection, generation=made),
            )
            return Outcome(generation)
        case "rollback":
            return _roll_back(connection, means, request)
        case "verify":
            report = verify(connection, means.clickhouse, means.catalogue, name, watch)
            done(connection, generation=report.rebuilt, result=as_result(report))
            return Outcome(report.rebuilt, report)
        case other:
            raise NotAllowed(f"Nobody knows how to {other} a projection.")


def finish(
    connection: Connection[Any], request: Request, generation: int | None = None, result: dict[str, Any] | None = None
) -> None:
    """Ends the row as done, in the caller's transaction. Raises `Lost` when it has ended already."""
    if not _end(connection, request.id, "done", generation=generation, result=result):
        raise Lost(f"request {request.id} was ended by somebody else")


def refuse(connection: Connection[Any], request: Request, why: str) -> None:
    """Ends the row: what was asked does not fit the present state."""
    _end(connection, request.id, "refused", error=why)


def stop(connection: Connection[Any], request: Request) -> None:
    """Ends a comparison that somebody asked to stop."""
    _end(connection, request.id, "cancelled", error="cancelled")


def put_back(connection: Connection[Any], request: Request, why: str) -> None:
    """An engine was away: to be tried again a little later."""
    connection.execute(
        "update engine.request set lease_until = now() + interval '2 seconds', error = %s "
        "where id = %s and state = 'running'",
        (why[:2000], request.id),
    )


def note_progress(connection: Connection[Any], request: Request, report: Report, steps: int) -> None:
    """Shows how far a comparison is, and keeps the request. Raises `Cancelled` or `Lost`."""
    row = connection.execute(
        "update engine.request set progress = %s, lease_until = now() + make_interval(secs => %s) "
        "where id = %s and state = 'running' returning cancel_requested_at is not null",
        (Jsonb({"done": len(report.hashes), "of": steps, **as_result(report)}), LEASE_S, request.id),
    ).fetchone()
    if row is None:
        raise Lost(f"request {request.id} was ended by somebody else")
    if row[0]:
        raise Cancelled


def as_result(report: Report) -> dict[str, Any]:
    """The comparison as pages show it: one entry per table."""
    found = [vars(one) for one in report.differences]
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
                "differences": sum(one["table"] == table for one in found),
                "sums": [
                    {"column": column, "live": str(live), "rebuilt": str(rebuilt)}
                    for column, (live, rebuilt) in report.sums.get(table, {}).items()
                ],
            }
            for table, hashed in report.hashes.items()
        ],
        "differences": found[:SHOWN_DIFFERENCES],
        "differenceCount": len(found),
    }


def _roll_back(connection: Connection[Any], means: Means, request: Request) -> Outcome:
    def also(generation: int, *, is_live: bool) -> None:
        if is_live:
            finish(connection, request, generation=generation)
            return
        connection.execute(
            "update engine.request set generation = %s where id = %s and state = 'running'", (generation, request.id)
        )

    target = generations.rollback(
        connection, means.clickhouse, means.catalogue, request.projection, cluster=means.cluster, also=also
    )
    return Outcome(target.generation, is_done=target.state == "live")


def _accepted(means: Means, name: str) -> list[tuple[str, int, int]]:
    projection = means.catalogue.projections.get(name)
    if projection is None:
        return []
    ends = [(place, means.end_of(place)) for place in places(projection)]
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
    if ended.rowcount:
        connection.execute("select pg_notify(%s, '')", (RECORDED,))
    return bool(ended.rowcount)
