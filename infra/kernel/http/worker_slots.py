"""The worker threads of `command` and `query`: a request that only waits lends its slot to another request.

Few threads work at one time, so that few need a connection to Postgres. A request that waits for a password hash, a
provider, a language model, an image or ClickHouse uses no CPU for up to seconds; if it kept its slot, sixteen
concurrent sign-ins would block the service.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import BoundedSemaphore
from typing import Final

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.types import ASGIApp, Receive, Scope, Send

MAX_WAITING: Final = 64
"""Requests that wait for something slow and are not counted; each has a thread all the same."""

_Slot = tuple[asyncio.AbstractEventLoop, CapacityLimiter]
_SLOT: ContextVar[_Slot | None] = ContextVar("place", default=None)
_LENDABLE: Final = BoundedSemaphore(MAX_WAITING)


def bind_slot(limiter: CapacityLimiter) -> None:
    """Binds `limiter` to the current request: what runs for it from here on lends a slot of `limiter`. Called in the
    event loop."""
    _SLOT.set((asyncio.get_running_loop(), limiter))


class WorkerSlotMiddleware:
    """Middleware of a service without lanes: what runs in a thread for a request knows whose place it has."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Stores the event loop and its limiter in the request's context, which its thread inherits."""
        bind_slot(anyio.to_thread.current_default_thread_limiter())
        await self._app(scope, receive, send)


@contextmanager
def release_worker_slot() -> Iterator[None]:
    """Lends the request's slot to another one while this lasts. For waits that have an end and hold no connection; what
    is not done for a request has no slot to lend."""
    slot = _SLOT.get()
    if slot is None or not _LENDABLE.acquire(blocking=False):
        yield
        return
    try:
        _move(slot, +1)
        try:
            yield
        finally:
            _move(slot, -1)
    finally:
        _LENDABLE.release()


def _move(slot: _Slot, by: int) -> None:
    loop, limiter = slot

    def move() -> None:
        limiter.total_tokens += by

    with suppress(RuntimeError):  # the loop is closed: no request waits for a slot
        loop.call_soon_threadsafe(move)
