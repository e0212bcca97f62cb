"""Step stamp: the event's id and times, and the hash that distinguishes a repeated id from a conflicting one."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Final
from uuid import UUID, uuid5

import msgspec

from ingest.clock import DAY_MS, log_text, parse_moment
from ingest.directory.directory import WebsiteRow
from ingest.errors import EventRejected, invalid
from ingest.event import SiteEvent
from ingest.rows import SentEvent
from ingest.visitors.request_context import RequestContext
from schemas.tracking import HASH_HEADER, IMPRESSION, Outcome, TrackedEvent
from schemas.uuid7 import uuid7_text

AHEAD_MS: Final = 60_000
PAST_MS: Final = {"secret": 30 * DAY_MS, "site": DAY_MS}
CLOCK_MS: Final = 60_000
"""A sender's clock that is further off is corrected; less may be the request's own way."""
FUTURE_CLAMPED: Final = "future_clamped"
CLOCK_CORRECTED: Final = "clock_corrected"
BACKFILL: Final = "backfill"
_PAST_TEXT: Final = {"secret": "30 days back with a secret key", "site": "24 hours back with a site key"}
_CANONICAL: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
MAX_VIEW: Final = 64
"""Characters of a page view's id."""
_encode: Final = msgspec.json.Encoder(order="deterministic").encode


def event_time(request: RequestContext, occurred_at: str | int | None, off: int = 0) -> tuple[int, bool]:
    """Returns when it happened, in ms, and whether that was set to now because it lay ahead. `off`: what the sender's
    clock lacks, in ms. Raises `EventRejected`."""
    if occurred_at is None:
        return request.now, False
    occurred = parse_moment(occurred_at) + off
    if occurred > request.now + AHEAD_MS:
        return request.now, True
    kind = request.kind if request.kind in PAST_MS else "secret"
    if occurred < request.now - PAST_MS[kind] and not request.backfill:
        raise EventRejected(Outcome.TOO_OLD, "too_old", f"occurred_at may be up to {_PAST_TEXT[kind]}.")
    return occurred, False


def set_time(event: SiteEvent) -> None:
    """Sets when it happened. Raises `EventRejected` (bad_time, too_old)."""
    request, occurred_at = event.request, event.sent.occurred_at
    if occurred_at is None:
        event.occurred = request.now
    else:
        sent_at = event.sent.sent_at
        event.clock_off = 0 if sent_at is None or request.backfill else clock_off(request, sent_at)
        event.occurred, event.is_clamped = event_time(request, occurred_at, event.clock_off)
    require_kept(request.website, event.occurred)


def require_kept(website: WebsiteRow, occurred: int) -> None:
    """Raises `EventRejected` (too_old) for an event of a day whose events have expired: it would change sums that
    nothing explains any more."""
    if occurred < website.kept_from_ms:
        kept_from = datetime.fromtimestamp(website.kept_from_ms / 1000, UTC).date()
        message = f"Individual events before {kept_from} (UTC) are deleted by this website's retention setting."
        raise EventRejected(Outcome.TOO_OLD, "expired", message)


def clock_off(request: RequestContext, sent_at: str | int) -> int:
    """The ms that the clock of a sender lacks, which reads `sent_at` while it sends: 0 for one that is right, and for
    a text that is no time."""
    try:
        off = request.now - parse_moment(sent_at)
    except EventRejected:
        return 0
    return off if abs(off) > CLOCK_MS else 0


def stamp(event: SiteEvent) -> None:
    """Sets the record's id, times and headers. A click that has a click id of its own has the id that follows from it,
    by which its sale finds it. Raises `EventRejected` (bad_id)."""
    request, sent, row = event.request, event.sent, event.row
    row.occurred_at = row.received_at if event.occurred == request.now else log_text(event.occurred)
    if event.is_clamped:
        row.flags = FUTURE_CLAMPED
    elif request.backfill:
        row.flags = BACKFILL
    elif event.clock_off:
        row.flags = CLOCK_CORRECTED
    if sent.view is not None and row.type == IMPRESSION and request.kind == "site" and 0 < len(sent.view) <= MAX_VIEW:
        row.event_id = impression_id(request.website.id, sent.view, row)
        event.record_headers = ((HASH_HEADER, blake2b(row.event_id.encode(), digest_size=8).digest()),)
    elif sent.id is None and not event.own_id:
        row.event_id = uuid7_text(request.now)
    else:
        row.event_id = event.own_id or event_id(sent.id or "")
        event.record_headers = ((HASH_HEADER, content_hash(sent)),)


def impression_id(website: UUID, view: str, row: TrackedEvent) -> str:
    """The id of a link that was in view in one page view: it repeats, so that the link counts once."""
    where = _url_in(row.props) if row.props else ""
    return str(uuid5(website, "\n".join((IMPRESSION, view, where, row.placement, row.link_id, row.partner_id))))


class _Props(msgspec.Struct):
    url: str = ""


def _url_in(props: str) -> str:
    try:
        return _decode_props(props).url or props
    except msgspec.ValidationError:
        return props


def event_id(sent: str) -> str:
    """Returns the UUID in its usual form. Raises `EventRejected` (bad_id)."""
    if _CANONICAL.fullmatch(sent):
        return sent
    try:
        return str(UUID(sent))
    except ValueError:
        raise invalid("bad_id", "id is not a UUID") from None


def content_hash(sent: SentEvent) -> bytes:
    """Returns a hash of 8 bytes of what was sent; the order of its fields, how the site was named, when it was sent and
    with which consent do not count."""
    sent.id = sent.site = sent.sent_at = None
    consent = sent.ad_params, sent.consent, sent.gpc
    sent.ad_params = sent.consent = sent.gpc = None
    digest = blake2b(_encode(sent), digest_size=8).digest()
    sent.ad_params, sent.consent, sent.gpc = consent
    return digest


_decode_props: Final = msgspec.json.Decoder(_Props).decode
