"""How services reach Postgres: bounded pools whose every wait has an end, and which never give the server up.

A server that hangs accepts bytes for ever, and its own timeouts stand still with it. So a connection is tried before it
is given out, and one that waits for an answer asks now and then whether the server still greets newcomers.

A pool of psycopg's that failed to reconnect for `reconnect_timeout` stops trying until somebody waits for a connection;
but whoever waited in vain still counts as waiting, so once `max_waiting` have, nobody is let in and nothing is tried
any more. Hence each pool here begins anew (`reconnect_failed`), without end and every few seconds.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, ClassVar, Final, TypeVar

from psycopg import AsyncConnection, Connection, OperationalError
from psycopg.abc import PQGen
from psycopg.generators import execute
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult
from psycopg.rows import RowFactory, tuple_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from infra.settings import Settings, SettingsError

CONNECT_TIMEOUT_S = 3
STATEMENT_TIMEOUT_MS = 10_000
POOL_WAIT_S = 1.5
"""So that a caller hears within two seconds, on the whole way, that Postgres is away."""
CHECK_WAIT_S = 0.5
ASK_AFTER_S = 0.8
"""A statement that takes longer has the server asked whether it lives, and again after as long."""
GREETING_WAIT_S = 1.0
"""Longer than `CHECK_WAIT_S`: a busy machine must not look like one that hangs, and both still fit into two seconds."""
RECONNECT_ROUND_S = 5.0
"""Tries lie 1, 2, then 2 s apart, and then begin anew: so long at most it takes to see that the server is back."""

_SSL_REQUEST: Final = struct.pack("!ii", 8, 80877103)
"""What every Postgres answers with one byte, before it asks who is there."""
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
) -> ConnectionPool[Connection[Any]]:
    """An open pool of at most `size` connections. Opening does not wait for the server: a service starts without it.
    `least` are kept open; with 0 the server is asked only when somebody needs it.

    Getting a connection raises `psycopg_pool.PoolTimeout` after 1.5 s; a statement is cancelled after its timeout, and
    raises `psycopg.OperationalError` within 2 s when the server hangs. `configure` is called with each new connection.
    """
    return Pool(
        required_url(settings),
        connection_class=AskingConnection,
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
    return AskingConnection.connect(required_url(settings), **_options(statement_timeout_ms))


def check_answers(conn: Connection[Any]) -> None:
    """Raises `psycopg.OperationalError`, and closes the connection, when the server does not answer on it at once.

    For pools, in place of psycopg's own check, which waits for ever for a server that hangs.
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


class Pool(ConnectionPool[Connection[Any]]):
    """A pool that also looks through its idle connections (`check`) without waiting for ever."""

    check_connection = staticmethod(check_answers)


class AsyncPool(AsyncConnectionPool[AsyncConnection[Any]]):
    """The same for asyncio."""

    check_connection = staticmethod(check_answers_async)


class AskingConnection(Connection[Any]):
    """Gives up, and closes, when it waits for an answer while the server does not even greet newcomers.

    What was sent may still be done once the server goes on: nobody knows, as with any connection that breaks.
    """

    def wait(self, gen: PQGen[Result], interval: float = _INTERVAL_S, timeout: float | None = None) -> Result:
        try:
            return super().wait(self._asking(gen), interval, timeout)
        except OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.close()
            raise

    def _asking(self, gen: PQGen[Result]) -> PQGen[Result]:
        ask_at = monotonic() + ASK_AFTER_S
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and monotonic() >= ask_at:
                    if not _greets(self.info.hostaddr or self.info.host, self.info.port):
                        raise OperationalError("the server hangs")
                    ask_at = monotonic() + ASK_AFTER_S
                wanted = gen.send(ready)
        except StopIteration as done:
            result: Result = done.value
            return result


class ImpatientConnection(AsyncConnection[Any]):
    """Gives up, and closes, when an answer takes longer than `LONGEST_S`, which is past every statement's timeout."""

    LONGEST_S: ClassVar[float] = 2.5

    async def wait(
        self,
        gen: PQGen[Result],
        interval: float = _INTERVAL_S,
        timeout: float | None = None,  # noqa: ASYNC109 - psycopg's own
    ) -> Result:
        try:
            return await super().wait(gen, interval, self.LONGEST_S if timeout is None else timeout)
        except OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                await self.close()
            raise


def _expect_nothing(results: Sequence[PGresult]) -> None:
    for result in results:
        if result.status != ExecStatus.EMPTY_QUERY:
            raise OperationalError(result.get_error_message())


def _greets(host: str, port: int) -> bool:
    """Whether a Postgres at that address (a host, or the folder of its Unix socket) answers a newcomer at once."""
    try:
        with _newcomer(host, port) as link:
            link.sendall(_SSL_REQUEST)
            return link.recv(1) != b""
    except OSError:
        return False


def _newcomer(host: str, port: int) -> socket.socket:
    if not host.startswith("/"):
        return socket.create_connection((host, port), GREETING_WAIT_S)
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(GREETING_WAIT_S)
    try:
        link.connect(f"{host}/.s.PGSQL.{port}")
    except OSError:
        link.close()
        raise
    return link


def _options(statement_timeout_ms: int) -> dict[str, Any]:
    return {
        "connect_timeout": CONNECT_TIMEOUT_S,
        "options": f"-c statement_timeout={statement_timeout_ms} -c TimeZone=UTC",
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 15_000,
    }
