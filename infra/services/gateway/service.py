"""Service `web`: the one address that people open. The built web app, and `/api/*` handed to the services behind."""

from __future__ import annotations

import logging
import time
from contextlib import nullcontext
from pathlib import Path

from prometheus_client import Counter, Histogram

from infra.domain.uploads import UPLOADS
from infra.kernel.config.loading import load
from infra.kernel.config.paths import WEB
from infra.kernel.config.settings import Settings
from infra.kernel.http import health, request_context
from infra.kernel.http.request_limits import Receive, Scope, Send
from infra.kernel.http.server import serve
from infra.kernel.net.ip_addresses import address_in, is_trusted
from infra.kernel.observability import tracing
from infra.kernel.security.forwarding import forwarding_key
from infra.services.gateway import security_txt
from infra.services.gateway.api_description import ApiDescription
from infra.services.gateway.headers import (
    PAGE_HEADERS,
    STRICT_TRANSPORT,
    answer,
    may_serve,
    page_headers,
    refuse,
    send_whole,
)
from infra.services.gateway.link_previews import LinkPreviews
from infra.services.gateway.proxy import Proxy
from infra.services.gateway.static import StaticSite

_HEALTH = ("/livez", "/readyz")
"""Monitoring may use any host name."""
_JSON = b"application/json"
_HTML = b"text/html; charset=utf-8"
_REQUESTS = Counter("web_requests_total", "Requests to the web app's port", ["kind", "status"])
_SECONDS = Histogram("web_request_seconds", "Time until the answer was complete", ["kind"])


def main(_arguments: list[str]) -> int:
    settings = load()
    gateway = Gateway(settings, WEB)
    logging.getLogger("uvicorn.error").addFilter(is_relevant)
    return serve(gateway, host=settings.host, port=settings.port, uploads=UPLOADS, on_stop=gateway.stop)


def is_relevant(record: logging.LogRecord) -> bool:
    """Returns whether a record of the log is relevant: uvicorn logs every aborted response as an error; the proxy has
    already logged the cause."""
    return record.getMessage() != "ASGI callable returned without completing response."


class Gateway:
    """The ASGI app. The services' addresses come from the settings; `dist` is the folder of the built web app."""

    def __init__(self, settings: Settings, dist: Path) -> None:
        secure = settings.app_url.startswith("https://")
        self._site = StaticSite(
            dist,
            STRICT_TRANSPORT if secure else (),
            page_headers(settings.tracking_base_url),
            settings.app_url,
            settings.figures,
            settings.without,
        )
        self._urls = (settings.query_base_url, settings.command_base_url)
        self._trusted = settings.trusted_proxies
        self._monitors = settings.metrics_networks
        self._key = forwarding_key(settings)
        self._origin = settings.app_url
        self._tracking = settings.tracking_base_url
        self._settings = settings
        self._proxy: Proxy | None = None
        self._previews: LinkPreviews | None = None
        self._description: ApiDescription | None = None
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
        peer = scope["client"][0] if scope.get("client") else ""
        request_context.bind(scope["headers"] if is_trusted(address_in(peer), self._trusted) else ())
        path: str = scope["path"]
        kind = "api" if path.startswith("/api/") else "page"
        status = 500

        async def counted(message: dict[str, object]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(str(message["status"]))
            await send(message)

        try:
            span = tracing.current(f"{scope['method']} {kind}", request_context.request_id())
            with nullcontext() if path in tracing.HEALTH else span:
                await self._route(path, scope, receive, counted)  # type: ignore[arg-type]  # our callables for theirs
        finally:
            _REQUESTS.labels(kind, str(status)).inc()
            _SECONDS.labels(kind).observe(time.perf_counter() - began)

    async def _route(self, path: str, scope: Scope, receive: Receive, send: Send) -> None:
        proxy = self._proxy
        if not may_serve(scope, self._origin) and path not in _HEALTH:
            message = "The app is not served under this host name. To serve it here, set ALTHING_PUBLIC_URL to it."
            await refuse(send, 404, "not_found", message)
        elif proxy is None:
            await refuse(send, 503, "unavailable", "The web app is starting. Please try again in a moment.")
        elif path in ("/api/openapi.json", "/api/docs"):
            await self._describe(path, send)
        elif path == "/api" or path.startswith("/api/"):
            await proxy(scope, receive, send)
        elif scope["method"] not in ("GET", "HEAD"):
            await refuse(
                send, 405, "method_not_allowed", "Only GET and HEAD are allowed here.", ((b"allow", b"GET, HEAD"),)
            )
        elif path == "/livez":
            status, body = health.livez()
            await answer(send, status, _JSON, body)
        elif path == "/readyz":
            await self._ready(proxy, send)
        elif path == "/metrics":
            await self._metrics(scope, send)
        elif path == security_txt.PATH and (contact := security_txt.security_txt(self._settings)) is not None:
            await answer(send, 200, b"text/plain; charset=utf-8", contact)
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
        await send_whole(send, status, headers, body)

    async def _ready(self, proxy: Proxy, send: Send) -> None:
        parts: dict[str, bool | str] = {
            "web": "not built" if not self._site.is_built else "stopping" if self._stopping else True,
            "query": await proxy.is_ready("query") or "does not answer",
            "command": await proxy.is_ready("command") or "does not answer",
        }
        status, body = health.readyz(parts)
        await answer(send, status, _JSON, body)

    async def _metrics(self, scope: Scope, send: Send) -> None:
        if not health.may_monitor(scope, self._monitors):
            await refuse(send, 404, "not_found", "Not found.")
            return
        body, content_type = health.metrics()
        await answer(send, 200, content_type.encode(), body)

    async def _describe(self, path: str, send: Send) -> None:
        description = await self._description.read() if self._description is not None else None
        if description is None:
            await refuse(send, 503, "unavailable", "A service does not answer right now. Please try again in a moment.")
            return
        if path.endswith(".json"):
            await answer(send, 200, _JSON, description.json)
        else:
            await answer(send, 200, _HTML, description.page, PAGE_HEADERS)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._proxy = Proxy(*self._urls, self._trusted, self._key)
                self._description = ApiDescription(self._proxy, self._origin, self._tracking)
                self._previews = LinkPreviews(self._site, self._urls[0], self._origin)
                await send({"type": "lifespan.startup.complete"})
            else:
                if self._proxy is not None:
                    await self._proxy.close()
                if self._previews is not None:
                    await self._previews.close()
                await send({"type": "lifespan.shutdown.complete"})
                return
