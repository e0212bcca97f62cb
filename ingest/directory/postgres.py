"""Ingest's queries to Postgres, each with a timeout; Postgres may be unavailable at any time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import psycopg
from psycopg.rows import TupleRow
from psycopg_pool import PoolTimeout

from infra.kernel.postgres.pool import RECONNECT_ROUND_S, AsyncPool, DeadlineConnection
from ingest.errors import Unavailable

TIMEOUT_S: Final = 2.0
OPTIONS: Final = f"-c statement_timeout={int(TIMEOUT_S * 1000)} -c lock_timeout=1000"


class Postgres:
    """A small pool of connections. Every failure to answer in time is `Unavailable`."""

    def __init__(self, url: str | None, *, size: int = 8, least: int = 1) -> None:
        """Opens at most `size` connections; `least` are kept open, with 0 it connects on demand."""
        self._pool = (
            None
            if url is None
            else AsyncPool(
                url,
                connection_class=DeadlineConnection,
                min_size=least,
                max_size=size,
                open=False,
                timeout=TIMEOUT_S,
                max_waiting=size * 25,
                reconnect_timeout=RECONNECT_ROUND_S,
                reconnect_failed=AsyncPool.check,
                kwargs={"autocommit": True, "connect_timeout": 2, "options": OPTIONS, "prepare_threshold": 2},
                check=AsyncPool.check_connection,
            )
        )

    async def open(self) -> None:
        if self._pool is not None:
            await self._pool.open(wait=False)

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.close(timeout=1)

    async def rows(self, sql: str, params: Sequence[Any]) -> list[TupleRow]:
        """The rows that the statement returns. Raises `Unavailable`."""
        if self._pool is None:
            raise Unavailable("postgres_unavailable", "The directory cannot be asked now; please try again.")
        try:
            async with self._pool.connection(timeout=TIMEOUT_S) as connection:
                cursor = await connection.execute(sql.encode(), params)
                return await cursor.fetchall() if cursor.description else []
        except (psycopg.OperationalError, psycopg.InternalError, psycopg.ProgrammingError, PoolTimeout) as error:
            raise Unavailable("postgres_unavailable", "The directory cannot be asked now; please try again.") from error
