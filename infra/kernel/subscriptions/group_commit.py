"""Group commit of positions: the steps of many workers in one statement.

A decided event wakes every read model, and for most of them nothing is to be stored but that they have seen it. Sixty
workers with a statement each took 40 ms of processor time for every command, while its sender waits for the one read
model that shows it.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any

from psycopg import Connection
from psycopg_pool import ConnectionPool

from infra.kernel.subscriptions import positions
from infra.kernel.subscriptions.positions import Key, Step


@dataclass(eq=False)
class _Entry:
    """One worker's step. `moved` is None until the statement has run."""

    key: Key
    step: Step
    notify: bool
    moved: bool | None = None
    error: BaseException | None = None


class GroupCommit:
    """Thread-safe. The first worker to come stores its step at once; those that come meanwhile are stored together."""

    def __init__(self, pool: ConnectionPool[Connection[Any]]) -> None:
        self._pool = pool
        self._entries: list[_Entry] = []
        self._entering = Lock()
        self._storing = Lock()

    def advance(self, key: Key, step: Step, *, notify: bool) -> None:
        """Moves the position as `positions.advance` does, where nothing else is to be stored; returns once it is
        committed. Raises `Fenced`, `BarrierReached` and psycopg's errors."""
        entry = _Entry(key, step, notify)
        with self._entering:
            self._entries.append(entry)
        with self._storing:
            if entry.moved is None:
                self._store()
        if entry.error is not None:
            raise entry.error
        if not entry.moved:
            self._advance_alone(entry)

    def _store(self) -> None:
        with self._entering:
            entries, self._entries = self._entries, []
        try:
            with _own_statement(self._pool) as connection:
                found = connection.execute(_ADVANCE_ALL, _columns(entries)).fetchall()
                moved = {row[:4] for row in found}
        except BaseException as error:
            for entry in entries:
                entry.moved, entry.error = False, error
            raise
        for entry in entries:
            entry.moved = (entry.key.projection, entry.key.generation, entry.key.topic, entry.key.partition) in moved

    def _advance_alone(self, entry: _Entry) -> None:
        """Finds out why the position did not move: held, another's, or its row was locked for a moment."""
        with _own_statement(self._pool) as connection:
            positions.advance(connection, entry.key, entry.step, notify=entry.notify)


@contextmanager
def _own_statement(pool: ConnectionPool[Connection[Any]]) -> Iterator[Connection[Any]]:
    """A connection whose statement is a transaction: one round trip."""
    with pool.connection() as connection:
        connection.autocommit = True
        try:
            yield connection
        finally:
            connection.autocommit = False


def _columns(entries: Sequence[_Entry]) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"notify": [entry.notify for entry in entries]}
    for name in ("projection", "generation", "topic", "partition"):
        columns[name] = [getattr(entry.key, name) for entry in entries]
    for name in ("first", "last", "domain_position", "record_at", "records", "rate"):
        columns[name] = [getattr(entry.step, name) for entry in entries]
    return columns


# Locked rows are left out, so that no worker waits for a transaction that concerns another one.
_ADVANCE_ALL = f"""
with step as (
    select * from unnest(
        %(projection)s::text[], %(generation)s::int[], %(topic)s::text[], %(partition)s::int[], %(first)s::bigint[],
        %(last)s::bigint[], %(domain_position)s::bigint[], %(record_at)s::timestamptz[], %(records)s::bigint[],
        %(rate)s::real[], %(notify)s::bool[]
    ) as step (
        projection, generation, topic, partition, first, last, domain_position, record_at, records, rate, notify
    )
), free as (
    select step.* from engine.position join step using (projection, generation, topic, partition)
    where next_offset = step.first and intent_to is null
        and ({positions.STOP} is null or step.last < {positions.STOP})
    for update of position skip locked
), moved as (
    update engine.position set next_offset = free.last + 1, updated_at = now(), record_at = free.record_at, error = '',
        domain_position = free.domain_position, processed = processed + free.records, rate = free.rate
    from free where (position.projection, position.generation, position.topic, position.partition)
        = (free.projection, free.generation, free.topic, free.partition)
    returning free.*
)
select projection, generation, topic, partition, case when notify then {positions.tell("last + 1")} end from moved
"""
