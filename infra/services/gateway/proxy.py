"""Hands `/api/*` to the services: reads to the query service, everything else to the command service. Going to an
identity provider and back, and following a tracked link to a program, are a browser's GETs that change something: the
command service's, too.

Bodies up to 1 MiB are already in memory (`infra.kernel.http.request_limits`); answers are streamed, so a live stream
(SSE) passes event by event, and a browser that goes away ends the request behind.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from contextlib import suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx
import orjson
import structlog

from infra.kernel.config.settings import Network
from infra.kernel.http.request_context import REQUEST_ID, request_id
from infra.kernel.http.request_limits import Receive, Scope, Send, disconnected
from infra.kernel.observability import tracing
from infra.kernel.security.oauth_providers import NAMES
from infra.services.gateway.headers import refuse, to_browser, to_service

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

_READS = ("GET", "HEAD")
_LIVE = b"/live"
"""The ending of the addresses of live streams: whatever a client says that it accepts, they have connections of their
own."""
_READ_BY_ANY_METHOD = re.compile(
    r"/api/platform/(sql(/[0-9a-fA-F-]{32,36})?|sites/[0-9a-fA-F-]{32,36}/preview"
    r"|websites/[0-9a-fA-F-]{32,36}/visitor-data/(find|export))"
)
_NAVIGATION = re.compile(
    rf"/api/platform/(auth/({'|'.join(NAMES)})(/callback)?|affiliate/applications/[0-9a-fA-F-]{{32,36}}/go)"
)
_RESERVED = re.compile(
    r"/api/(auth|platform/(auth|login|logout|register|setup|2fa|password|email|user|sessions|erase|linked-sign-ins|"
    r"conversions|payouts|reconciliation)|marketplace/offers|marketplace/listings/[0-9a-fA-F-]{32,36}/offers|public/escrow)(/.*)?"
)
"""Sign-in and decisions about money, in any class of cost with a lane of its own in the command service."""
_CONNECT_S = 1.5
_READ_S = 35.0
_STREAM_READ_S = 60.0
_DOCUMENT_S = 10.0
"""A service generates its document on the first request, which takes seconds on a busy machine."""
_STALLED_S = 30.0
"""A client that reads nothing for this long occupies a connection to a service that others need."""
_WORKERS = 100
"""Per service: while one is slow, the connections of the other stay available."""
_RESERVED_WORKERS = 40
"""Per service, for what `_RESERVED` names and for health: other requests cannot use them up."""
_STREAMS = 500


class Proxy:
    """Forwards requests to both services. `stop()` ends the live streams, which would delay a shutdown."""

    def __init__(self, query_url: str, command_url: str, trusted: tuple[Network, ...], key: bytes) -> None:
        """`key`: proves to the services who the client is (`infra.kernel.security.forwarding`)."""
        self._urls = {"query": query_url, "command": command_url}
        self._trusted = trusted
        self._key = key
        limits = httpx.Limits(max_connections=_WORKERS, max_keepalive_connections=32, keepalive_expiry=20)
        self._clients = {service: _client(_READ_S, limits) for service in self._urls}
        reserved = httpx.Limits(max_connections=_RESERVED_WORKERS, max_keepalive_connections=8, keepalive_expiry=20)
        self._reserved = {service: _client(_READ_S, reserved) for service in self._urls}
        self._streams = _client(_STREAM_READ_S, httpx.Limits(max_connections=_STREAMS, max_keepalive_connections=0))
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        self._stopping.set()

    async def close(self) -> None:
        for client in (*self._clients.values(), *self._reserved.values()):
            await client.aclose()
        await self._streams.aclose()

    async def is_ready(self, service: str) -> bool:
        """Returns whether the service says that it is ready, within a second."""
        try:
            answer = await self._reserved[service].get(f"{self._urls[service]}/readyz", timeout=1.0)
        except httpx.HTTPError:
            return False
        return answer.status_code == 200

    async def document(self, service: str, path: str) -> Mapping[str, Any] | None:
        """A JSON document of a service, or None when it does not answer."""
        try:
            answer = await self._clients[service].get(f"{self._urls[service]}{path}", timeout=_DOCUMENT_S)
            content = orjson.loads(answer.content) if answer.status_code == 200 else None
        except (httpx.HTTPError, orjson.JSONDecodeError):
            return None
        return content if isinstance(content, dict) else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        service = _service_of(scope)
        peer = scope["client"][0] if scope.get("client") else ""
        body = (await receive()).get("body", b"") if _has_body(scope) else b""
        raw_path: bytes = scope.get("raw_path") or scope["path"].encode()
        query: bytes = scope["query_string"]
        streaming = raw_path.endswith(_LIVE) or any(
            n == b"accept" and b"text/event-stream" in v for n, v in scope["headers"]
        )
        clients = self._reserved if is_reserved(scope["path"]) else self._clients
        client = self._streams if streaming else clients[service]
        request = client.build_request(
            scope["method"],
            self._urls[service],
            headers=[
                *to_service(scope["headers"], peer, scope.get("scheme", "http"), self._trusted, self._key),
                (REQUEST_ID, request_id().encode()),
                *tracing.parent_headers(),
                (b"accept-encoding", b"identity" if streaming else _encodings(scope)),
            ],
            content=body if _has_body(scope) else None,
            # As it was written: httpx would tidy the path, and /api/../metrics is not for the world to see.
            extensions={"target": raw_path + b"?" + query if query else raw_path},
        )
        gone = asyncio.ensure_future(disconnected(receive))
        stopping = asyncio.ensure_future(self._stopping.wait()) if streaming else None
        relay = asyncio.ensure_future(_relay(client, request, service, send))
        waited = {task for task in (relay, gone, stopping) if task is not None}
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waited:
                if not task.done():
                    task.cancel()
            with suppress(asyncio.CancelledError):
                await relay


def is_reserved(path: str) -> bool:
    """Returns whether a request to this path has connections to its service that others cannot use up."""
    return _RESERVED.fullmatch(path) is not None


def _client(read_s: float, limits: httpx.Limits) -> httpx.AsyncClient:
    """Returns a client whose jar stores nothing: httpx would keep one person's session and send it with another's
    request."""
    timeout = httpx.Timeout(read_s, connect=_CONNECT_S, pool=_CONNECT_S)
    no_cookies = CookieJar(policy=DefaultCookiePolicy(allowed_domains=[]))
    return httpx.AsyncClient(timeout=timeout, limits=limits, trust_env=False, cookies=no_cookies)


async def _relay(client: httpx.AsyncClient, request: httpx.Request, service: str, send: Send) -> None:
    started = False
    try:
        answer = await _answer_to(client, request, service)
        try:
            headers = [(name.lower(), value) for name, value in answer.headers.raw]
            await send({"type": "http.response.start", "status": answer.status_code, "headers": to_browser(headers)})
            started = True
            async for chunk in answer.aiter_raw():
                async with asyncio.timeout(_STALLED_S):
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
        finally:
            await answer.aclose()
    except asyncio.CancelledError:
        # The browser is gone or we are stopping: end the answer where it is, so that the connection can close.
        if started:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        raise
    except TimeoutError:
        log.info("client_stalled", path=_path(request), timeout_s=_STALLED_S)
        return  # without the answer's end, so that its connection is closed
    except httpx.HTTPError as error:
        if started:
            log.warning("backend_answer_interrupted", backend=service, path=_path(request), error=type(error).__name__)
            return  # without the end of the response, so that no client treats it as complete
        log.warning("backend_unavailable", backend=service, path=_path(request), error=type(error).__name__)
        await _unavailable(send, service, timed_out=isinstance(error, httpx.ReadTimeout))
        return
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _answer_to(client: httpx.AsyncClient, request: httpx.Request, service: str) -> httpx.Response:
    """The head of the response. A read is retried when its connection broke: the service may have closed a
    kept-alive connection at that moment. A command is not, because it may have been executed."""
    try:
        return await client.send(request, stream=True)
    except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
        if request.method not in _READS or service != "query":
            raise
    return await client.send(request, stream=True)


async def _unavailable(send: Send, service: str, *, timed_out: bool) -> None:
    status, code = (504, "timeout") if timed_out else (503, "unavailable")
    message = f"The {service} service does not answer right now. Please try again in a moment."
    await refuse(send, status, code, message, ((b"retry-after", b"2"),))


def _path(request: httpx.Request) -> str:
    target: bytes = request.extensions["target"]
    return target.partition(b"?")[0].decode("latin-1")


def _service_of(scope: Scope) -> str:
    if scope["method"] == "GET" and _NAVIGATION.fullmatch(scope["path"]) is not None:
        return "command"  # a redirect to or from an identity provider: each step happens once
    # An analyst's statement is a read, though it comes by POST and is stopped by DELETE; so is a preview.
    is_read = scope["method"] in _READS or _READ_BY_ANY_METHOD.fullmatch(scope["path"]) is not None
    return "query" if is_read else "command"


def _has_body(scope: Scope) -> bool:
    return any(n == b"transfer-encoding" or (n == b"content-length" and v != b"0") for n, v in scope["headers"])


def _encodings(scope: Scope) -> bytes:
    return b", ".join(value for name, value in scope["headers"] if name == b"accept-encoding") or b"identity"
