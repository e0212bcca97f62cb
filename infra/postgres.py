"""How services reach Postgres: bounded pools whose every wait has an end, and which never give the server up.

A pool of psycopg's that failed to reconnect for `reconnect_timeout` stops trying until somebody waits for a connection;
but whoever waited in vain still counts as waiting, so once `max_waiting` have, nobody is let in and nothing is tried
any more. Hence each pool here begins anew (`reconnect_failed`), without end and every few seconds.
"""

from __future__ import annotations

import select
from time import monotonic
from typing import Any

from psycopg import AsyncConnection, Connection, OperationalError
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from infra.settings import Settings, SettingsError

CONNECT_TIMEOUT_S = 3
STATEMENT_TIMEOUT_MS = 10_000
POOL_WAIT_S = 1.5
"""So that a caller hears within two seconds, on the whole way, that Postgres is away."""
CHECK_WAIT_S = 0.5
RECONNECT_ROUND_S = 5.0
"""Tries lie 1, 2, then 2 s apart, and then begin anew: so long at most it takes to see that the server is back."""


def required_url(settings: Settings) -> str:
    """The server's address. Raises `SettingsError` when none is named and no local stack runs."""
    if settings.postgres_url is None:
        raise SettingsError("POSTGRES_URL is not set and no stack runs here; start one with `althing up`.")
    return settings.postgres_url


def pool(
    settings: Settings, size: int, *, statement_timeout_ms: int = STATEMENT_TIMEOUT_MS
) -> ConnectionPool[Connection[Any]]:
    """An open pool of at most `size` connections. Opening does not wait for the server: a service starts without it.

    Getting a connection raises `psycopg_pool.PoolTimeout` after 1.5 s; a statement is cancelled after its timeout.
    """
    return ConnectionPool(
        required_url(settings),
        min_size=min(1, size),
        max_size=size,
        timeout=POOL_WAIT_S,
        max_waiting=size * 16,
        max_idle=120,
        reconnect_timeout=RECONNECT_ROUND_S,
        reconnect_failed=ConnectionPool.check,
        check=check_answers,
        kwargs=_options(statement_timeout_ms),
        open=True,
    )


def async_pool(
    settings: Settings, size: int, *, statement_timeout_ms: int = STATEMENT_TIMEOUT_MS
) -> AsyncConnectionPool[AsyncConnection[Any]]:
    """The same for asyncio; `await pool.open()` and `await pool.close()` belong to the caller's lifespan."""
    return AsyncConnectionPool(
        required_url(settings),
        min_size=min(1, size),
        max_size=size,
        timeout=POOL_WAIT_S,
        max_waiting=size * 16,
        max_idle=120,
        reconnect_timeout=RECONNECT_ROUND_S,
        reconnect_failed=AsyncConnectionPool.check,
        check=AsyncConnectionPool.check_connection,
        kwargs=_options(statement_timeout_ms),
        open=False,
    )


def connect(settings: Settings, *, statement_timeout_ms: int = STATEMENT_TIMEOUT_MS) -> Connection[Any]:
    """One connection for a short piece of work; use it as a context manager. Raises `psycopg.OperationalError`."""
    return Connection.connect(required_url(settings), **_options(statement_timeout_ms))


def check_answers(connection: Connection[Any]) -> None:
    """Raises `psycopg.OperationalError`, and closes the connection, when the server does not answer on it at once.

    For pools, in place of psycopg's own check, which waits for ever for a server that hangs.
    """
    link = connection.pgconn
    try:
        link.send_query(b"")
        link.flush()
        _await_results(link, monotonic() + CHECK_WAIT_S)
    except OperationalError:
        connection.close()
        raise


def _await_results(link: PGconn, deadline: float) -> None:
    poll = select.poll()
    poll.register(link.socket, select.POLLIN)
    while True:
        while link.is_busy():
            if not poll.poll(max(0.0, deadline - monotonic()) * 1000):
                raise OperationalError("the server does not answer")
            link.consume_input()
        result = link.get_result()
        if result is None:
            return
        if result.status != ExecStatus.EMPTY_QUERY:
            raise OperationalError(link.get_error_message())


def _options(statement_timeout_ms: int) -> dict[str, Any]:
    return {
        "connect_timeout": CONNECT_TIMEOUT_S,
        "options": f"-c statement_timeout={statement_timeout_ms} -c TimeZone=UTC",
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 15_000,
    }
