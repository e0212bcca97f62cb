"""How many queries may run and wait at once, and which of them run now (so that they can be stopped)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from infra.clickhouse_front.errors import SERVER_STOPPING, TOO_MANY_SIMULTANEOUS_QUERIES, error


class Admission:
    """A bounded number of running queries and a bounded, short queue in front of it."""

    def __init__(self, running: int, waiting: int, wait_s: float) -> None:
        self._slots = asyncio.Semaphore(running)
        self._limit = running + waiting
        self._wait_s = wait_s
        self._inside = 0
        self._stopping = False

    @property
    def stopping(self) -> bool:
        return self._stopping

    def stop(self) -> None:
        """From now on nobody gets in; who is in may finish."""
        self._stopping = True

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Room for one query. Raises `ClickHouseError` 202 when the queue is full or too slow, 734 when stopping."""
        if self._stopping:
            raise error(SERVER_STOPPING, "The server is stopping")
        if self._inside >= self._limit:
            raise self._refusal()
        self._inside += 1
        try:
            try:
                async with asyncio.timeout(self._wait_s):
                    await self._slots.acquire()
            except TimeoutError as failure:
                raise self._refusal() from failure
            try:
                yield
            finally:
                self._slots.release()
        finally:
            self._inside -= 1

    def _refusal(self) -> Exception:
        return error(TOO_MANY_SIMULTANEOUS_QUERIES, f"Too many simultaneous queries. Maximum: {self._limit}")
