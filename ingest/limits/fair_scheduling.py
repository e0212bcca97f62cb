"""Fair scheduling on the event loop: large requests run in time slices of a few milliseconds and queue in between.

At most one slice runs in each iteration of the loop, so small requests wait for one slice, not for a whole body. The
queue is round-robin over owners (a website, or an address without a key): the batches of one owner wait for each other
and do not delay other owners.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Hashable
from time import perf_counter
from typing import Final

from ingest.errors import EventRejected, Unavailable
from schemas.tracking import Outcome

SLICE_S: Final = 0.001
SMALL: Final = 2 * 1024
"""A body up to this size needs no time slice."""
MAX_OF_OWNER: Final = 64
MAX_WAITING: Final = 1_000
_Waiting = asyncio.Future[None]


class FairScheduler:
    """The queue. Owned by the event loop."""

    def __init__(self, slice_s: float = SLICE_S) -> None:
        self.slice_s = slice_s
        self.granted = 0
        """Slices that were granted after a wait."""
        self._queues: OrderedDict[Hashable, deque[_Waiting]] = OrderedDict()
        self._count = 0
        self._used_s = 0.0
        self._is_round_open = False
        self._is_granting = False

    def begin(self, owner: Hashable) -> TimeSlice:
        """Starts work for `owner`, which may run immediately until the slices of this loop iteration are used up."""
        if not self._is_round_open:
            self._is_round_open = True
            asyncio.get_running_loop().call_soon(self._next_round)
        return TimeSlice(self, owner, self.slice_s - self._used_s)

    def used(self, seconds: float) -> None:
        """Adds the time that was used in this iteration."""
        self._used_s += seconds

    async def wait(self, owner: Hashable, *, is_first: bool) -> None:
        """Waits for a slice. Started work precedes other work of the same owner. Raises `EventRejected` and
        `Unavailable` when too many requests wait."""
        queue = self._queues.get(owner)
        if queue is None:
            queue = self._queues[owner] = deque()
        if is_first and len(queue) >= MAX_OF_OWNER:
            raise EventRejected(
                Outcome.THROTTLED, "throttled", "Too many batches are sent at once.", status=429, retry_after=1
            )
        if is_first and self._count >= MAX_WAITING:
            raise Unavailable("busy", "Too many batches wait; please try again.")
        waiting: _Waiting = asyncio.get_running_loop().create_future()
        if is_first:
            queue.append(waiting)
        else:
            queue.appendleft(waiting)
        self._count += 1
        if not self._is_granting:
            self._is_granting = True
            asyncio.get_running_loop().call_soon(self._grant)
        await waiting

    async def wait_if_large(self, body: bytes, owner: Hashable) -> None:
        """Waits for a slice if the body is not small. Raises as `wait` does."""
        if len(body) > SMALL:
            await self.wait(owner, is_first=True)

    def _next_round(self) -> None:
        self._is_round_open = False
        self._used_s = 0.0

    def _grant(self) -> None:
        """Grants a slice to the next owner. The slice and the next grant run in the next iteration of the loop."""
        while self._queues:
            owner, queue = self._queues.popitem(last=False)
            waiting = queue.popleft()
            self._count -= 1
            if queue:
                self._queues[owner] = queue
            if not waiting.done():
                self.granted += 1
                waiting.set_result(None)
                asyncio.get_running_loop().call_soon(self._grant)
                return
        self._is_granting = False


class TimeSlice:
    """The work of one request."""

    __slots__ = ("_began", "_has_waited", "_owner", "_scheduler", "_until", "spent_s")

    def __init__(self, scheduler: FairScheduler, owner: Hashable, left_s: float) -> None:
        self._scheduler = scheduler
        self._owner = owner
        self._began = perf_counter()
        self._until = self._began + left_s
        self._has_waited = False
        self.spent_s = 0.0
        """Time used in finished slices."""

    def is_over(self) -> bool:
        """Returns whether the slice is used up."""
        return perf_counter() > self._until

    def end(self) -> None:
        """Ends the slice, before the request waits for something else or is done."""
        worked = perf_counter() - self._began
        self.spent_s += worked
        self._scheduler.used(worked)
        self._began = perf_counter()

    async def next(self) -> None:
        """Ends the slice and waits for the next one."""
        self.end()
        await self._scheduler.wait(self._owner, is_first=not self._has_waited)
        self._has_waited = True
        self._began = perf_counter()
        self._until = self._began + self._scheduler.slice_s
