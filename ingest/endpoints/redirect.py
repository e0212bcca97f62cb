"""`GET /go/{slug}`, under a custom domain also `/{slug}`: a visitor follows a tracked link.

Records the click, mints its id, and sends the visitor on. The destination comes from the link alone. The visitor waits
for the log at most a second: after that the click is kept for another try and the visitor goes on. Machines are
flagged, and sent on like everybody.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Final

import msgspec

from infra.http_guard import Receive, Scope, Send
from infra.log import Record
from ingest import bots
from ingest.answers import NO_STORE, send_bytes
from ingest.clock import log_text, now_ms
from ingest.custom_domains import SCOPE_KEY
from ingest.directory import CustomDomain, Link
from ingest.edge import Edge
from ingest.macros import expand, location
from ingest.query import parameters
from ingest.referrers import MAX_TEXT, Page, clean, host_of, read_page
from ingest.refused import Refused, Unavailable
from ingest.routing import Way, choose
from ingest.rows import SUBS, Row, encode_row
from ingest.steps.enrich import set_client, set_source
from ingest.tracking import outcome_of
from ingest.visit import Client, Visit, client_of
from schemas import click_id, topics
from schemas.tracking import HASH_HEADER, Outcome

ENDPOINT: Final = "/go"
COOKIE: Final = "aff_click_id"
WAIT_S: Final = 1.0
DEFAULT_COOKIE_DAYS: Final = 30
PREFIX: Final = "/go/"


async def go(edge: Edge, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers one redirect: 302, 404 unknown, 410 gone."""
    path: str = scope["path"]
    slug = path.removeprefix(PREFIX) if path.startswith(PREFIX) else path[1:]
    domain: CustomDomain | None = scope.get(SCOPE_KEY)
    headers: dict[bytes, bytes] = dict(scope["headers"])
    try:
        check = edge.tolls.checking(scope, edge.settings.trusted_proxies)
        link = await edge.directory.link(slug, check) if 0 < len(slug) <= MAX_TEXT else None
    except Refused as error:
        await _page(send, 429, "Please try again", "Too many unknown links were followed here.", error.retry_after)
        return
    except Unavailable as error:
        await _page(send, 503, "Please try again", "This link cannot be looked up right now.", error.retry_after)
        return
    if link is not None and domain is not None and link.website.id != domain.website_id:
        link = None  # another website's: not here
    if link is None:
        _refuse(edge, slug, link)
        await _page(send, 404, "Link not found", "There is no link at this address.")
        return
    client = client_of(scope, headers, edge.settings.trusted_proxies, edge.places)
    way = _way(edge, link, client)
    if way is None:
        _refuse(edge, slug, link)
        await _page(send, 410, "Link no longer available", "This link has been switched off.")
        return
    row = _click(edge, link, client, scope, headers)
    if way.name:
        row.props = msgspec.json.encode({"route": way.name}).decode()
    await _publish(edge, row)
    destination = expand(way.destination, macro_values(link, row))
    cookie = _cookie(edge, link, row.click_id, scope)
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


def _way(edge: Edge, link: Link, client: Client) -> Way | None:
    """Where this visitor goes. Who they are is kept nowhere: the choice follows from their address and browser."""
    told = f"{link.id_text} {client.address} {client.agent_text}".encode("utf-8", "surrogateescape")
    visitor = int.from_bytes(blake2b(told, key=edge.click_key[:64], digest_size=8).digest(), "big")
    return choose(link.destination, link.routing, link.is_gone, client.country, client.agent.device, visitor, now_ms())


def macro_values(link: Link, row: Row) -> dict[str, str]:
    """What the macros of a destination stand for, for this click."""
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


def _click(edge: Edge, link: Link, client: Client, scope: Scope, headers: Mapping[bytes, bytes]) -> Row:
    now = now_ms()
    visit = Visit(link.website, "secret", "redirect", client, now, log_text(now))
    text = click_id.mint(
        edge.click_key,
        at=datetime.fromtimestamp(now / 1000, UTC),
        link_code=link.code,
        website_id=link.website.id,
        country=client.country,
        device=client.agent.device,
        nonce=int.from_bytes(os.urandom(4), "big"),
    )
    row = Row(
        str(click_id.event_id(text)), link.website.id_text, "click", visit.received, visit.received, origin="redirect"
    )
    row.click_id, row.link_id, row.partner_id = text, link.id_text, link.partner_id
    query = _query(scope["query_string"])
    given = dict(link.subs)
    for name in SUBS:
        value = query.get(name) or given.get(name, "")
        if value:
            setattr(row, name, clean(value)[:MAX_TEXT])
    referrer_host = host_of(headers.get(b"referer", b"").decode("latin-1"))
    set_client(row, client)
    set_source(row, _page_of(scope, headers), referrer_host, link.website.domain)
    reason = bots.visit_reason(client.agent, bool(client.agent_text), headers, scope["method"], referrer_host)
    row.is_bot, row.bot_reason = bool(reason), reason
    row.visitor = edge.hasher.passing_visitor(visit, now)
    edge.suspicions.judge_redirect(visit, headers, edge.is_https(scope), row)
    return row


def _page_of(scope: Scope, headers: Mapping[bytes, bytes]) -> Page:
    """The link's own address, whose query may carry UTM parameters."""
    query = scope["query_string"].decode("latin-1")
    host = headers.get(b"host", b"").decode("latin-1")
    try:
        return read_page(f"https://{host}{scope['path']}" + ("?" + query if query else ""))
    except Refused:
        return Page("", scope["path"][:MAX_TEXT])


def _query(query: bytes) -> dict[str, str]:
    try:
        return parameters(query) if query else {}
    except Refused:
        return {}


async def _publish(edge: Edge, row: Row) -> None:
    """The click into the log, or to the retries when that takes too long."""
    content = blake2b(row.click_id.encode(), digest_size=8).digest()
    record = Record(topics.CLICKS.name, row.event_id.encode(), encode_row(row), ((HASH_HEADER, content),))
    edge.counters.outcomes[ENDPOINT, outcome_of(row).value] += 1
    try:
        done = edge.publisher.submit([record])
    except Unavailable:
        edge.retries.add(record)
        return
    await asyncio.wait((done,), timeout=WAIT_S)
    if not done.done():
        edge.retries.watch(done, record)
    elif done.exception() is not None:
        edge.retries.add(record)


def _cookie(edge: Edge, link: Link, text: str, scope: Scope) -> str:
    partner = edge.directory.partners.get(link.partner_id)
    days = partner.cookie_days if partner is not None else DEFAULT_COOKIE_DAYS
    secure = "; Secure" if edge.is_https(scope) else ""
    return f"{COOKIE}={text}; Max-Age={days * 86400}; Path=/; SameSite=Lax{secure}"


def _refuse(edge: Edge, slug: str, link: Link | None) -> None:
    if link is None:
        edge.counters.outcomes[ENDPOINT, Outcome.UNKNOWN_SITE.value] += 1
        return  # no website to show it to; slugs are guessed all day long
    error = Refused(Outcome.NOT_ALLOWED, "link_gone", "The link or its partner program is switched off.", status=410)
    edge.refusals.add(error, ENDPOINT, website_id=link.website.id, sample=slug)


async def _page(send: Send, status: int, title: str, text: str, retry_after: int = 0) -> None:
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
