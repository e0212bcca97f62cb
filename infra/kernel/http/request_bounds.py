"""Bounds the work of a request before it is done: size and structure of its body by the class of its route
(`route_costs`), what rejected requests cost their address (`address_costs`), and a thread of its lane (`lanes`).

The middleware expects whole bodies (`request_limits.BodyGuard`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from contextvars import ContextVar
from math import ceil
from typing import Final

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.kernel.config.settings import Settings
from infra.kernel.http.address_costs import AddressCosts
from infra.kernel.http.json_bounds import OutOfBounds, check_bounds
from infra.kernel.http.lanes import LaneFull, Lanes
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import CostClass, CostTable

Authenticate = Callable[[Headers, str], object]
"""Headers and method of a request. Runs in a thread of its lane."""
_BODY_SIZE: ContextVar[int] = ContextVar("body_size", default=0)
CHEAP_BYTES: Final = 4 * 1024
"""A body up to this size costs a rejected request nothing more, and is read from every address."""
HEALTH: Final = frozenset({"/livez", "/readyz", "/metrics"})
"""Answered however full the lanes are."""


def body_size() -> int:
    """Bytes of the body of the request that this code runs for; 0 outside requests."""
    return _BODY_SIZE.get()


class RequestBounds:
    """Refuses what is out of bounds, and lets the rest into its lane. A service of streams has no lanes.

    413 `too_large`, 400 `too_many_values`, 429 `address_throttled`, 503 `busy`; all with a body for people. With
    `authenticate`, which raises `Problem` for who is not signed in, only signed-in callers have larger bodies read.
    """

    def __init__(
        self,
        app: ASGIApp,
        table: CostTable,
        lanes: Lanes | None,
        settings: Settings,
        authenticate: Authenticate | None = None,
        *,
        address_of: Callable[[Request, Settings], str],
    ) -> None:
        self._app = app
        self._table = table
        self._lanes = lanes
        self._settings = settings
        self._authenticate = authenticate
        self._address_of = address_of
        self._costs = AddressCosts(settings.address_refusals)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs the app for a request within its bounds."""
        if scope["type"] != "http" or scope["path"] in HEALTH:
            await self._app(scope, receive, send)
            return
        address = self._address_of(Request(scope), self._settings)
        cost = self._table.of(scope["method"], scope["path"])
        body = b""

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start" and 400 <= message["status"] < 500:
                self._costs.charge(address, 1 + len(body) / CHEAP_BYTES)
                await self._costs.delay(address)
            await send(message)

        try:
            first = await receive() if _has_body(scope) else None
            body = (first or {}).get("body", b"")
            self._check_size(cost, body, address)
            _BODY_SIZE.set(len(body))
            replayed = receive if first is None else _replayed(first, receive)
            async with nullcontext() if self._lanes is None else self._lanes[cost.lane].entered():
                if len(body) > CHEAP_BYTES and cost.needs_session and self._authenticate is not None:
                    await to_thread.run_sync(self._authenticate, Headers(scope=scope), scope["method"])
                _check_values(cost, body)
                await self._app(scope, replayed, counted)
        except LaneFull:
            await _busy().response()(scope, receive, counted)
        except Problem as problem:
            await problem.response()(scope, receive, counted)

    def _check_size(self, cost: CostClass, body: bytes, address: str) -> None:
        if len(body) > CHEAP_BYTES and (wait := self._costs.seconds_over_limit(address)):
            message = "Too many requests from this address were rejected recently; please send fewer or smaller ones."
            raise Problem(429, "address_throttled", message, headers={"Retry-After": str(max(1, ceil(wait)))})
        if len(body) > cost.body_bytes:
            message = f"The body of this call may have at most {cost.body_bytes:,} bytes."
            raise Problem(413, "too_large", message)


def _check_values(cost: CostClass, body: bytes) -> None:
    if cost.json_values:
        try:
            check_bounds(body, cost.json_values)
        except OutOfBounds as error:
            raise Problem(400, "too_many_values", str(error)) from error


def _has_body(scope: Scope) -> bool:
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
        for name, value in scope["headers"]
    )


def _replayed(first: Message, receive: Receive) -> Receive:
    """Returns a `receive` that repeats the message that has been read, and then passes on what follows."""
    left: list[Message] = [first]

    async def replay() -> Message:
        return left.pop() if left else await receive()

    return replay


def _busy() -> Problem:
    message = "Too many requests of this kind are being processed right now. Please try again in a moment."
    return Problem(503, "busy", message, headers={"Retry-After": "2"})
