"""Timeouts: when a process manager is due for an aggregate. One row of `kernel.timeout` for each process and id.

A handler sets them by `UnitOfWork.set_timeout`, in the transaction of its events. A timeout that is due is taken in
the transaction of the command that it issues: of two processes that handle the same timeout one commits, and a timeout
that was set again meanwhile is due again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID, uuid5

import orjson
from psycopg import Connection, Cursor

from infra.kernel.log import StoredRecord
from infra.kernel.subscriptions import dead_letters
from infra.kernel.subscriptions.dead_letters import REFUSED, FailedRecord
from infra.kernel.subscriptions.positions import WorkerKey

CHANNEL: Final = "timeouts"
"""Postgres NOTIFY channel of timeouts that are due soon."""
TOPIC: Final = "timeouts"
"""Dead letters of process managers are listed under this topic."""
MAX_ATTEMPTS: Final = 6
"""A timeout that fails so often becomes a dead letter, unless what it needs is only unavailable."""


@dataclass(frozen=True, slots=True)
class Timeout:
    """A timeout that is due. `attempts`: how often its command failed since it was set."""

    process: str
    id: UUID
    due_at: datetime
    attempts: int = 0


class TimeoutChanged(Exception):
    """Another process or command has handled the timeout, or set it again."""


def write(cursor: Cursor[Any], process: str, id_: UUID, at: datetime | None) -> None:
    """Sets the timeout; `None` removes it."""
    if at is None:
        cursor.execute("DELETE FROM kernel.timeout WHERE process = %s AND id = %s", (process, id_))
    else:
        write_all(cursor, process, [id_], at)


def write_all(cursor: Cursor[Any], process: str, ids: Iterable[UUID], at: datetime) -> None:
    """Sets many timeouts to one time, in the order in which every transaction locks them."""
    if sorted_ids := sorted(set(ids)):
        cursor.execute(_SET, (process, at, sorted_ids))


def take(cursor: Cursor[Any], timeout: Timeout) -> None:
    """Removes a timeout in the transaction that handles it, with its dead letter. Raises `TimeoutChanged`."""
    if cursor.execute(_TAKE, (timeout.process, timeout.id, timeout.due_at)).rowcount == 0:
        raise TimeoutChanged(f"{timeout.process} {timeout.id}")
    _decide_letters(cursor.connection, timeout)


def due(
    connection: Connection[Any], process: str, now: datetime, limit: int, latest: datetime | None = None
) -> list[Timeout]:
    """The timeouts of the process that are due at `now` or lie after `latest`, the oldest first."""
    rows = connection.execute(_DUE, (process, now, latest, limit)).fetchall()
    return [Timeout(process, *row) for row in rows]


def next_due(
    connection: Connection[Any], processes: Mapping[str, datetime | None], now: datetime
) -> dict[str, datetime]:
    """Returns when each process is due next: `now` if a timeout lies after its latest time in `processes`. Those
    without a timeout are left out."""
    rows = connection.execute(_NEXT, (list(processes),)).fetchall()
    next_times = {}
    for process, first, last in rows:
        if first is not None:
            latest = processes[process]
            next_times[process] = first if latest is None or last <= latest else min(first, now)
    return next_times


def postpone(connection: Connection[Any], postponed: Iterable[tuple[Timeout, datetime]]) -> None:
    """Moves timeouts that did not fail, unless they were handled or set again meanwhile."""
    moved = sorted(postponed, key=lambda each: each[0].id)
    if moved:
        with connection.transaction(), connection.cursor() as cursor:
            cursor.executemany(_POSTPONE, [(at, each.process, each.id, each.due_at) for each, at in moved])
            for timeout, _ in moved:
                _decide_letters(connection, timeout)


def fail(connection: Connection[Any], timeout: Timeout, at: datetime, error: Exception, *, is_dead: bool) -> None:
    """Counts a failed attempt: the timeout is due again at `at`, or becomes a dead letter."""
    values = (at, is_dead, timeout.process, timeout.id, timeout.due_at)
    with connection.transaction():
        if connection.execute(_FAILED, values).rowcount == 0 or not is_dead:
            return
        why = f"{type(error).__name__}: {error}"
        for letter_id in _letters(connection, timeout):
            dead_letters.still_bad(connection, letter_id, why)
            return
        dead_letters.write(connection, _key(timeout), [FailedRecord(_as_record(timeout), REFUSED, why)])


def release(connection: Connection[Any], now: datetime) -> None:
    """Makes the timeouts due whose dead letters an admin retries; ends the letters of timeouts that are gone."""
    with connection.transaction():
        connection.execute(_RELEASE, (now, TOPIC))
        connection.execute(_END_OUTDATED, (TOPIC,))


def restore(connection: Connection[Any], process: str, ids: LiteralString, now: datetime) -> int:
    """Adds the missing timeouts of a process, due now; returns their number. `ids`: a query of all that need one."""
    return connection.execute(_RESTORE + ids + _UNLESS_PRESENT, (process, now)).rowcount


def _key(timeout: Timeout) -> WorkerKey:
    return WorkerKey(timeout.process, 0, TOPIC, 0)


def _decide_letters(connection: Connection[Any], timeout: Timeout) -> None:
    """Ends the dead letter of a timeout that was handled."""
    if timeout.attempts >= MAX_ATTEMPTS:
        dead_letters.decide(connection, _letters(connection, timeout), "retried")


def _letters(connection: Connection[Any], timeout: Timeout) -> list[UUID]:
    """The open dead letters of the timeout."""
    return [letter.id for letter in dead_letters.waiting_for(connection, _key(timeout), str(timeout.id).encode())]


def _as_record(timeout: Timeout) -> StoredRecord:
    """The timeout as a dead letter shows it. Timeouts have no order: the offset is derived from id and time."""
    value = orjson.dumps({"process": timeout.process, "id": timeout.id, "due_at": timeout.due_at})
    offset = uuid5(timeout.id, timeout.due_at.isoformat()).int >> 68
    return StoredRecord(TOPIC, 0, offset, 0, str(timeout.id).encode(), value, ())


_SET: Final = (
    "INSERT INTO kernel.timeout AS timeout (process, id, due_at) SELECT %s, id, %s FROM unnest(%s::uuid[]) AS id"
    " ON CONFLICT (process, id) DO UPDATE SET due_at = excluded.due_at, is_quarantined = false,"
    # A dead letter stays one until its timeout is handled.
    " attempts = CASE WHEN timeout.is_quarantined THEN timeout.attempts ELSE 0 END"
)
_TAKE: Final = "DELETE FROM kernel.timeout WHERE process = %s AND id = %s AND due_at = %s"
_DUE: Final = (
    "SELECT id, due_at, attempts FROM kernel.timeout"
    " WHERE process = %s AND (due_at <= %s OR due_at > %s) AND NOT is_quarantined ORDER BY due_at, id LIMIT %s"
)
_NEXT: Final = (
    "SELECT name, first, last FROM unnest(%s::text[]) AS name CROSS JOIN LATERAL"
    " (SELECT min(due_at), max(due_at) FROM kernel.timeout WHERE process = name AND NOT is_quarantined)"
    " AS bounds (first, last)"
)
_POSTPONE: Final = "UPDATE kernel.timeout SET due_at = %s, attempts = 0 WHERE process = %s AND id = %s AND due_at = %s"
_FAILED: Final = (
    "UPDATE kernel.timeout SET attempts = attempts + 1, due_at = %s, is_quarantined = %s"
    " WHERE process = %s AND id = %s AND due_at = %s"
)
_RELEASE: Final = (
    "UPDATE kernel.timeout AS t SET is_quarantined = false, due_at = %s FROM engine.dead_letter AS d"
    " WHERE t.is_quarantined AND d.topic = %s AND d.projection = t.process AND d.key = convert_to(t.id::text, 'UTF8')"
    " AND d.state = 'open' AND d.retry_requested_at IS NOT NULL"
)
_END_OUTDATED: Final = (
    f"UPDATE engine.dead_letter AS d SET state = 'retried', {dead_letters.DECIDED_SQL}"  # noqa: S608 - own text
    " WHERE d.topic = %s AND d.state = 'open' AND d.retry_requested_at IS NOT NULL AND NOT EXISTS ("
    "SELECT FROM kernel.timeout AS t WHERE t.process = d.projection AND d.key = convert_to(t.id::text, 'UTF8'))"
)
_RESTORE: LiteralString = "INSERT INTO kernel.timeout (process, id, due_at) SELECT %s, expected.id, %s FROM ("
_UNLESS_PRESENT: LiteralString = ") AS expected (id) ON CONFLICT DO NOTHING"
