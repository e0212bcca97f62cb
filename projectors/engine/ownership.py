"""Assigns partitions to workers: a Postgres advisory lock per worker, all of a process's locks on one connection.

The lock keeps a second process waiting; what keeps a zombie from harm is the compare-and-set on the position. When the
connection is lost, so are the locks: `holds` says so and workers start again. Postgres ends the connection of a process
that was killed at once, and of a machine that the network cut off after `LOCK_LOST_S`.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

import psycopg

from infra.kernel.postgres.pool import lock_options

_LOCK_CLASS = "projector:"


class Ownership:
    """The locks of this process. Thread-safe. Methods raise `psycopg.OperationalError` while Postgres is away."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._gate = Lock()
        self._connection: psycopg.Connection[Any] | None = None
        self._held: set[str] = set()

    def acquire(self, name: str) -> bool:
        """Takes the lock if it is free; False while another process holds it."""
        with self._gate:
            if name in self._held:
                return True
            row = self._query("select pg_try_advisory_lock(hashtextextended(%s, 0))", name)
            if row:
                self._held.add(name)
            return row

    def release(self, name: str) -> None:
        """Gives the lock back; without effect when this process does not hold it."""
        with self._gate:
            if name in self._held:
                self._held.discard(name)
                self._query("select pg_advisory_unlock(hashtextextended(%s, 0))", name)

    def holds(self, name: str) -> bool:
        """Answers from memory, without a query; `check` notices a lost connection."""
        with self._gate:
            return name in self._held

    def check(self) -> None:
        """Looks whether the connection lives; call it every second or so."""
        with self._gate:
            if self._held:
                self._query("select %s = %s", "")

    def close(self) -> None:
        """Closes the connection, which gives back every lock."""
        with self._gate:
            self._forget()

    def _query(self, statement: str, name: str) -> bool:
        try:
            if self._connection is None:
                options = lock_options("-c statement_timeout=5000")
                self._connection = psycopg.connect(self._url, autocommit=True, **options)
            arguments = (_LOCK_CLASS + name,) * statement.count("%s")
            row = self._connection.execute(statement.encode(), arguments).fetchone()
        except psycopg.Error:
            self._forget()
            raise
        return bool(row and row[0])

    def _forget(self) -> None:
        self._held.clear()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
