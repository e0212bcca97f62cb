"""Detects that the client of a request has left, so that nothing is done that no one waits for."""

from __future__ import annotations

from collections.abc import Callable

import anyio.from_thread
from fastapi import Request


def client_left(request: Request) -> Callable[[], bool]:
    """Returns a check for the thread that works for the request, whose body was read before."""

    def has_left() -> bool:
        try:
            return anyio.from_thread.run(request.is_disconnected)
        except RuntimeError:  # the thread works for no event loop, or that has ended
            return False

    return has_left
