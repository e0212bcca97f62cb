"""Group commit of positions: the steps of many workers in one statement.

A decided event wakes every read model, and for most of them nothing is to be stored but that they have seen it. Sixty
workers with a statement each took 40 ms of processor time for every command, while its sender waits for the one read
model that shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Lock
from typing import Any

from psycopg import Connection
from psycopg_pool import ConnectionPool

from infra.kernel.subscriptions import positions
from infra.kernel.subscriptions.positions import Advance, Step, WorkerKey


class GroupCommit:
    """Thread-safe. The first worker to come stores its step at once; those that come meanwhile are stored together."""

    def __init__(self, pool: ConnectionPool[Connection[Any]]) -> None:
        self._pool = pool
        self._waiting: list[tuple[Advance, Future[bool]]] = []
        self._entering = Lock()
        self._storing = Lock()

    def advance(self, key: WorkerKey, step: Step, *, notify: bool) -> None:
        """Moves the position as `positions.advance` does, where nothing else is to be stored; returns once it is
        committed. Raises `Fenced`, `BarrierReached` and psycopg's errors."""
        moved = Future[bool]()
        with self._entering:
            self._waiting.append((Advance(key, step, notify), moved))
        with self._storing:
            if not moved.done():
                self._store()
        if not moved.result():
            self._advance_alone(key, step, notify=notify)

    def _store(self) -> None:
        with self._entering:
            waiting, self._waiting = self._waiting, []
        try:
            with _own_statement(self._pool) as connection:
                keys = positions.advance_all(connection, [each for each, _ in waiting])
        except BaseException as error:
            for _, moved in waiting:
                moved.set_exception(error)
            raise
        for each, moved in waiting:
            moved.set_result(each.key in keys)

    def _advance_alone(self, key: WorkerKey, step: Step, *, notify: bool) -> None:
        """Finds out why the position did not move: held, another's, or its row was locked for a moment."""
        with _own_statement(self._pool) as connection:
            positions.advance(connection, key, step, notify=notify)


@contextmanager
def _own_statement(pool: ConnectionPool[Connection[Any]]) -> Iterator[Connection[Any]]:
    """A connection whose statement is a transaction: one round trip."""
    with pool.connection() as connection:
        connection.autocommit = True
        try:
            yield connection
        finally:
            connection.autocommit = False
