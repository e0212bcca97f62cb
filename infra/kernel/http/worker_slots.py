"""The threads of `command` and `query`, and how a request that only waits lets another one work meanwhile.

Few threads work at one time, so that few want a connection to Postgres. But whoever waits for a password's hash, a
provider, a language model, an image or ClickHouse does nothing, for as long as seconds: counted like the others,
sixteen people who sign in at one moment would be all that the service does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Lock
from typing import Final

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.types import ASGIApp, Receive, Scope, Send

MOST_WAITING: Final = 64
"""Requests that wait for something slow and are not counted; each has a thread all the same."""

_Place = tuple[asyncio.AbstractEventLoop, CapacityLimiter]
_PLACE: ContextVar[_Place | None] = ContextVar("place", default=None)


class OwnThreads:
    """Middleware: what runs in a thread for a request knows whose place it has."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _PLACE.set((asyncio.get_running_loop(), anyio.to_thread.current_default_thread_limiter()))
        await self._app(scope, receive, send)


@contextmanager
def only_waiting() -> Iterator[None]:
    """While this lasts the request's place is another's. For waits that have an end and hold no connection; what is not
    done for a request has no place to give."""
    place = _PLACE.get()
    if place is None or not _LENT.one_more():
        yield
        return
    try:
        _move(place, +1)
        try:
            yield
        finally:
            _move(place, -1)
    finally:
        _LENT.one_less()


class _Counted:
    def __init__(self) -> None:
        self._lock, self._number = Lock(), 0

    def one_more(self) -> bool:
        with self._lock:
            if self._number >= MOST_WAITING:
                return False
            self._number += 1
            return True

    def one_less(self) -> None:
        with self._lock:
            self._number -= 1


_LENT: Final = _Counted()


def _move(place: _Place, by: int) -> None:
    loop, limiter = place

    def move() -> None:
        limiter.total_tokens += by

    with suppress(RuntimeError):  # the loop is closed: nobody waits for a place any more
        loop.call_soon_threadsafe(move)
