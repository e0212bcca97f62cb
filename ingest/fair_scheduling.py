"""Fair turns on the event loop: whoever has much to do works in slices of a few milliseconds and queues in between.

One slice at most runs in each round of the loop, so requests that need little wait for one slice, not for a whole
body. The queue goes round its owners (a website, or an address without a key): the batches of one owner wait for each
other, not everybody for them.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Hashable
from time import perf_counter
from typing import Final

from ingest.refused import Refused, Unavailable
from schemas.tracking import Outcome

SLICE_S: Final = 0.001
SMALL: Final = 2 * 1024
"""A body up to this size needs no turn."""
MAX_OF_OWNER: Final = 64
MAX_WAITING: Final = 1_000
_Waiting = asyncio.Future[None]


class Turns:
    """The queue. Owned by the event loop."""

    def __init__(self, slice_s: float = SLICE_S) -> None:
        self.slice_s = slice_s
        self.granted = 0
        """Slices that were waited for."""
        self._queues: OrderedDict[Hashable, deque[_Waiting]] = OrderedDict()
        self._count = 0
        self._used_s = 0.0
        self._is_round_open = False
        self._is_granting = False

    def begin(self, owner: Hashable) -> Turn:
        """Work for `owner` begins. It may go on at once until the slices of this round of the loop are used up."""
        if not self._is_round_open:
            self._is_round_open = True
            asyncio.get_running_loop().call_soon(self._next_round)
        return Turn(self, owner, self.slice_s - self._used_s)

    def used(self, seconds: float) -> None:
        """Counts what was worked in this round."""
        self._used_s += seconds

    async def wait(self, owner: Hashable, *, is_first: bool) -> None:
        """Waits for a slice. Work that has begun goes before other work of the same owner. Raises `Refused` and
        `Unavailable` when too much waits."""
        queue = self._queues.get(owner)
        if queue is None:
            queue = self._queues[owner] = deque()
        if is_first and len(queue) >= MAX_OF_OWNER:
            raise Refused(
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

    async def before(self, body: bytes, owner: Hashable) -> None:
        """Waits for a slice when the body is large enough to take a good part of one. Raises as `wait` does."""
        if len(body) > SMALL:
            await self.wait(owner, is_first=True)

    def _next_round(self) -> None:
        self._is_round_open = False
        self._used_s = 0.0

    def _grant(self) -> None:
        """Lets the next owner go on. The slice runs in the next round of the loop, and so does the next grant."""
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


class Turn:
    """The work of one request."""

    __slots__ = ("_began", "_has_waited", "_owner", "_turns", "_until", "spent_s")

    def __init__(self, turns: Turns, owner: Hashable, left_s: float) -> None:
        self._turns = turns
        self._owner = owner
        self._began = perf_counter()
        self._until = self._began + left_s
        self._has_waited = False
        self.spent_s = 0.0
        """What was worked in the slices that are over."""

    def is_over(self) -> bool:
        """Whether the slice is used up."""
        return perf_counter() > self._until

    def end(self) -> None:
        """The slice ends here: what comes next waits for something else, or the work is done."""
        worked = perf_counter() - self._began
        self.spent_s += worked
        self._turns.used(worked)
        self._began = perf_counter()

    async def next(self) -> None:
        """Ends the slice and waits for the next one."""
        self.end()
        await self._turns.wait(self._owner, is_first=not self._has_waited)
        self._has_waited = True
        self._began = perf_counter()
        self._until = self._began + self._turns.slice_s
