"""`GET /api/platform/analytics/live`: Server-Sent Events. A `snapshot`, then an `update` after each change.

A comment every 15 s keeps the connection alive. Signing out ends the session's streams at once; besides, session and
website are looked up again every 25 s, and a stream without them ends. So does one whose client takes nothing for 30 s.
A browser that reconnects gets a new snapshot (`Last-Event-ID` is not needed).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from typing import Annotated, Final
from uuid import UUID

import psycopg
import structlog
from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from infra.kernel.http.problems import Problem
from infra.kernel.security.access_tokens import authenticate_caller
from query_api.analytics.live.hub import LiveHub, LiveSubscription
from query_api.analytics.live.snapshot import LiveData
from query_api.kernel.authorization import AccountScope
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

HEARTBEAT_S: Final = 15.0
RECHECK_S: Final = 25.0
UNCHECKED_MAX_S: Final = 60.0
"""While Postgres does not answer, a stream goes on for this long without its session being looked up."""

STALLED_S: Final = 30.0
"""A client that takes nothing for so long is gone, or as good as that: its place is given to another."""

RETRY_MS: Final = 2000

router = APIRouter(tags=["analytics"])


async def running_hub(request: Request) -> LiveHub:
    """Dependency: the process's live hub, set by `query_api.app`."""
    hub: LiveHub = request.app.state.live_hub
    return hub


RunningHub = Annotated[LiveHub, Depends(running_hub)]


@router.get(
    "/api/platform/analytics/live",
    response_class=StreamingResponse,
    dependencies=[READS_OWN_WRITES],
    responses={200: {"model": LiveData, "content": {"text/event-stream": {}}, "description": "snapshot, then updates"}},
)
async def live(
    request: Request,
    context: Context,
    live_hub: RunningHub,
    scope: CallerScope,
    website_id: Annotated[UUID, Query(alias="websiteId")],
) -> StreamingResponse:
    """What happens on the website now, pushed within a second."""
    await run_in_threadpool(scope.website, website_id)
    subscription = await live_hub.subscribe(website_id, scope.principal.account_id, scope.principal.session_id)
    return _Stream(live_hub, subscription, _events(request, context, live_hub, subscription))


class _Stream(StreamingResponse):
    """Ends its subscription whatever ends the stream, also before its first event."""

    def __init__(self, live_hub: LiveHub, subscription: LiveSubscription, events: AsyncIterator[bytes]) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._end = partial(live_hub.unsubscribe, subscription)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_in_time(message: Message) -> None:
            async with asyncio.timeout(STALLED_S):
                await send(message)

        try:
            with suppress(TimeoutError, ClientDisconnect):
                await super().__call__(scope, receive, send_in_time)
        finally:
            self._end()


async def _events(
    request: Request, context: Services, live_hub: LiveHub, subscription: LiveSubscription
) -> AsyncIterator[bytes]:
    number = 1
    checked = tried = sent = time.monotonic()
    yield b"retry: %d\n\n" % RETRY_MS + _event("snapshot", number, live_hub.latest(subscription))
    while not subscription.is_over():
        waits = min(sent + HEARTBEAT_S, tried + RECHECK_S) - time.monotonic()
        changed = await _changes(subscription, waits)
        if subscription.is_over():
            return
        moment = time.monotonic()
        if moment - tried >= RECHECK_S:
            tried = moment
            allowed = await run_in_threadpool(_is_allowed, request, context, subscription)
            if allowed is False or (allowed is None and moment - checked > UNCHECKED_MAX_S):
                return
            checked = moment if allowed else checked
        if changed:
            number += 1
            sent = moment
            yield _event("update", number, live_hub.latest(subscription))
        elif moment - sent >= HEARTBEAT_S:
            sent = moment
            yield b": still here\n\n"


async def _changes(subscription: LiveSubscription, timeout_s: float) -> bool:
    try:
        await asyncio.wait_for(subscription.changed.wait(), max(0.0, timeout_s))
    except TimeoutError:
        return False
    subscription.changed.clear()
    return True


def _is_allowed(request: Request, context: Services, subscription: LiveSubscription) -> bool | None:
    """Returns whether the stream may continue; none when that cannot be looked up."""
    try:
        principal = authenticate_caller(context.pool, request.headers, request.method)
        AccountScope(context.pool, principal).website(subscription.website_id)
    except Problem:
        return False
    except psycopg.OperationalError as error:
        log.info("session_lookup_unavailable", error=error)
        return None
    return principal.account_id == subscription.account_id


def _event(name: str, number: int, data: LiveData) -> bytes:
    return f"event: {name}\nid: {number}\ndata: {data.model_dump_json(by_alias=True)}\n\n".encode()
