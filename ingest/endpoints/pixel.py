"""`GET /t.gif`: one event by an image, for pages without scripts (mails, noscript). The image always comes."""

from __future__ import annotations

from base64 import b64decode
from typing import Final

import msgspec

from infra.kernel.http.request_limits import Receive, Scope, Send
from ingest.context import IngestContext
from ingest.directory.directory import KeyEntry
from ingest.directory.request_lookups import RequestLookups
from ingest.endpoints.track import outcome_of, unknown_names
from ingest.errors import EventRejected, Unavailable, invalid, not_looked_up
from ingest.event import SiteEvent
from ingest.pipeline import NO_STEP, PIXEL, Runner
from ingest.query_strings import parameters
from ingest.responses import CORS, send_bytes
from ingest.rows import SentEvent
from ingest.steps.identify_site import identify
from ingest.visitors.request_context import client_of, new_row, request_context
from schemas.tracking import NO_ID

ENDPOINT: Final = "/t.gif"
GIF: Final = b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
_ONLY_IN_BODIES: Final = frozenset({"site", "props", "ip", "user_agent", "consent"})
_FIELDS: Final = frozenset(SentEvent.__struct_fields__) - _ONLY_IN_BODIES


async def pixel(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the image; the status and `X-Refused` tell a developer what is wrong."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    key: KeyEntry | None = None
    lookups = context.lookups(scope, receive)
    runner = PIXEL.runner(context)
    try:
        query = parameters(scope["query_string"])
        runner.current = "identify_site"
        key = await identify(context.directory, query.get("site", ""), headers, ("site",), lookups=lookups)
        await _record(context, key, query, scope, headers, lookups, runner)
        await _image(send, 200)
        runner.current = NO_STEP
    except EventRejected as error:
        runner.drop(error.code)
        website = key.website.id if key is not None else NO_ID
        context.rejections.add(error, ENDPOINT, website_id=website, sample=scope["query_string"])
        await _image(send, error.status, (b"x-refused", error.code.encode()))
    except Unavailable as error:
        await _image(send, 503, (b"retry-after", str(error.retry_after).encode()))


async def _record(
    context: IngestContext,
    key: KeyEntry,
    query: dict[str, str],
    scope: Scope,
    headers: dict[bytes, bytes],
    lookups: RequestLookups,
    runner: Runner[SiteEvent],
) -> None:
    runner.current = "decode"
    fields = {name: value for name, value in query.items() if name in _FIELDS and value}
    try:
        sent = msgspec.convert({"type": "pageview", **fields}, SentEvent, strict=False)
    except msgspec.ValidationError:
        raise invalid("bad_value", "value is an integer (minor units, if it is money)") from None
    if sent.url is None:
        sent.url = headers.get(b"referer", b"").decode("latin-1") or None
    runner.current = "look_up"
    unknown = unknown_names(context.directory, sent)
    if unknown and await context.directory.find_all(unknown, key.website.id, lookups):
        raise not_looked_up()
    runner.current = "limit_rate"
    context.rate_limits.take(key.website.id, 1)
    request = request_context(
        key, client_of(scope, headers, context.settings.trusted_proxies, context.places), "pixel", headers
    )
    event = SiteEvent(request, headers, sent, new_row(request), scope["method"], is_alone=True)
    runner.complete(event)
    runner.current = "publish"
    await context.publisher.submit([event.record])
    runner.current = "answer"
    context.counters.outcomes[ENDPOINT, outcome_of(event.row).value] += 1


async def _image(send: Send, status: int, *more: tuple[bytes, bytes]) -> None:
    headers = ((b"content-type", b"image/gif"), (b"cache-control", b"no-store, private"), *CORS, *more)
    await send_bytes(send, status, GIF, headers)
