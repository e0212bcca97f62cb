"""Admission control: limits for running and waiting queries, and for requests whose body is incomplete.

A slot is taken only when the request is complete, so slow senders do not block other clients.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from infra.services.clickhouse_server.errors import Code, error


class Admission:
    """A bounded number of running queries and a bounded, short queue in front of it."""

    def __init__(self, running: int, waiting: int, wait_s: float) -> None:
        self._slots = asyncio.Semaphore(running)
        self._limit = running + waiting
        self._wait_s = wait_s
        self._inside = 0
        self.stopping = False

    def stop(self) -> None:
        """From now on admits only inserts whose data was arriving already; running queries may finish."""
        self.stopping = True

    def check(self) -> None:
        """Raises `ClickHouseError` 734 when stopping."""
        if self.stopping:
            raise error(Code.ABORTED, "The server is stopping")

    @asynccontextmanager
    async def slot(self, *, begun: bool = False) -> AsyncIterator[None]:
        """A slot for one query. Raises `ClickHouseError` 202 when the queue is full or too slow, 734 when stopping,
        unless the request has `begun` before."""
        if not begun:
            self.check()
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
        return error(Code.TOO_MANY_SIMULTANEOUS_QUERIES, f"Too many simultaneous queries. Maximum: {self._limit}")


class IncompleteRequests:
    """Requests whose bodies are still arriving."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now: Counter[str] = Counter()

    @contextmanager
    def one(self, user: str, most: int) -> Iterator[None]:
        """Admits one more request of a user with a limit of `most`. Raises `ClickHouseError` 202."""
        if self._now[user] >= most or self._now.total() >= self._most:
            raise error(Code.TOO_MANY_SIMULTANEOUS_QUERIES, f"Too many incomplete requests. Maximum: {most}")
        self._now[user] += 1
        try:
            yield
        finally:
            self._now[user] -= 1
            if not self._now[user]:
                del self._now[user]


@dataclass(eq=False)
class _Waiter:
    account: str
    granted: asyncio.Event = field(default_factory=asyncio.Event)


class AnalystSlots:
    """Slots for analysts' statements. Among waiting statements, the account with the fewest slots is next."""

    def __init__(self, places: int, of_account: int, waiting: int, wait_s: float) -> None:
        self._free = places
        self._of_account = of_account
        self._most_waiting = waiting
        self._wait_s = wait_s
        self._taken: Counter[str] = Counter()
        self._waiting: list[_Waiter] = []
        self.stopping = False

    def stop(self) -> None:
        """From now on admits nothing; waiting statements are rejected."""
        self.stopping = True
        for waiting in self._waiting:
            waiting.granted.set()

    @asynccontextmanager
    async def place(self, account: str, cancelled: asyncio.Event) -> AsyncIterator[None]:
        """One place; returns at once without one when `cancelled`. Raises `ClickHouseError` 202 or 734."""
        waiting = _Waiter(account)
        await self._wait_for_slot(waiting, cancelled)
        try:
            yield
        finally:
            if waiting.granted.is_set() and not self.stopping:
                self._give_back(account)

    async def _wait_for_slot(self, waiting: _Waiter, cancelled: asyncio.Event) -> None:
        if self.stopping:
            raise error(Code.ABORTED, "The server is stopping")
        if len(self._waiting) >= self._most_waiting:
            raise self._refusal()
        self._waiting.append(waiting)
        self._next()
        if waiting.granted.is_set():
            return
        waits = {asyncio.ensure_future(waiting.granted.wait()), asyncio.ensure_future(cancelled.wait())}
        try:
            await asyncio.wait(waits, timeout=self._wait_s, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._leave(waiting)
            raise
        finally:
            for wait in waits:
                wait.cancel()
        if self.stopping:
            raise error(Code.ABORTED, "The server is stopping")
        if waiting.granted.is_set():
            return
        self._leave(waiting)
        if not cancelled.is_set():
            raise self._refusal()

    def _leave(self, waiting: _Waiter) -> None:
        """Stops waiting, and releases a slot that it may just have received."""
        if waiting in self._waiting:
            self._waiting.remove(waiting)
        elif waiting.granted.is_set():
            waiting.granted.clear()
            self._give_back(waiting.account)

    def _give_back(self, account: str) -> None:
        self._taken[account] -= 1
        if not self._taken[account]:
            del self._taken[account]
        self._free += 1
        self._next()

    def _next(self) -> None:
        while self._free and not self.stopping:
            may = [one for one in self._waiting if self._taken[one.account] < self._of_account]
            if not may:
                return
            first = min(may, key=lambda one: self._taken[one.account])
            self._waiting.remove(first)
            self._taken[first.account] += 1
            self._free -= 1
            first.granted.set()

    def _refusal(self) -> Exception:
        return error(Code.TOO_MANY_SIMULTANEOUS_QUERIES, "Too many simultaneous queries of analysts; please try again")
