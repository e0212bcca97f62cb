"""The steps of a followed link. The visitor is sent on whatever they find: none of them drops."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b

import msgspec

from infra.domain.publishing.serving import PAGE_PARAMETER, PLACEMENT_PARAMETER
from infra.kernel.http.request_limits import Scope
from ingest.errors import EventRejected
from ingest.event import LinkClick
from ingest.origins.referrers import MAX_TEXT, ReferrerPage, clean, host_of, is_within, read_page
from ingest.page_paths import readable_path
from ingest.query_strings import parameters
from ingest.steps.enrich import set_source
from ingest.steps.pseudonymise import Hasher
from ingest.visitors.request_context import CUSTOM_DOMAIN
from ingest.visitors.suspicion import SuspicionDetector
from schemas import click_id
from schemas.tracking import HASH_HEADER, PAGE_NAMED, SUBS


def mint_click_id(event: LinkClick, *, click_key: bytes) -> None:
    """Sets click id, event id, link and partner, and the route that the link's rules chose. The record may be published
    again, so it has a hash."""
    request, link, row = event.request, event.link, event.row
    client = request.client
    text = click_id.mint(
        click_key,
        at=datetime.fromtimestamp(request.now / 1000, UTC),
        link_code=link.code,
        website_id=link.website.id,
        country=client.country,
        device=client.agent.device,
        nonce=int.from_bytes(os.urandom(4), "big"),
        partner_place=link.place_of(event.route.partner_id),
    )
    row.event_id = str(click_id.event_id(text))
    row.click_id, row.link_id, row.partner_id = text, link.id_text, event.route.partner_id or link.partner_id
    event.record_headers = ((HASH_HEADER, blake2b(text.encode(), digest_size=8).digest()),)
    if event.route.name:
        row.props = msgspec.json.encode({"route": event.route.name}).decode()


def set_subs(event: LinkClick) -> None:
    """Sets the sub ids: those of the query, else the link's own."""
    query, defaults = _query(event.scope["query_string"]), dict(event.link.subs)
    for name in SUBS:
        value = query.get(name) or defaults.get(name, "")
        if value:
            setattr(event.row, name, clean(value)[:MAX_TEXT])


def enrich(event: LinkClick) -> None:
    """Sets page and source; the page is the link's own address. Its UTM parameters are those of the query, else the
    link's own.

    Pages of the website builder name themselves and the block in the link's query: then `path` and `placement` are
    theirs, and the host is the one that referred, if it is the website's. Anybody may write both into a link, as with
    sub ids, so they are texts and mean nothing else.
    """
    referrer_host = host_of(event.headers.get(b"referer", b"").decode("latin-1"))
    page = _page_of(event)
    if event.link.utm and not (page.utm_source or page.utm_medium or page.utm_campaign):
        utm = dict(event.link.utm)
        source, medium = utm.get("utm_source", ""), utm.get("utm_medium", "")
        page = replace(page, utm_source=source, utm_medium=medium, utm_campaign=utm.get("utm_campaign", ""))
    set_source(event.row, page, referrer_host, event.request)
    query = _query(event.scope["query_string"])
    of_page = query.get(PAGE_PARAMETER, "")
    if of_page.startswith("/"):
        event.row.path = readable_path(clean(of_page.partition("?")[0]))[:MAX_TEXT]
        event.row.flags = PAGE_NAMED
        event.row.hostname = _host_of_page(event, page.hostname)
        event.row.placement = clean(query.get(PLACEMENT_PARAMETER, ""))[:MAX_TEXT]


def pseudonymise(event: LinkClick, *, hasher: Hasher) -> None:
    """Sets the visitor of the day."""
    event.row.visitor = hasher.daily_visitor_id(event.request, event.request.now)


def detect_suspicion(
    event: LinkClick, *, suspicion_detector: SuspicionDetector, is_https: Callable[[Scope], bool]
) -> None:
    """Marks clicks that are probably faked."""
    suspicion_detector.judge_redirect(event.request, event.headers, is_https(event.scope), event.row)


def _page_of(event: LinkClick) -> ReferrerPage:
    """The link's own address, whose query may carry UTM parameters."""
    query = event.scope["query_string"].decode("latin-1")
    host = event.headers.get(b"host", b"").decode("latin-1")
    try:
        return read_page(f"https://{host}{event.scope['path']}" + ("?" + query if query else ""))
    except EventRejected:
        return ReferrerPage("", event.scope["path"][:MAX_TEXT])


def _host_of_page(event: LinkClick, own: str) -> str:
    """The host of the page that names itself in a link under the host `own`."""
    domain = event.link.website.domain
    try:
        referring = read_page(event.headers.get(b"referer", b"").decode("latin-1")).hostname
    except EventRejected:
        referring = ""
    if referring and (referring == own or is_within(referring, domain)):
        return referring
    return own if CUSTOM_DOMAIN in event.scope or is_within(own, domain) else domain


def _query(query: bytes) -> dict[str, str]:
    try:
        return parameters(query) if query else {}
    except EventRejected:
        return {}
