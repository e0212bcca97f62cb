"""`GET /go/{slug}`, under a custom domain also `/{slug}`: a visitor follows a tracked link.

Records the click, mints its id, and sends the visitor on. The destination comes from the link alone. The visitor waits
for the log at most a second: after that the click is kept for another try and the visitor goes on. Machines are
flagged, and sent on like everybody.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Final

from infra.kernel.http.request_limits import Receive, Scope, Send
from infra.kernel.log import Record
from ingest.clock import now_ms
from ingest.context import IngestContext
from ingest.directory.directory import CustomDomainEntry, LinkEntry
from ingest.endpoints.custom_domains import plain_slug
from ingest.endpoints.track import outcome_of
from ingest.errors import EventRejected, Unavailable
from ingest.event import LinkClick
from ingest.links.macros import expand, location
from ingest.links.routing import Route, choose
from ingest.origins.referrers import MAX_TEXT
from ingest.pipeline import NO_STEP, REDIRECT
from ingest.responses import NO_STORE, send_bytes
from ingest.visitors.request_context import CUSTOM_DOMAIN, RequestClient, client_of, new_request, new_row
from schemas.tracking import ROUTED, SUBS, Outcome, TrackedEvent

ENDPOINT: Final = "/go"
COOKIE: Final = "aff_click_id"
WAIT_S: Final = 1.0
DEFAULT_COOKIE_DAYS: Final = 30
PREFIX: Final = "/go/"


def is_link_path(path: str) -> bool:
    """Returns whether the path is `/go/{slug}`, in upper or lower case."""
    return path[: len(PREFIX)].lower() == PREFIX


async def go(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers one redirect: 302, 404 unknown, 410 gone."""
    path: str = scope["path"]
    slug = plain_slug(path[len(PREFIX) :] if is_link_path(path) else path[1:])
    domain: CustomDomainEntry | None = scope.get(CUSTOM_DOMAIN)
    headers: dict[bytes, bytes] = dict(scope["headers"])
    runner = REDIRECT.runner(context)
    try:
        lookups = context.lookups(scope, receive)
        link = await context.directory.link(slug, lookups) if 0 < len(slug) <= MAX_TEXT else None
    except EventRejected as error:
        runner.drop(error.code)
        await send_page(send, 429, "Please try again", "Too many unknown links were followed here.", error.retry_after)
        return
    except Unavailable as error:
        await send_page(send, 503, "Please try again", "This link cannot be looked up right now.", error.retry_after)
        return
    if link is not None and domain is not None and link.website.id != domain.website_id:
        link = None  # another website's: not here
    if link is None:
        runner.drop("unknown_link")
        # No website to show it to; slugs are guessed all day long.
        context.counters.outcomes[ENDPOINT, Outcome.UNKNOWN_SITE.value] += 1
        await send_page(send, 404, "Link not found", "There is no link at this address.")
        return
    runner.current = "choose_route"
    client = client_of(scope, headers, context.settings.trusted_proxies, context.places)
    route = _choose_route(context, link, client)
    if route is None:
        runner.drop("link_gone")
        _refuse(context, slug, link)
        await send_page(send, 410, "Link no longer available", "This link has been switched off.")
        return
    event = _click(link, route, client, scope, headers)
    runner.complete(event)
    runner.current = "publish"
    row = event.row
    await _publish(context, row, event.record)
    runner.current = "answer"
    destination = expand(route.destination, macro_values(link, row))
    cookie = _cookie(context, row, scope)
    await send_bytes(
        send,
        302,
        b"",
        (
            (b"location", location(destination)),
            (b"set-cookie", cookie.encode()),
            NO_STORE,
            (b"referrer-policy", b"no-referrer-when-downgrade"),
            (b"x-robots-tag", b"noindex, nofollow"),
        ),
    )
    runner.current = NO_STEP


def _choose_route(context: IngestContext, link: LinkEntry, client: RequestClient) -> Route | None:
    """Returns where this visitor goes. Who they are is kept nowhere: the choice follows from their address and
    browser."""
    seed = f"{link.id_text} {client.address} {client.agent_text}".encode("utf-8", "surrogateescape")
    visitor = int.from_bytes(blake2b(seed, key=context.click_key[:64], digest_size=8).digest(), "big")
    return choose(link.destination, link.routing, link.is_gone, client.country, client.agent.device, visitor, now_ms())


def macro_values(link: LinkEntry, row: TrackedEvent) -> dict[str, str]:
    """Returns the values of a destination's macros for this click."""
    values = {
        "click_id": row.click_id,
        "clickid": row.click_id,
        "link": link.slug,
        "website": link.website.domain,
        "country": row.country,
        "device": row.device,
        "timestamp": str(int(datetime.fromisoformat(row.occurred_at + "+00:00").timestamp())),
        "random": str(random.randrange(10**9, 10**10)),  # noqa: S311 - against caches, not against attackers
    }
    values.update((name, getattr(row, name)) for name in SUBS)
    return values


def _click(
    link: LinkEntry, route: Route, client: RequestClient, scope: Scope, headers: Mapping[bytes, bytes]
) -> LinkClick:
    request = new_request(link.website, "secret", ROUTED, client, now_ms())
    row = new_row(request)
    row.type, row.occurred_at = "click", request.received
    return LinkClick(request, headers, scope["method"], scope, link, route, row)


async def _publish(context: IngestContext, row: TrackedEvent, record: Record) -> None:
    """The click into the log, or to the retries when that takes too long."""
    context.counters.outcomes[ENDPOINT, outcome_of(row).value] += 1
    try:
        done = context.publisher.submit([record])
    except Unavailable:
        context.retries.add(record)
        return
    await asyncio.wait((done,), timeout=WAIT_S)
    if not done.done():
        context.retries.watch(done, record)
    elif done.exception() is not None:
        context.retries.add(record)


def _cookie(context: IngestContext, row: TrackedEvent, scope: Scope) -> str:
    partner = context.directory.partners.get(row.partner_id)
    days = partner.cookie_days if partner is not None else DEFAULT_COOKIE_DAYS
    secure = "; Secure" if context.is_https(scope) else ""
    return f"{COOKIE}={row.click_id}; Max-Age={days * 86400}; Path=/; SameSite=Lax{secure}"


def _refuse(context: IngestContext, slug: str, link: LinkEntry) -> None:
    error = EventRejected(
        Outcome.NOT_ALLOWED, "link_gone", "The link or its partner program is switched off.", status=410
    )
    context.rejections.add(error, ENDPOINT, website_id=link.website.id, sample=slug)


async def send_page(send: Send, status: int, title: str, text: str, retry_after: int = 0) -> None:
    """Answers a visitor with a small page of the installation."""
    body = _PAGE.format(title=title, text=text).encode()
    headers = [(b"content-type", b"text/html; charset=utf-8"), NO_STORE, (b"x-robots-tag", b"noindex, nofollow")]
    if retry_after:
        headers.append((b"retry-after", str(retry_after).encode()))
    await send_bytes(send, status, body, tuple(headers))


_PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem;color:#1f2937}}
h1{{font-size:1.5rem}}@media(prefers-color-scheme:dark){{body{{background:#111827;color:#e5e7eb}}}}</style>
<h1>{title}</h1><p>{text}</p></html>
"""
