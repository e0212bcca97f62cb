"""How many queries may run and wait at once, and how many requests may be under way before they are complete.

A place is taken only when the request is complete: whoever sends slowly, or never ends, keeps nobody else waiting.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

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
        """From now on nobody gets in but inserts whose data was arriving already; who is in may finish."""
        self._stopping = True

    def check(self) -> None:
        """Raises `ClickHouseError` 734 when stopping."""
        if self._stopping:
            raise error(SERVER_STOPPING, "The server is stopping")

    @asynccontextmanager
    async def slot(self, *, begun: bool = False) -> AsyncIterator[None]:
        """Room for one query. Raises `ClickHouseError` 202 when the queue is full or too slow, 734 when stopping,
        unless it has `begun`: it was there before."""
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
        return error(TOO_MANY_SIMULTANEOUS_QUERIES, f"Too many simultaneous queries. Maximum: {self._limit}")


class Incomplete:
    """Requests whose bodies are still on their way."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._now: Counter[str] = Counter()

    @contextmanager
    def one(self, user: str, most: int) -> Iterator[None]:
        """Room for one more of a user who may have `most`. Raises `ClickHouseError` 202."""
        if self._now[user] >= most or self._now.total() >= self._most:
            raise error(TOO_MANY_SIMULTANEOUS_QUERIES, f"Too many incomplete requests. Maximum: {most}")
        self._now[user] += 1
        try:
            yield
        finally:
            self._now[user] -= 1
            if not self._now[user]:
                del self._now[user]


@dataclass(eq=False)
class _Waiting:
    account: str
    turn: asyncio.Event = field(default_factory=asyncio.Event)


class Places:
    """Room for analysts' statements. Of those that wait, the account with the fewest places has the next turn."""

    def __init__(self, places: int, of_account: int, waiting: int, wait_s: float) -> None:
        self._free = places
        self._of_account = of_account
        self._most_waiting = waiting
        self._wait_s = wait_s
        self._taken: Counter[str] = Counter()
        self._waiting: list[_Waiting] = []
        self.stopping = False

    def stop(self) -> None:
        """From now on nobody gets in; who waits is refused."""
        self.stopping = True
        for waiting in self._waiting:
            waiting.turn.set()

    @asynccontextmanager
    async def place(self, account: str, given_up: asyncio.Event) -> AsyncIterator[None]:
        """One place; returns at once without one when `given_up`. Raises `ClickHouseError` 202 or 734."""
        waiting = _Waiting(account)
        await self._turn(waiting, given_up)
        try:
            yield
        finally:
            if waiting.turn.is_set() and not self.stopping:
                self._taken[account] -= 1
                if not self._taken[account]:
                    del self._taken[account]
                self._free += 1
                self._next()

    async def _turn(self, waiting: _Waiting, given_up: asyncio.Event) -> None:
        if self.stopping:
            raise error(SERVER_STOPPING, "The server is stopping")
        if len(self._waiting) >= self._most_waiting:
            raise self._refusal()
        self._waiting.append(waiting)
        self._next()
        if waiting.turn.is_set():
            return
        ways = {asyncio.ensure_future(waiting.turn.wait()), asyncio.ensure_future(given_up.wait())}
        try:
            await asyncio.wait(ways, timeout=self._wait_s, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._leave(waiting)
            raise
        finally:
            for way in ways:
                way.cancel()
        if self.stopping:
            raise error(SERVER_STOPPING, "The server is stopping")
        if waiting.turn.is_set():
            return
        self._leave(waiting)
        if not given_up.is_set():
            raise self._refusal()

    def _leave(self, waiting: _Waiting) -> None:
        """It waits no more, and gives back what it may just have got."""
        if waiting in self._waiting:
            self._waiting.remove(waiting)
        elif waiting.turn.is_set():
            waiting.turn.clear()
            self._taken[waiting.account] -= 1
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
            first.turn.set()

    def _refusal(self) -> Exception:
        return error(TOO_MANY_SIMULTANEOUS_QUERIES, "Too many simultaneous queries of analysts; please try again")
