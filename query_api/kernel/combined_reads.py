"""`GET /api/platform/reads`: several reads in one request, each answered as soon as it is known.

A page of cards reads a dozen reports at once; a browser sends six requests at a time to a server. Each read runs
through the whole application as a request of its own, `MAX_CONCURRENT` of them together: rights, bounds, freshness and
errors are those that it has alone, and one that fails leaves the others as they are. The answer is a stream of two
lines for each read: which one it is, with its status and headers, and its body.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import Annotated, Final
from urllib.parse import unquote

import orjson
from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.datastructures import DefaultPlaceholder
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.routing import APIRoute
from pydantic import Field
from starlette.routing import BaseRoute, Match
from starlette.types import Message, Receive, Scope

from infra.kernel.http.openapi import file_response
from query_api.kernel.dependencies import CurrentPrincipal
from query_api.kernel.pagination import invalid_parameter

PATH: Final = "/api/platform/reads"
PREFIX: Final = "/api/platform/"
MAX_READS: Final = 16
MAX_LENGTH: Final = 8_192
MAX_CONCURRENT: Final = 6
"""Reads of one request that run at the same time: as many as a browser sends to a server."""
MEDIA_TYPE: Final = "application/x-ndjson"

router = APIRouter(tags=["account"])

_OF_CONNECTION: Final = ("type", "asgi", "http_version", "scheme", "server", "client", "headers", "root_path")
_HEADERS: Final = frozenset({b"content-type", b"link", b"retry-after"})
"""Headers of a read that its answer carries, besides those that begin with X-."""

Read = Annotated[str, Field(max_length=MAX_LENGTH, examples=["/api/platform/websites"])]


@router.get(
    PATH,
    response_class=StreamingResponse,
    responses=file_response(MEDIA_TYPE, description="Two lines for each read, in the order in which they are known"),
)
async def get_reads(
    request: Request,
    _principal: CurrentPrincipal,
    read: Annotated[
        list[Read],
        Query(min_length=1, max_length=MAX_READS, description="Path and query of a JSON read of /api/platform/"),
    ],
) -> StreamingResponse:
    """Several reads in one request. For each, one line has `read` (its place among the parameters), `status` and
    `headers`, and the next line its JSON, or the problem document of its error."""
    scopes = [_scope(request, each) for each in read]
    # Proxies that gather an answer would keep the first read waiting for the last.
    return StreamingResponse(_answers(request.app, scopes), media_type=MEDIA_TYPE, headers={"X-Accel-Buffering": "no"})


def _scope(request: Request, read: str) -> Scope:
    """A request for `read` with the headers of this one. Raises `Problem` 400 for what cannot be combined."""
    path, _, query = read.partition("?")
    scope: Scope = {name: request.scope[name] for name in _OF_CONNECTION if name in request.scope}
    scope.update(
        method="GET",
        path=unquote(path),
        raw_path=path.encode(),
        query_string=query.encode(),
        extensions={},
        state=dict(request.scope.get("state", {})),
    )
    if not path.startswith(PREFIX) or not read.isascii() or not _is_json(request.app, scope):
        raise invalid_parameter("read", f"{path[:100]!r} is no JSON read of {PREFIX}.")
    return scope


def _is_json(app: FastAPI, scope: Scope) -> bool:
    """Returns whether a route answers with JSON; what no route takes is answered by 404."""
    routes: list[BaseRoute] = app.state.routes
    for route in routes:
        if isinstance(route, APIRoute) and route.matches(scope)[0] is Match.FULL:
            kind = route.response_class
            return (kind.value if isinstance(kind, DefaultPlaceholder) else kind) is JSONResponse
    return True


async def _answers(app: FastAPI, scopes: Iterable[Scope]) -> AsyncIterator[bytes]:
    """The lines of each read, in the order in which they are known. Ends what still runs when the client has gone."""
    places = asyncio.Semaphore(MAX_CONCURRENT)
    tasks = [asyncio.create_task(_answer(app, places, number, scope)) for number, scope in enumerate(scopes)]
    try:
        for known in asyncio.as_completed(tasks):
            yield await known
    finally:
        for task in tasks:
            task.cancel()


def _nothing_follows() -> Receive:
    """The `receive` of a request without a body, whose client stays."""
    empty: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Message:
        return empty.pop() if empty else await asyncio.Future()

    return receive


async def _answer(app: FastAPI, places: asyncio.Semaphore, number: int, scope: Scope) -> bytes:
    start: Message = {"status": 500, "headers": []}
    body = bytearray()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            start.update(message)
        else:
            body.extend(message.get("body", b""))

    # The application has answered and logged what it raises.
    async with places:
        with suppress(Exception):
            await app(scope, _nothing_follows(), send)
    headers = {
        name.decode("latin-1"): value.decode("latin-1")
        for name, value in start["headers"]
        if name in _HEADERS or name.startswith(b"x-")
    }
    head = orjson.dumps({"read": number, "status": start["status"], "headers": headers})
    return b"%b\n%b\n" % (head, bytes(body).replace(b"\n", b" ") or b"null")
