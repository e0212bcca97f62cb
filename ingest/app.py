"""Ingest as one ASGI application without a framework: a table of paths, each with its handler."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from infra.domain.publishing.serving import NEWSLETTER_FORM, SITES
from infra.kernel.http.request_limits import Message, Receive, Scope, Send
from ingest.context import IngestContext
from ingest.directory.directory import CustomDomainEntry
from ingest.directory.request_lookups import ClientGone
from ingest.endpoints.conversion_status import conversion
from ingest.endpoints.custom_domains import CHECK, SERVED, check, domain_of, probe
from ingest.endpoints.health import livez, metrics, readyz
from ingest.endpoints.pixel import pixel
from ingest.endpoints.postback import postback
from ingest.endpoints.redirect import PREFIX, go, is_link_path
from ingest.endpoints.report import lead, sale
from ingest.endpoints.sites import own_host, site
from ingest.endpoints.track import track
from ingest.errors import EventRejected, Unavailable
from ingest.request_cost import COST, EXEMPT
from ingest.responses import CORS, send_bytes, send_problem, with_credentials
from ingest.script import script
from ingest.visitors.request_context import CUSTOM_DOMAIN, client_address
from schemas.custom_domains import PROBE
from schemas.tracking import Outcome

logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

Handler = Callable[[IngestContext, Scope, Receive, Send], Awaitable[None]]
_SCRIPT: Final = "/t.js"
"""Caches keep one answer for all origins."""
_READ: Final = frozenset({"GET", "HEAD"})
_POST: Final = frozenset({"POST"})
_FORM: Final = _READ | _POST
_ROUTES: Final[dict[str, tuple[Handler, frozenset[str]]]] = {
    "/track": (track, _POST),
    "/track/sale": (sale, _POST),
    "/track/lead": (lead, _POST),
    "/postback": (postback, frozenset({"GET", "POST"})),
    _SCRIPT: (script, _READ),
    "/t.gif": (pixel, _READ),
    "/livez": (livez, _READ),
    "/readyz": (readyz, _READ),
    "/metrics": (metrics, _READ),
    CHECK: (check, _READ),
    PROBE: (probe, _READ),
}
_PREFIXES: Final[tuple[tuple[str, Handler, frozenset[str]], ...]] = (
    (PREFIX, go, _READ),
    ("/track/conversions/", conversion, _READ),
    (SITES, site, _READ),
)
_PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"GET, POST, OPTIONS"),
    (b"access-control-allow-headers", b"authorization, content-type, content-encoding, x-debug-request"),
    (b"access-control-max-age", b"86400"),
    *CORS,
)


class App:
    """The application. `context` is set when the process has started (`ingest.service`)."""

    def __init__(self) -> None:
        self.context: IngestContext | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        context = self.context
        if context is None:
            raise RuntimeError("ingest has not started")
        method, path = scope["method"], scope["path"]
        answers = context.counters.answers
        started = False

        async def counted(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                status = message["status"]
                answers[status] += 1
                if 400 <= status < 500 and EXEMPT not in scope:
                    address = client_address(scope, context.settings.trusted_proxies)
                    context.costs.charge(address, max(1.0, scope.get(COST, 0.0)))
                    await context.costs.delay(address)
                message = _readable(message, scope)
            await send(message)

        try:
            await _answer(context, scope, receive, counted)
        except ClientGone:
            if EXEMPT not in scope:  # it caused look-ups and did not wait for the answer
                context.costs.charge(client_address(scope, context.settings.trusted_proxies))
        except Exception:
            logger.exception("request_failed", method=method, path=path)
            if not started:
                await send_problem(
                    counted, Unavailable("internal_error", "Something went wrong here; please try again.")
                )


async def _answer(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    method, path = scope["method"], scope["path"]
    domain = domain_of(context, scope)
    route = (_ROUTES.get(path) or _prefixed(path)) if domain is None else _under(domain, path, scope)
    if route is None:
        error = EventRejected(Outcome.INVALID, "not_found", "There is nothing here.", status=404)
        await send_problem(send, error)
    elif method in route[1]:
        await route[0](context, scope, receive, send)
    elif method == "OPTIONS":
        await send_bytes(send, 204, b"", _PREFLIGHT)
    else:
        message = f"This endpoint accepts {', '.join(sorted(route[1]))}."
        await send_problem(send, EventRejected(Outcome.INVALID, "method_not_allowed", message, status=405))


def _readable(message: Message, scope: Scope) -> Message:
    """The start of an answer as the origin that asks may read it."""
    if scope["path"] != _SCRIPT:
        for name, value in scope["headers"]:
            if name == b"origin":
                return with_credentials(message, value)
    return message


def endpoint_of(path: str) -> str:
    """The path's label in rejections and counters: a known route, so that clients cannot invent labels."""
    if path in _ROUTES:
        return path
    return next((prefix.rstrip("/") for prefix, _, _ in _PREFIXES if path.startswith(prefix)), "/")


def _under(domain: CustomDomainEntry, path: str, scope: Scope) -> tuple[Handler, frozenset[str]] | None:
    """The handler of a path under a custom domain."""
    if not domain.is_verified:
        return None
    scope[CUSTOM_DOMAIN] = domain
    if path in SERVED:
        return _ROUTES[path]
    if is_link_path(path):
        return go, _READ
    return own_host, _FORM if path == f"/{NEWSLETTER_FORM}" else _READ


def _prefixed(path: str) -> tuple[Handler, frozenset[str]] | None:
    if is_link_path(path):
        return go, _READ
    for prefix, handler, methods in _PREFIXES:
        if path.startswith(prefix):
            is_form = prefix == SITES and path.split("/")[3:] == [NEWSLETTER_FORM]
            return handler, _FORM if is_form else methods
    return None
