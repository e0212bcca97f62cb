"""Connections to Postgres: bounded pools whose every wait has a deadline, and which keep reconnecting.

A server that hangs still accepts bytes, and its own timeouts stop with it. So a connection is checked before it is
handed to a caller, and one that waits for a response probes regularly whether the server still accepts connections.

A psycopg pool that failed to reconnect for `reconnect_timeout` stops retrying until a caller waits for a connection;
but callers that timed out still count as waiting, so once `max_waiting` have, none is admitted and nothing is
retried. Hence each pool here restarts its reconnection (`reconnect_failed`), without end and every few seconds.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any, ClassVar, Final, TypeVar

from psycopg import AsyncConnection, Connection, OperationalError
from psycopg.abc import PQGen
from psycopg.generators import execute
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult
from psycopg.rows import RowFactory, tuple_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from infra.kernel.config.settings import Settings, SettingsError

CONNECT_TIMEOUT_S = 3
STATEMENT_TIMEOUT_MS = 10_000
POOL_WAIT_S = 1.5
"""A caller learns within two seconds, end to end, that Postgres is unavailable."""
CHECK_WAIT_S = 0.5
PROBE_AFTER_S = 0.8
"""A statement that takes longer probes the server, and again after the same time."""
GREETING_WAIT_S = 1.0
"""Longer than `CHECK_WAIT_S`: a busy machine must not look like one that hangs, and both still fit into two seconds."""
LOCK_LOST_S: Final = 3
"""A machine that the network cut off gives its locks back after this time: others take its work over within five
seconds, the second between their tries included."""
CLIENT_LOST_S: Final = 4
"""The time for which a transaction of a machine that the network cut off may keep rows locked."""
RECONNECT_ROUND_S = 5.0
"""Reconnection attempts come after 1, 2, then 2 s, and then restart: the maximum delay until a recovered server is
noticed."""

_SSL_REQUEST: Final = struct.pack("!ii", 8, 80877103)
"""Every Postgres answers this with one byte, before authentication."""
_INTERVAL_S: Final = 0.1

Result = TypeVar("Result")


def required_url(settings: Settings) -> str:
    """The server's address. Raises `SettingsError` when none is named and no local stack runs."""
    if settings.postgres_url is None:
        raise SettingsError("POSTGRES_URL is not set and no stack runs here; start one with `althing up`.")
    return settings.postgres_url


def pool(
    settings: Settings,
    size: int,
    *,
    least: int = 1,
    statement_timeout_ms: int = STATEMENT_TIMEOUT_MS,
    row_factory: RowFactory[Any] = tuple_row,
    configure: Callable[[Connection[Any]], None] | None = None,
    kind: type[Pool] | None = None,
) -> Pool:
    """An open pool of at most `size` connections. Opening does not wait for the server: a service starts without
    it.

    `least` connections are kept open; with 0 the pool connects on demand. Getting a connection raises
    `psycopg_pool.PoolTimeout` after 1.5 s; a statement is cancelled after its timeout, and raises
    `psycopg.OperationalError` within 2 s when the server hangs. `configure` is called with each new connection; `kind`:
    a subclass of `Pool`.
    """
    return (kind or Pool)(
        required_url(settings),
        connection_class=ProbingConnection,
        min_size=min(least, size),
        max_size=size,
        timeout=POOL_WAIT_S,
        max_waiting=size * 16,
        max_idle=120,
        reconnect_timeout=RECONNECT_ROUND_S,
        reconnect_failed=Pool.check,
        check=check_answers,
        configure=configure,
        kwargs={**_options(statement_timeout_ms), "row_factory": row_factory},
        open=True,
    )


def connect(settings: Settings, *, statement_timeout_ms: int = STATEMENT_TIMEOUT_MS) -> Connection[Any]:
    """One connection for a short piece of work; use it as a context manager. Raises `psycopg.OperationalError`."""
    return ProbingConnection.connect(required_url(settings), **_options(statement_timeout_ms))


def check_answers(conn: Connection[Any]) -> None:
    """Raises `psycopg.OperationalError`, and closes the connection, when the server does not answer on it at once.

    Replaces psycopg's own check, which has no timeout.
    """
    try:
        conn.pgconn.send_query(b"")
        _expect_nothing(conn.wait(execute(conn.pgconn), timeout=CHECK_WAIT_S))
    except OperationalError:
        conn.close()
        raise


async def check_answers_async(conn: AsyncConnection[Any]) -> None:
    """The same for asyncio."""
    try:
        conn.pgconn.send_query(b"")
        _expect_nothing(await conn.wait(execute(conn.pgconn), timeout=CHECK_WAIT_S))
    except OperationalError:
        await conn.close()
        raise


def row_values(row: Any) -> tuple[Any, ...]:
    """The row's columns in order, whichever row factory the connection has."""
    return tuple(row.values()) if isinstance(row, Mapping) else tuple(row)


class Pool(ConnectionPool[Connection[Any]]):
    """A pool that also checks its idle connections (`check`) with a timeout."""

    check_connection = staticmethod(check_answers)


class AsyncPool(AsyncConnectionPool[AsyncConnection[Any]]):
    """The same for asyncio."""

    check_connection = staticmethod(check_answers_async)


class ProbingConnection(Connection[Any]):
    """Closes itself when a response is pending while the server does not accept new connections.

    The pending statement may still be executed once the server recovers: the outcome is unknown, as with any broken
    connection.
    """

    def wait(self, gen: PQGen[Result], interval: float = _INTERVAL_S, timeout: float | None = None) -> Result:
        """psycopg's wait for every answer, which also probes whether the server accepts connections."""
        try:
            return super().wait(self._probing(gen), interval, timeout)
        except OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.close()
            raise

    def _probing(self, gen: PQGen[Result]) -> PQGen[Result]:
        ask_at = monotonic() + PROBE_AFTER_S
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and monotonic() >= ask_at:
                    if not _greets(self.info.hostaddr or self.info.host, self.info.port):
                        raise OperationalError("the server hangs")
                    ask_at = monotonic() + PROBE_AFTER_S
                wanted = gen.send(ready)
        except StopIteration as done:
            result: Result = done.value
            return result


class DeadlineConnection(AsyncConnection[Any]):
    """Closes itself when a response takes longer than `DEADLINE_S`, which exceeds every statement timeout."""

    DEADLINE_S: ClassVar[float] = 2.5

    async def wait(
        self,
        gen: PQGen[Result],
        interval: float = _INTERVAL_S,
        timeout: float | None = None,  # noqa: ASYNC109 - psycopg's own
    ) -> Result:
        """psycopg's wait for every answer, at most `DEADLINE_S` unless the caller sets a timeout."""
        try:
            return await super().wait(gen, interval, self.DEADLINE_S if timeout is None else timeout)
        except OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                await self.close()
            raise


def _expect_nothing(results: Sequence[PGresult]) -> None:
    for result in results:
        if result.status != ExecStatus.EMPTY_QUERY:
            raise OperationalError(result.get_error_message())


def _greets(host: str, port: int) -> bool:
    """Returns whether a Postgres at that address (a host, or the folder of its Unix socket) answers a newcomer at
    once."""
    path = f"{host}/.s.PGSQL.{port}" if host.startswith("/") else None
    try:
        with socket.socket(socket.AF_UNIX) if path else socket.create_connection((host, port), GREETING_WAIT_S) as link:
            if path:
                link.settimeout(GREETING_WAIT_S)
                link.connect(path)
            link.sendall(_SSL_REQUEST)
            return link.recv(1) != b""
    except OSError:
        return False


def lock_options(server_settings: str) -> dict[str, Any]:
    """Options of a connection that holds advisory locks of the session. Each side ends it within `LOCK_LOST_S` when the
    other one has vanished without a word, so that another process gets the locks."""
    return {
        "connect_timeout": CONNECT_TIMEOUT_S,
        "options": f"{server_settings} {_server_keepalives(LOCK_LOST_S)}",
        "keepalives_idle": 1,
        "keepalives_interval": 1,
        "keepalives_count": LOCK_LOST_S - 1,
        "tcp_user_timeout": LOCK_LOST_S * 1000,
    }


def _server_keepalives(lost_s: int) -> str:
    """Settings by which the server ends the session of a client that has vanished, with its locks and transaction."""
    return (
        f"-c tcp_keepalives_idle=1 -c tcp_keepalives_interval=1 -c tcp_keepalives_count={lost_s - 1} "
        f"-c tcp_user_timeout={lost_s * 1000}"
    )


def _options(statement_timeout_ms: int) -> dict[str, Any]:
    return {
        "connect_timeout": CONNECT_TIMEOUT_S,
        "options": f"-c statement_timeout={statement_timeout_ms} -c TimeZone=UTC {_server_keepalives(CLIENT_LOST_S)}",
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 15_000,
    }
