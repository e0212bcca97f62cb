"""Lanes: the requests of a service by what they are for, each lane with threads that no other lane can take.

A request enters its lane before it is parsed and leaves it when it is answered. While a lane is full, further requests
wait in a bounded queue; those of other lanes go on. Connections follow the lane (`infra.kernel.http.lane_pools`).
A lane in which requests wait, and none has got a thread for `STALLED_AFTER_S`, makes the process report itself as hung
on `/livez`: the supervisor restarts it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Final

from anyio import CapacityLimiter, WouldBlock
from prometheus_client import Counter

from infra.kernel.http.worker_slots import MAX_WAITING as MAX_LENT
from infra.kernel.http.worker_slots import bind_slot

MAX_WAITING: Final = 64
"""Requests that wait for a thread of one lane; further ones are refused at once."""
WAIT_S: Final = 8.0
STALLED_AFTER_S: Final = 30.0
_FOR_HEALTH: Final = 4
_REFUSED = Counter("requests_refused_by_lane_total", "Requests that got no thread of their lane", ["lane"])

_LANE: ContextVar[str] = ContextVar("lane", default="")


def current_lane() -> str:
    """The lane of the request that this code runs for; empty outside requests."""
    return _LANE.get()


@contextmanager
def working_in(lane: str) -> Iterator[None]:
    """The block takes the connections of this lane, without one of its threads: for health checks."""
    token = _LANE.set(lane)
    try:
        yield
    finally:
        _LANE.reset(token)


class LaneFull(Exception):
    """The lane has no thread within the time, or no place in its queue."""


class Lane:
    """Threads for one kind of request. Belongs to the event loop."""

    def __init__(self, name: str, threads: int) -> None:
        self.name = name
        self.limiter = CapacityLimiter(threads)
        """A request that lends its thread while it waits raises the limit meanwhile (`worker_slots`)."""
        self._waiting = 0
        self._starved_since: float | None = None

    @asynccontextmanager
    async def entered(self) -> AsyncIterator[None]:
        """The block has a thread of this lane. Raises `LaneFull`."""
        borrower = object()
        try:
            self.limiter.acquire_on_behalf_of_nowait(borrower)
        except WouldBlock:
            await self._wait(borrower)
        self._starved_since = None
        try:
            with working_in(self.name):
                bind_slot(self.limiter)
                yield
        finally:
            self.limiter.release_on_behalf_of(borrower)

    def stalled_s(self) -> float:
        """Returns for how long requests have waited here without any of them getting a thread; 0 while they do."""
        return 0.0 if self._starved_since is None else monotonic() - self._starved_since

    async def _wait(self, borrower: object) -> None:
        if self._starved_since is None:
            self._starved_since = monotonic()
        if self._waiting >= MAX_WAITING:
            raise self._full()
        self._waiting += 1
        try:
            async with asyncio.timeout(WAIT_S):
                await self.limiter.acquire_on_behalf_of(borrower)
        except TimeoutError:
            raise self._full() from None
        finally:
            self._waiting -= 1

    def _full(self) -> LaneFull:
        _REFUSED.labels(self.name).inc()
        return LaneFull(self.name)


class Lanes:
    """The lanes of one process by their names."""

    def __init__(self, threads: Mapping[str, int]) -> None:
        self._lanes = {name: Lane(name, number) for name, number in threads.items()}

    @property
    def threads(self) -> int:
        """The threads that a process needs for all lanes, those that wait besides their lane, and its health."""
        return sum(int(lane.limiter.total_tokens) for lane in self._lanes.values()) + MAX_LENT + _FOR_HEALTH

    def __getitem__(self, name: str) -> Lane:
        return self._lanes[name]

    def why_hung(self) -> str | None:
        """Returns the reason why this process should be restarted, or None while it serves."""
        return why_hung(self._lanes.values())


def why_hung(lanes: Iterable[Lane]) -> str | None:
    """Names the lane that has stood still for longest, if one has for `STALLED_AFTER_S`."""
    slowest = max(lanes, key=Lane.stalled_s, default=None)
    if slowest is None or slowest.stalled_s() < STALLED_AFTER_S:
        return None
    return f"requests of lane {slowest.name} have got no thread for {slowest.stalled_s():.0f} s"
