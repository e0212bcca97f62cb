"""Limits the look-ups of one request at the source: few names, and only as long as its client is there.

Nearly every request finds all its names in memory and looks up none. A batch may name thousands that nobody has.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from infra.kernel.http.request_limits import Receive, disconnected

MAX_LOOKUPS: Final = 20
"""Unknown keys, links and partners that are looked up for one request."""
T = TypeVar("T")
Check = Callable[[], None]


class ClientGone(Exception):
    """The client of the request has left; no one waits for an answer."""


def no_check() -> None:
    return


class RequestLookups:
    """The allowance of one request."""

    __slots__ = ("_check", "_receive", "left")

    def __init__(self, receive: Receive | None = None, check: Check = no_check) -> None:
        """`receive`: of a request whose body has been read; none: no client can leave. `check` is called before each
        look-up, and raises `EventRejected` if the client may cause none."""
        self._receive = receive
        self._check = check
        self.left = MAX_LOOKUPS

    def check(self) -> None:
        """Checks the client. Raises `EventRejected` if it may cause no look-up now."""
        self._check()

    def take(self) -> bool:
        """Returns whether one more name may be looked up, which then counts."""
        if not self.left:
            return False
        self.left -= 1
        return True

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, which ends when the client leaves. Raises `ClientGone`."""
        if self._receive is None:
            return await work
        task = asyncio.ensure_future(work)
        task.add_done_callback(_read_error)
        gone = asyncio.ensure_future(disconnected(self._receive))
        try:
            await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise ClientGone
            return task.result()
        finally:
            gone.cancel()
            task.cancel()


def _read_error(task: asyncio.Task[Any]) -> None:
    """Marks the error of a cancelled look-up as read, so that asyncio does not report it."""
    if not task.cancelled():
        task.exception()
