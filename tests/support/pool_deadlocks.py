"""Detects deadlocks of connection pools: callers that wait for a connection which only they can return.

Such code works until it is crowded: with as many callers as connections each holds one and waits for another. So every
test watches the pools of its process, and fails at the first caller that could wait so.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Hashable
from typing import Any

from infra.kernel.postgres.pool import AsyncPool, Pool


class PoolDeadlock(AssertionError):
    """The code under test takes connections in a way that stands still when it is crowded."""


class PoolWatch:
    """Who holds a connection of which pool, and which pool was waited for while another was held."""

    def __init__(self) -> None:
        self._held: dict[int, tuple[Hashable, str]] = {}
        self._orders: set[tuple[str, str]] = set()
        self._gate = threading.Lock()

    def asks(self, who: Hashable, pool: str) -> None:
        with self._gate:
            for holder, held in self._held.values():
                if holder != who:
                    continue
                if held == pool:
                    raise PoolDeadlock(f"{pool}: one connection is held while another is requested")
                if (pool, held) in self._orders:
                    raise PoolDeadlock(f"{held} is held while {pool} is requested, elsewhere the other way round")
                self._orders.add((held, pool))

    def takes(self, who: Hashable, pool: str, connection: object) -> None:
        with self._gate:
            self._held[id(connection)] = (who, pool)

    def gives_back(self, connection: object) -> None:
        with self._gate:
            self._held.pop(id(connection), None)


def watch_pools() -> None:
    """From now on, for every pool of this process."""
    watch = PoolWatch()
    getconn, putconn = Pool.getconn, Pool.putconn
    async_getconn, async_putconn = AsyncPool.getconn, AsyncPool.putconn

    def take(self: Pool, timeout: float | None = None) -> Any:
        who = threading.get_ident()
        watch.asks(who, self.name)
        taken = getconn(self, timeout)
        watch.takes(who, self.name, taken)
        return taken

    def give_back(self: Pool, conn: Any) -> None:
        watch.gives_back(conn)
        putconn(self, conn)

    async def take_async(self: AsyncPool, timeout: float | None = None) -> Any:  # noqa: ASYNC109 - psycopg's own
        who = id(asyncio.current_task())
        watch.asks(who, self.name)
        taken = await async_getconn(self, timeout)
        watch.takes(who, self.name, taken)
        return taken

    async def give_back_async(self: AsyncPool, conn: Any) -> None:
        watch.gives_back(conn)
        await async_putconn(self, conn)

    Pool.getconn, Pool.putconn = take, give_back  # type: ignore[method-assign, assignment]  # watched ones, typed as far as they are used
    AsyncPool.getconn, AsyncPool.putconn = take_async, give_back_async  # type: ignore[method-assign, assignment]  # watched ones, typed as far as they are used
