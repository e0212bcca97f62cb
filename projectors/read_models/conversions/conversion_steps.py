"""`read.conversion_steps`: every event of every conversion with its money and its place in the log.

Statements add up `earned`; the explanation of an amount reads the whole history of its conversion.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import OWN_WEBSITES
from schemas.base import DomainEvent
from schemas.events.conversions import (
    ConversionAdjustmentDismissed,
    ConversionAdjustmentProposed,
    ConversionApproved,
    ConversionAttributed,
    ConversionRecorded,
    ConversionRejected,
    ConversionReopened,
    ConversionReportConflicted,
    ConversionReportMerged,
    ConversionRestated,
    ConversionReversed,
    ConversionStep,
    ConversionWithdrawn,
)

Note = (
    ConversionReportConflicted | ConversionReportMerged | ConversionAdjustmentProposed | ConversionAdjustmentDismissed
)
"""Events that move nothing."""

CONVERSION_STEPS: Final = ReadModel(
    name="conversion_steps",
    version=3,
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


@CONVERSION_STEPS.on(ConversionRecorded)
def recorded(rows: Rows, event: ConversionRecorded) -> None:
    _put(rows, event, _facts(event))


@CONVERSION_STEPS.on(ConversionAttributed)
def attributed(rows: Rows, event: ConversionAttributed) -> None:
    _put(rows, event, _facts(event))


@CONVERSION_STEPS.on(ConversionApproved)
def approved(rows: Rows, event: ConversionApproved) -> None:
    _put(rows, event)


@CONVERSION_STEPS.on(ConversionRejected)
def rejected(rows: Rows, event: ConversionRejected) -> None:
    _put(rows, event)


@CONVERSION_STEPS.on(ConversionReversed)
def reversed_(rows: Rows, event: ConversionReversed) -> None:
    _put(rows, event)


@CONVERSION_STEPS.on(ConversionReopened)
def reopened(rows: Rows, event: ConversionReopened) -> None:
    _put(rows, event)


@CONVERSION_STEPS.on(ConversionWithdrawn)
def withdrawn(rows: Rows, event: ConversionWithdrawn) -> None:
    _put(rows, event)


@CONVERSION_STEPS.on(ConversionRestated)
def restated(rows: Rows, event: ConversionRestated) -> None:
    _put(rows, event, _facts(event))


@CONVERSION_STEPS.on(ConversionReportConflicted)
def report_conflicted(rows: Rows, event: ConversionReportConflicted) -> None:
    _note(rows, event)


@CONVERSION_STEPS.on(ConversionReportMerged)
def report_merged(rows: Rows, event: ConversionReportMerged) -> None:
    _note(rows, event)


@CONVERSION_STEPS.on(ConversionAdjustmentProposed)
def adjustment_proposed(rows: Rows, event: ConversionAdjustmentProposed) -> None:
    _note(rows, event)


@CONVERSION_STEPS.on(ConversionAdjustmentDismissed)
def adjustment_dismissed(rows: Rows, event: ConversionAdjustmentDismissed) -> None:
    _note(rows, event)


def _note(rows: Rows, event: Note) -> None:
    rows.put(**_place(rows, event), website_id=event.website_id, detail=event.model_dump(mode="json", exclude=_HEAD))


def _put(rows: Rows, event: ConversionStep, facts: dict[str, Any] | None = None) -> None:
    attribution = event.facts.attribution
    hold = timedelta(days=attribution.terms.hold_days) if attribution else None
    detail = event.model_dump(mode="json", exclude={*_HEAD, "facts"})
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
        detail=detail if facts is None else {**detail, "facts": facts},
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


def _facts(event: ConversionRecorded | ConversionAttributed | ConversionRestated) -> dict[str, Any]:
    """What a commission is worked out from. Who the visitor was is nobody's business here."""
    return event.facts.model_dump(mode="json", exclude={"website_id": True, "attribution": {"visitor"}})
