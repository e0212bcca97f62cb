"""Step stamp: the event's id and times, and the hash by which a repeated id is told from a conflicting one."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final
from uuid import UUID

import msgspec

from infra.log import Headers
from ingest.clock import DAY_MS, log_text, parse_moment
from ingest.refused import Refused, invalid
from ingest.rows import Row, SentEvent
from ingest.visit import Visit
from schemas.tracking import HASH_HEADER, Outcome
from schemas.uuid7 import uuid7_text

AHEAD_MS: Final = 60_000
PAST_MS: Final = {"secret": 30 * DAY_MS, "site": DAY_MS}
FUTURE_CLAMPED: Final = "future_clamped"
BACKFILL: Final = "backfill"
_PAST_TEXT: Final = {"secret": "30 days back with a secret key", "site": "24 hours back with a site key"}
_CANONICAL: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_encode: Final = msgspec.json.Encoder(order="deterministic").encode


def moment_of(visit: Visit, occurred_at: str | int | None) -> tuple[int, bool]:
    """When it happened, in ms, and whether that was set to now because it lay ahead. Raises `Refused`."""
    if occurred_at is None:
        return visit.now, False
    occurred = parse_moment(occurred_at)
    if occurred > visit.now + AHEAD_MS:
        return visit.now, True
    kind = visit.kind if visit.kind in PAST_MS else "secret"
    if occurred < visit.now - PAST_MS[kind] and not visit.backfill:
        raise Refused(Outcome.TOO_OLD, "too_old", f"occurred_at may be up to {_PAST_TEXT[kind]}.")
    return occurred, False


def stamp(visit: Visit, sent: SentEvent, row: Row, occurred: int, clamped: bool) -> Headers:
    """Sets id and times; gives the record's headers."""
    row.occurred_at = row.received_at if occurred == visit.now else log_text(occurred)
    if clamped:
        row.flags = FUTURE_CLAMPED
    elif visit.backfill:
        row.flags = BACKFILL
    if sent.id is None:
        row.event_id = uuid7_text(visit.now)
        return ()
    row.event_id = event_id(sent.id)
    return ((HASH_HEADER, content_hash(sent)),)


def event_id(sent: str) -> str:
    """Any UUID in its usual form. Raises `Refused` (bad_id)."""
    if _CANONICAL.fullmatch(sent):
        return sent
    try:
        return str(UUID(sent))
    except ValueError:
        raise invalid("bad_id", "id is not a UUID") from None


def content_hash(sent: SentEvent) -> bytes:
    """8 bytes of what was sent; the order of its fields and how the site was named do not count."""
    sent.id = sent.site = None
    return blake2b(_encode(sent), digest_size=8).digest()
