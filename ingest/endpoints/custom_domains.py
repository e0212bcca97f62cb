"""Publishers' own host names: the one that a request names, and what is served there."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from infra.kernel.http.health import is_loopback
from infra.kernel.http.request_limits import Receive, Scope, Send
from ingest.context import IngestContext
from ingest.directory.directory import CustomDomainEntry
from ingest.errors import EventRejected, Unavailable
from ingest.query_strings import parameters
from ingest.responses import NO_STORE, send_bytes, send_problem
from ingest.visitors.request_context import CUSTOM_DOMAIN, is_trusted
from schemas.custom_domains import PROBE
from schemas.tracking import Outcome

CHECK: Final = "/internal/domain-check"
SERVED: Final = frozenset({"/track", "/track/sale", "/track/lead", "/t.js", "/t.gif", PROBE})
_AFTER_SLUG: Final = "/.,;:!?)]}>'\"*_\u2026\u00bb\u201d\u2019 \t\r\n\u00a0"
_TEXT: Final = ((b"content-type", b"text/plain; charset=utf-8"), NO_STORE)


def domain_of(context: IngestContext, scope: Scope) -> CustomDomainEntry | None:
    """The custom domain that the request names as its host."""
    domains = context.directory.domains
    if not domains:
        return None
    for name, value in scope["headers"]:
        if name == b"host":
            host = plain_host(value.decode("latin-1"))
            domain = domains.get(host)
            return domain if domain is not None and host != own_host(context) else None
    return None


def is_bare_slug(path: str) -> bool:
    """Returns whether the path may be `/{slug}`."""
    return "/" not in path[1:] and "." not in path


def plain_slug(text: str) -> str:
    """The slug that is meant: slugs are lower case, and what follows one in a text (`/`, `.`, a quotation mark) is none
    of it."""
    return text.rstrip(_AFTER_SLUG).lower()


def own_host(context: IngestContext) -> str:
    return urlsplit(context.settings.tracking_base_url).hostname or ""


def plain_host(text: str) -> str:
    """Returns a host as the directory has it: lower case, without port and closing dot."""
    return text.strip().lower().partition(":")[0].rstrip(".")


async def probe(_context: IngestContext, scope: Scope, _receive: Receive, send: Send) -> None:
    """Answers with the domain's id: the checks see by it that the domain leads here."""
    domain: CustomDomainEntry | None = scope.get(CUSTOM_DOMAIN)
    if domain is None:
        await send_problem(send, _not_found())
    else:
        await send_bytes(send, 200, str(domain.id).encode(), _TEXT)


async def check(context: IngestContext, scope: Scope, _receive: Receive, send: Send) -> None:
    """`?domain=`: 200 if it is a verified one, else 404. For the reverse proxy that is about to get a certificate."""
    peer = scope["client"][0] if scope.get("client") else ""
    forwarded = any(name in (b"x-forwarded-for", b"forwarded") for name, _ in scope["headers"])
    if forwarded or not (is_loopback(peer) or is_trusted(peer, context.settings.trusted_proxies)):
        await send_problem(send, _not_found())
        return
    if not context.directory.is_known:
        await send_problem(send, Unavailable("postgres_unavailable", "The directory is not known yet."))
        return
    try:
        name = parameters(scope["query_string"]).get("domain", "")
    except EventRejected as error:
        await send_problem(send, error)
        return
    domain = context.directory.domains.get(plain_host(name))
    if domain is None or not domain.is_verified:
        await send_problem(send, _not_found())
    else:
        await send_bytes(send, 200, b"verified", _TEXT)


def _not_found() -> EventRejected:
    return EventRejected(Outcome.INVALID, "not_found", "There is nothing here.", status=404)
