"""From a decided event to a row of type `conversion` in `events`: the change it made, under its click's dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, get_args
from uuid import uuid5

import orjson

from infra.kernel.log import StoredRecord
from projectors.engine.projection import Batch, DedupIndex
from projectors.rollups.decided_rows import add_rows
from projectors.rollups.event_rules import EventRules
from schemas.base import DomainEvent
from schemas.events import conversions
from schemas.tracking import NO_ID, SUBS, log_time

_NO_RULES: Final = EventRules()
NAMES: Final = frozenset(event_class.NAME.encode() for event_class in get_args(conversions.ConversionStep))


def to_rows(records: Sequence[StoredRecord], _known: DedupIndex, batch: Batch) -> None:
    """Makes the rows of `events` for conversions that have a click (`projection.RowMaker`)."""
    rules = batch.parameters or _NO_RULES

    def rows_of(event: DomainEvent) -> Iterator[Mapping[str, Any]]:
        if (row := row_of(event)) is not None:
            yield without_person(row, rules)

    add_rows(records, batch, NAMES, rows_of)


def without_person(row: Mapping[str, Any], rules: EventRules) -> Mapping[str, Any]:
    """Returns the row as it is left once the person behind its conversion was forgotten."""
    for erasure in rules.forgotten.get(row["website_id"], ()):
        if row["conversion_id"] in erasure.conversions:
            row = erasure.applied(row)
    return row


def row_of(event: DomainEvent) -> Mapping[str, Any] | None:
    """The row that `event` comes to, without its place in the log; none without a click.

    The values of a conversion's rows add up to the part of the sale that stands, in minor units of the currency that
    it was reported in (`currency`). The changes of commission are in the website's currency. `origin` is `claim` while
    nothing but the public site key reports the conversion.
    """
    if not isinstance(event, conversions.ConversionStep):
        return None
    facts, change = event.facts, event.change
    if facts.attribution is None:
        return None
    return {
        "website_id": facts.website_id,
        "event_id": uuid5(event.originator_id, str(event.originator_version)),
        "type": "conversion",
        "occurred_at": log_time(facts.occurred_at),
        "received_at": log_time(event.timestamp),
        **_dimensions(facts.attribution),
        "value": _value(event),
        "currency": facts.amount.currency,
        "origin": "claim" if _key_kind(event) == "site" else "decision",
        "conversion_id": event.originator_id,
        "event_name": facts.event,
        "d_pending": change.pending,
        "d_approved": change.approved,
        "d_rejected": change.rejected,
        "d_reversed": change.reversed,
        "c_pending": change.commission_pending,
        "c_approved": change.commission_approved,
        "c_reversed": change.commission_reversed,
    }


def _dimensions(click: conversions.Attribution) -> dict[str, Any]:
    return {
        "visitor": click.visitor,
        "country": click.country,
        "device": click.device,
        "source": click.source,
        "click_id": click.click_id,
        "link_id": click.link_id or NO_ID,
        "partner_id": click.partner_id,
        "coupon": click.coupon,
        "props": orjson.dumps({"route": click.route}).decode() if click.route else "",
        **click.visit.model_dump(),
        **{name: value for name, value in click.subs.items() if name in SUBS},
    }


def _key_kind(event: conversions.ConversionStep) -> str:
    if isinstance(event, conversions.ConversionRecorded):
        return event.reported.key_kind if event.reported else ""
    return event.key_kind


def _value(event: conversions.ConversionStep) -> int:
    match event:
        case conversions.ConversionRecorded():
            return event.facts.amount.amount
        case conversions.ConversionAttributed():  # the steps before had no click, and made no rows
            return event.facts.amount.amount - event.reversed_amount
        case conversions.ConversionReversed():
            return -event.amount.amount
        case conversions.ConversionReopened():
            return event.restored.amount if event.restored else 0
        case conversions.ConversionWithdrawn():
            return -event.value.amount
        case conversions.ConversionRestated():
            return event.facts.amount.amount - event.reversed_amount
        case _:
            return 0
