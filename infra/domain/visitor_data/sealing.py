"""For whom a record's personal texts are sealed: the leaf of `infra.kernel.security.text_keys`.

Ingest seals with it, an erasure finds with it what to make unreadable. A tracked event is its visitor's; without one
its session's, its click's, or its own. A report of a conversion and a refused request are their own: the erasure knows
their ids.

Ingest and the write side, which states what networks report, seal reports in the same way (`sealed_report`).
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from infra.kernel.log.sealed_texts import sealed_value
from infra.kernel.security.text_keys import TextKey, leaf_of
from schemas import topics
from schemas.click_id import event_id
from schemas.tracking import NO_ID, SEALED_OF_REPORTS, ConversionReported

_NEW_FIELDS: Final = {"txid_scope": "", "other_id": NO_ID, "unread": {}, "exact": {}, "network_sale": None}


def leaf_of_event(website: bytes, visitor: int, session: int, click_id: str, own_id: str) -> bytes:
    """Returns the leaf of a record of topic `clicks`. `website`: the id's bytes; `own_id`: the event's id as text."""
    if visitor:
        return leaf_of("visitor", website, visitor.to_bytes(8, "big"))
    if session:
        return leaf_of("session", website, session.to_bytes(8, "big"))
    if click_id:
        return leaf_of("click", website, event_id(click_id).bytes)
    return leaf_of("event", website, UUID(own_id).bytes)


def leaf_of_report(report_id: UUID) -> bytes:
    """Returns the leaf of a record of topic `conversions`."""
    return leaf_of("report", report_id.bytes)


def leaf_of_refusal(refusal_id: UUID) -> bytes:
    """Returns the leaf of a record of topic `rejected`."""
    return leaf_of("refusal", refusal_id.bytes)


def leaf_of_stream(stream_id: UUID) -> bytes:
    """Returns the leaf of a decided event, in the event store and topic `domain`."""
    return leaf_of("conversion", stream_id.bytes)  # older than other sealed streams; the name never changes


def sealed_report(reported: ConversionReported, record_key: bytes, key: TextKey | None) -> bytes:
    """Returns the value of a record of topic `conversions`: new fields of a report only where they are set, so that a
    version of before reads it. `key`: none is known: the texts are in clear."""
    nothing = {name for name, default in _NEW_FIELDS.items() if getattr(reported, name) == default}
    texts = {name for name in SEALED_OF_REPORTS if getattr(reported, name)}
    if key is None or not texts:
        return reported.model_dump_json(exclude=nothing).encode()
    value = reported.model_dump_json(exclude=nothing | texts).encode()
    sealed = reported.model_dump_json(include=texts).encode()
    return sealed_value(value, sealed, key, leaf_of_report(reported.report_id), topics.CONVERSIONS.name, record_key)
