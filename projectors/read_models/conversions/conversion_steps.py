"""`read.conversion_steps`: every event of every conversion with its money and its place in the log.

Statements add up `earned`; the explanation of an amount reads the whole history of its conversion.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.base import ERASED, DomainEvent
from schemas.events import conversions

Note = (
    conversions.ConversionReportConflicted
    | conversions.ConversionReportMerged
    | conversions.ConversionAdjustmentProposed
    | conversions.ConversionAdjustmentDismissed
    | conversions.ConversionAssigned
    | conversions.ConversionForgotten
)
"""Events that move nothing."""

CONVERSION_STEPS: Final = ReadModel(
    name="conversion_steps",
    version=6,
    columns=(
        "conversion_id uuid",
        "version int",
        "website_id uuid not null",
        "partner_id uuid",
        "name text not null",
        "at timestamptz not null",
        "actor_id uuid",
        "position bigint not null",
        "log_offset bigint not null",
        "txid text",
        "event text",
        "occurred_at timestamptz",
        "hold_until timestamptz",
        "currency text",
        "pending bigint not null default 0",
        "earned bigint not null default 0",
        "reversed bigint not null default 0",
        # 1: it began to count as approved, also with a commission of nothing; -1: no longer.
        "approved int not null default 0",
        "detail jsonb not null",
    ),
    key=("conversion_id", "version"),
    readers=OWN_WEBSITES,
    indexes=("website_id, at", "website_id, hold_until", "position"),
)

_HEAD: Final = {"originator_id", "originator_version", "timestamp", "actor_id", "change", "customer", "website_id"}


def _note(rows: Rows, event: Note) -> None:
    rows.put(**_place(rows, event), website_id=event.website_id, detail=event.model_dump(mode="json", exclude=_HEAD))


def _put_with_facts(
    rows: Rows,
    event: conversions.ConversionRecorded | conversions.ConversionAttributed | conversions.ConversionRestated,
) -> None:
    """Stores the step with the inputs of a commission. Data of the visitor is not included."""
    excluded: Any = {"website_id": True, "attribution": {"visitor"}}
    _put(rows, event, facts=event.facts.model_dump(mode="json", exclude=excluded))


def _put(rows: Rows, event: conversions.ConversionStep, **details: Any) -> None:
    attribution = event.facts.attribution
    hold = timedelta(days=attribution.terms.hold_days) if attribution else None
    rows.put(
        **_place(rows, event),
        website_id=event.facts.website_id,
        partner_id=attribution.partner_id if attribution else None,
        txid=event.facts.txid,
        event=event.facts.event,
        occurred_at=event.facts.occurred_at,
        hold_until=event.facts.occurred_at + hold if hold is not None else None,
        currency=event.change.currency,
        pending=event.change.commission_pending,
        earned=event.change.commission_approved,
        reversed=event.change.commission_reversed,
        approved=event.change.approved,
        detail=event.model_dump(mode="json", exclude={*_HEAD, "facts"}) | details,
    )


def _place(rows: Rows, event: DomainEvent) -> dict[str, Any]:
    return {
        "conversion_id": event.originator_id,
        "version": event.originator_version,
        "name": event.NAME,
        "at": event.timestamp,
        "actor_id": event.actor_id,
        "position": rows.position,
        "log_offset": rows.offset,
    }


CONVERSION_STEPS.on(conversions.ConversionRecorded)(_put_with_facts)
CONVERSION_STEPS.on(conversions.ConversionAttributed)(_put_with_facts)
CONVERSION_STEPS.on(conversions.ConversionApproved)(_put)
CONVERSION_STEPS.on(conversions.ConversionRejected)(_put)
CONVERSION_STEPS.on(conversions.ConversionReversed)(_put)
CONVERSION_STEPS.on(conversions.ConversionReopened)(_put)
CONVERSION_STEPS.on(conversions.ConversionWithdrawn)(_put)
CONVERSION_STEPS.on(conversions.ConversionRestated)(_put_with_facts)
CONVERSION_STEPS.on(conversions.ConversionReportConflicted)(_note)
CONVERSION_STEPS.on(conversions.ConversionReportMerged)(_note)
CONVERSION_STEPS.on(conversions.ConversionAdjustmentProposed)(_note)
CONVERSION_STEPS.on(conversions.ConversionAdjustmentDismissed)(_note)
CONVERSION_STEPS.on(conversions.ConversionAssigned)(_note)


@CONVERSION_STEPS.on(conversions.ConversionForgotten)
def _forgotten(rows: Rows, event: conversions.ConversionForgotten) -> None:
    """Removes what the steps before say of the person; the money that they moved stays."""
    for version in range(1, event.originator_version):
        step = {"conversion_id": event.originator_id, "version": version}
        if row := rows.get(**step):
            rows.update(step, detail=_without_person(row["detail"]))
    _note(rows, event)


def _without_person(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_person(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: _emptied(name, inner) for name, inner in value.items()}


def _emptied(name: str, value: Any) -> Any:
    if name == "unread" and isinstance(value, dict):
        return dict.fromkeys(value, ERASED)  # which fields it is about decides about money
    if name in _OF_PERSON and isinstance(value, type(_OF_PERSON[name])):
        return _OF_PERSON[name]
    return _without_person(value)


_OF_PERSON: Final[dict[str, Any]] = {
    "click_id": "",
    "visitor": 0,
    "customer": "",
    "subs": {},
    "region": "",
    "city": "",
}
