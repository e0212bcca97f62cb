"""Deadlines for calls to a database that may have stopped answering.

Postgres' own timeouts work only while the server runs, and TCP notices nothing when it is frozen. So one thread
closes the connection of a call that takes too long; the call then fails with `psycopg.OperationalError`.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Final

import psycopg

_TICK_S: Final = 0.05


class Deadlines:
    """Watches the calls of one `PostgresLog`; `close` ends the thread."""

    def __init__(self) -> None:
        self._open: dict[int, tuple[float, psycopg.Connection[Any]]] = {}
        self._lock = Lock()
        self._closing = Event()
        self._thread = Thread(target=self._watch, name="postgres-log-deadlines", daemon=True)
        self._thread.start()

    @contextmanager
    def within(self, seconds: float, connection: psycopg.Connection[Any]) -> Iterator[None]:
        """The block may use `connection` for this long."""
        with self._lock:
            self._open[id(connection)] = (monotonic() + seconds, connection)
        try:
            yield
        finally:
            with self._lock:
                self._open.pop(id(connection), None)

    def close(self) -> None:
        """Ends the watching thread; open deadlines are no longer enforced."""
        self._closing.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._closing.wait(_TICK_S):
            now = monotonic()
            with self._lock:  # held while ending, so that no other call uses the connection's number by then
                for name, (deadline, connection) in list(self._open.items()):
                    if deadline < now:
                        del self._open[name]
                        _end(connection)


def _end(connection: psycopg.Connection[Any]) -> None:
    with suppress(psycopg.OperationalError, OSError), socket.socket(fileno=socket.dup(connection.fileno())) as copy:
        copy.shutdown(socket.SHUT_RDWR)
