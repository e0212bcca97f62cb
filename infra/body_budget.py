"""How much memory the bodies of all requests under way may take together, in one process.

A body up to `FREE_BYTES` needs no room: such requests are answered however many large ones are sent. A larger one gets
room for all of itself before more of it is read, first come first served; until then its sender is not read from.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

FREE_BYTES: Final = 64 * 1024
MOST_BYTES: Final = 160 * 1024 * 1024
"""32 images of the largest size."""
WAIT_S: Final = 5.0


class BodyBudget:
    """Lives in one event loop."""

    def __init__(self, most: int = MOST_BYTES, wait_s: float = WAIT_S) -> None:
        self._free = most
        self._wait_s = wait_s
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def take(self, size: int) -> bool:
        """Room for a body, waited for in turn; False when there was none in time."""
        if not self._waiting and size <= self._free:
            self._free -= size
            return True
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((size, place))
        try:
            async with asyncio.timeout(self._wait_s):
                await place
        except TimeoutError:
            return place.done() and not place.cancelled()  # it got its room at the last moment
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # it got its room just as the request ended
                self.give(size)
            raise
        finally:
            self._waiting = deque(one for one in self._waiting if one[1] is not place)
            self._hand_out()
        return True

    def give(self, size: int) -> None:
        """The request is answered: its room is the next one's."""
        self._free += size
        self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._free:
            size, place = self._waiting.popleft()
            if not place.done():
                self._free -= size
                place.set_result(None)
