"""Service `web`: the one address that people open. The built web app, and `/api/*` handed to the services behind."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import orjson
from prometheus_client import Counter, Histogram

from infra import health
from infra.forwarding import forwarding_key
from infra.gateway.headers import PAGE_HEADERS, SECURITY_HEADERS, STRICT_TRANSPORT, page_headers
from infra.gateway.hosts import Hosts
from infra.gateway.openapi import merged, page
from infra.gateway.previews import Previews
from infra.gateway.proxy import Proxy
from infra.gateway.static import Site
from infra.http_guard import RawHeaders, Receive, Scope, Send, problem
from infra.http_server import serve
from infra.settings import Settings, SettingsError, load

DIST = Path(__file__).resolve().parents[2] / "web" / "dist"
_HEALTH = ("/livez", "/readyz")
"""Whoever looks after the machine asks under whatever name."""
_JSON = b"application/json"
_HTML = b"text/html; charset=utf-8"
_REQUESTS = Counter("web_requests_total", "Requests to the web app's port", ["kind", "status"])
_SECONDS = Histogram("web_request_seconds", "Time until the answer was complete", ["kind"])


def main(arguments: list[str]) -> int:
    settings = load()
    gateway = Gateway(settings, DIST)
    logging.getLogger("uvicorn.error").addFilter(is_news)
    return serve(gateway, host=settings.host, port=settings.port, on_stop=gateway.stop)


def is_news(record: logging.LogRecord) -> bool:
    """uvicorn calls every answer that is broken off an error of ours; the proxy has said by then whose it was."""
    return record.getMessage() != "ASGI callable returned without completing response."


class Gateway:
    """The ASGI app. The services' ports come from the settings; `dist` is the folder of the built web app."""

    def __init__(self, settings: Settings, dist: Path) -> None:
        if settings.command_port is None or settings.query_port is None:
            raise SettingsError(
                "ALTHING_COMMAND_PORT and ALTHING_QUERY_PORT tell the web app where its API is; set both."
            )
        secure = settings.app_url.startswith("https://")
        self._site = Site(
            dist, STRICT_TRANSPORT if secure else (), page_headers(settings.tracking_base_url), settings.app_url
        )
        self._urls = (f"http://127.0.0.1:{settings.query_port}", f"http://127.0.0.1:{settings.command_port}")
        self._trusted = settings.trusted_proxies
        self._key = forwarding_key(settings)
        self._hosts = Hosts(settings)
        self._origin = settings.app_url
        self._proxy: Proxy | None = None
        self._previews: Previews | None = None
        self._stopping = False

    def stop(self) -> None:
        """Turns unready and ends the live streams."""
        self._stopping = True
        if self._proxy is not None:
            self._proxy.stop()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        began = time.perf_counter()
        path: str = scope["path"]
        kind = "api" if path.startswith("/api/") else "page"
        status = 500

        async def counted(message: dict[str, object]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(str(message["status"]))
            await send(message)

        try:
            await self._route(path, scope, receive, counted)  # type: ignore[arg-type]  # our callables for theirs
        finally:
            _REQUESTS.labels(kind, str(status)).inc()
            _SECONDS.labels(kind).observe(time.perf_counter() - began)

    async def _route(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        proxy = self._proxy
        if not self._hosts.may_serve(scope) and path not in _HEALTH:
            message = "The app is not served under this name. If it should be, set ALTHING_PUBLIC_URL to it."
            await _refuse(send, 404, "not_found", message)
        elif proxy is None:
            await _refuse(send, 503, "unavailable", "The web app is starting. Please try again in a moment.")
        elif path in ("/api/openapi.json", "/api/docs"):
            await self._describe(proxy, path, send)
        elif path == "/api" or path.startswith("/api/"):
            await proxy(scope, receive, send)
        elif scope["method"] not in ("GET", "HEAD"):
            await _refuse(
                send, 405, "method_not_allowed", "This address can only be read.", ((b"allow", b"GET, HEAD"),)
            )
        elif path == "/livez":
            await _answer(send, 200, _JSON, health.livez())
        elif path == "/readyz":
            await self._ready(proxy, send)
        elif path == "/metrics":
            await _metrics(scope, send)
        else:
            await self._page(path, scope, send)

    async def _page(self, path: str, scope: Scope, send: Send) -> None:
        accept_encoding = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding")
        if_none_match = b",".join(value for name, value in scope["headers"] if name == b"if-none-match")
        made = await self._previews.of(scope) if self._previews is not None else None
        if made is None:
            status, headers, body = self._site.answer(path, accept_encoding, if_none_match)
        else:
            status, headers, body = self._site.answer_with(*made, accept_encoding, if_none_match)
        if status != 304:
            headers.append((b"content-length", str(len(body)).encode()))
        await _send(send, status, headers, body)

    async def _ready(self, proxy: Proxy, send: Send) -> None:
        parts: dict[str, bool | str] = {
            "web": "not built" if not self._site.is_built else "stopping" if self._stopping else True,
            "query": await proxy.is_ready("query") or "does not answer",
            "command": await proxy.is_ready("command") or "does not answer",
        }
        status, body = health.readyz(parts)
        await _answer(send, status, _JSON, body)

    async def _describe(self, proxy: Proxy, path: str, send: Send) -> None:
        found = [await proxy.document(service, "/api/openapi.json") for service in ("query", "command")]
        documents = [document for document in found if document is not None]
        if len(documents) < len(found):
            await _refuse(
                send, 503, "unavailable", "A service does not answer right now. Please try again in a moment."
            )
            return
        document = merged(documents)
        if path.endswith(".json"):
            await _answer(send, 200, _JSON, orjson.dumps(document))
        else:
            await _answer(send, 200, _HTML, page(document), PAGE_HEADERS)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._proxy = Proxy(*self._urls, self._trusted, self._key)
                self._previews = Previews(self._site, self._urls[0], self._origin)
                await send({"type": "lifespan.startup.complete"})
            else:
                if self._proxy is not None:
                    await self._proxy.close()
                if self._previews is not None:
                    await self._previews.close()
                await send({"type": "lifespan.shutdown.complete"})
                return


async def _metrics(scope: Scope, send: Send) -> None:
    """For this machine alone; a request that a proxy on this machine handed on comes from elsewhere."""
    peer = scope["client"][0] if scope.get("client") else None
    forwarded = any(name in (b"x-forwarded-for", b"forwarded") for name, _ in scope["headers"])
    if forwarded or not health.is_loopback(peer):
        await _refuse(send, 404, "not_found", "There is nothing here.")
        return
    body, content_type = health.metrics()
    await _answer(send, 200, content_type.encode(), body)


async def _refuse(send: Send, status: int, code: str, message: str, extra: RawHeaders = ()) -> None:
    await _answer(
        send, status, b"application/problem+json", problem(status, code, message), (*SECURITY_HEADERS, *extra)
    )


async def _answer(
    send: Send, status: int, content_type: bytes, body: bytes, extra: RawHeaders = SECURITY_HEADERS
) -> None:
    headers = [
        (b"content-type", content_type),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *extra,
    ]
    await _send(send, status, headers, body)


async def _send(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
