"""Limits the memory that the bodies of all requests in progress use together, in one process.

A body up to `FREE_BYTES` needs no reservation: small requests are served however many large ones arrive. A larger
body reserves its whole size before more of it is read, first come, first served; until then the server does not read
from the client.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

FREE_BYTES: Final = 64 * 1024
MAX_BYTES: Final = 160 * 1024 * 1024
"""32 images of the largest size."""
WAIT_S: Final = 5.0


class BodyBudget:
    """Lives in one event loop."""

    def __init__(self, most: int = MAX_BYTES, wait_s: float = WAIT_S) -> None:
        self._free = most
        self._wait_s = wait_s
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def reserve(self, size: int) -> bool:
        """Reserves memory for a body, in order of arrival. False: none was free in time."""
        if not self._waiting and size <= self._free:
            self._free -= size
            return True
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((size, granted))
        try:
            async with asyncio.timeout(self._wait_s):
                await granted
        except TimeoutError:
            return granted.done() and not granted.cancelled()  # the reservation was granted at the last moment
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled():  # the reservation was granted just as the request ended
                self.release(size)
            raise
        finally:
            self._waiting = deque(one for one in self._waiting if one[1] is not granted)
            self._grant()
        return True

    def release(self, size: int) -> None:
        """Releases the memory of an answered request to the next one."""
        self._free += size
        self._grant()

    def _grant(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._free:
            size, granted = self._waiting.popleft()
            if not granted.done():
                self._free -= size
                granted.set_result(None)
