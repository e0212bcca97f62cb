"""`GET /t.gif`: one event by an image, for pages without scripts (mails, noscript). The image always comes."""

from __future__ import annotations

from base64 import b64decode
from typing import Final

import msgspec

from infra.http_guard import Receive, Scope, Send
from infra.log import Record
from ingest import bots
from ingest.answers import CORS, send_bytes
from ingest.directory import Key
from ingest.edge import Edge
from ingest.query import parameters
from ingest.refused import Refused, Unavailable, invalid
from ingest.rows import SentEvent, encode_row
from ingest.steps.enrich import enrich
from ingest.steps.identify_site import identify
from ingest.steps.stamp import moment_of, stamp
from ingest.steps.validate import begin_row
from ingest.tracking import outcome_of
from ingest.visit import client_of, visit_of
from schemas import topics
from schemas.tracking import NO_ID

ENDPOINT: Final = "/t.gif"
GIF: Final = b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
_ONLY_IN_BODIES: Final = frozenset({"site", "props", "ip", "user_agent"})
_FIELDS: Final = frozenset(SentEvent.__struct_fields__) - _ONLY_IN_BODIES


async def pixel(edge: Edge, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the image; the status and `X-Refused` tell a developer what is wrong."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    key: Key | None = None
    check = edge.tolls.checking(scope, edge.settings.trusted_proxies)
    try:
        query = parameters(scope["query_string"])
        key = await identify(edge.directory, query.get("site", ""), headers, ("site",), before_lookup=check)
        await _record(edge, key, query, scope, headers)
        await _image(send, 200)
    except Refused as error:
        website = key.website.id if key is not None else NO_ID
        edge.refusals.add(error, ENDPOINT, website_id=website, sample=scope["query_string"])
        await _image(send, error.status, (b"x-refused", error.code.encode()))
    except Unavailable as error:
        await _image(send, 503, (b"retry-after", str(error.retry_after).encode()))


async def _record(edge: Edge, key: Key, query: dict[str, str], scope: Scope, headers: dict[bytes, bytes]) -> None:
    given = {name: value for name, value in query.items() if name in _FIELDS and value}
    try:
        sent = msgspec.convert({"type": "pageview", **given}, SentEvent, strict=False)
    except msgspec.ValidationError:
        raise invalid("bad_value", "value is an integer (minor units, if it is money)") from None
    if sent.url is None:
        sent.url = headers.get(b"referer", b"").decode("latin-1") or None
    if sent.link is not None:
        await edge.directory.link_of(sent.link)
    if sent.partner:
        await edge.directory.partner_of(sent.partner)
    edge.rates.take(key.website.id, 1)
    visit = visit_of(key, client_of(scope, headers, edge.settings.trusted_proxies, edge.places), "pixel", headers)
    row = begin_row(visit, sent)
    enrich(edge.directory, edge.click_key, visit, sent, row)
    agent = visit.client.agent
    reason = bots.visit_reason(agent, bool(visit.client.agent_text), headers, scope["method"], row.referrer_host)
    row.is_bot, row.bot_reason = bool(reason), reason
    occurred, clamped = moment_of(visit, sent.occurred_at)
    edge.hasher.pseudonymise(visit, sent, row, occurred)
    edge.suspicions.judge(visit, headers, row, is_named=bool(sent.visitor_id))
    record_headers = stamp(visit, sent, row, occurred, clamped)
    record = Record(topics.CLICKS.name, row.event_id.encode(), encode_row(row), record_headers, visit.now)
    await edge.publisher.submit([record])
    edge.counters.outcomes[ENDPOINT, outcome_of(row).value] += 1


async def _image(send: Send, status: int, *more: tuple[bytes, bytes]) -> None:
    headers = ((b"content-type", b"image/gif"), (b"cache-control", b"no-store, private"), *CORS, *more)
    await send_bytes(send, status, GIF, headers)
