"""`read.conversions`: every lead and sale with its status and what it earns now, in the website's currency."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import OWN_WEBSITES
from schemas.events.conversions import (
    Change,
    ConversionApproved,
    ConversionAttributed,
    ConversionFacts,
    ConversionRecorded,
    ConversionRejected,
    ConversionReportConflicted,
    ConversionReversed,
    ConversionStatus,
)

CONVERSIONS: Final = ReadModel(
    name="conversions",
    version=2,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "kind text not null",
        "event text not null",
        "txid text not null",
        "status text not null",
        "amount bigint not null",
        "currency text not null",
        "commission bigint not null default 0",
        "commission_currency text not null",
        "reversed_amount bigint not null default 0",
        "reversed_commission bigint not null default 0",
        "partner_id uuid",
        "link_id uuid",
        "click_id text",
        "attributed_by text",
        "clicked_at timestamptz",
        "reason text not null default ''",
        "reported_by text not null",
        "occurred_at timestamptz not null",
        "recorded_at timestamptz not null",
        "decided_at timestamptz",
        "customer text not null default ''",
        # When it is approved by itself, while it is pending; null: never.
        "approves_at timestamptz",
        # From when on what was earned may be paid out; null: nothing is earned.
        "payable_at timestamptz",
        # Later reports that named another amount.
        "conflicts int not null default 0",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=(
        "website_id, occurred_at desc, id",
        "website_id, recorded_at desc, id",
        "partner_id, occurred_at",
        "status, approves_at, id",
        "click_id",
    ),
)


@CONVERSIONS.on(ConversionRecorded)
def recorded(rows: Rows, event: ConversionRecorded) -> None:
    facts = event.facts
    rows.put(
        id=event.originator_id,
        website_id=facts.website_id,
        kind=facts.kind,
        event=facts.event,
        txid=facts.txid,
        status=ConversionStatus.PENDING.value,
        amount=facts.amount.amount,
        currency=facts.amount.currency,
        commission=_earned(event.change),
        commission_currency=event.change.currency,
        reported_by=event.reported_by,
        occurred_at=facts.occurred_at,
        recorded_at=event.timestamp,
        customer=event.customer,
        approves_at=_approves_at(facts, event.timestamp),
        **_attribution(facts),
    )


@CONVERSIONS.on(ConversionAttributed)
def attributed(rows: Rows, event: ConversionAttributed) -> None:
    row = {"id": event.originator_id}
    rows.update(
        row,
        commission_currency=event.change.currency,
        approves_at=_approves_at(event.facts, event.timestamp) if event.change.pending else None,
        payable_at=_payable_at(event.facts, event.timestamp) if event.change.approved else None,
        **_attribution(event.facts),
    )
    # Parts may have been taken back before the click came.
    rows.add(row, commission=_earned(event.change), reversed_commission=event.change.commission_reversed)


@CONVERSIONS.on(ConversionApproved)
def approved(rows: Rows, event: ConversionApproved) -> None:
    row = {"id": event.originator_id}
    rows.update(
        row,
        status=ConversionStatus.APPROVED.value,
        decided_at=event.timestamp,
        approves_at=None,
        payable_at=_payable_at(event.facts, event.timestamp),
    )
    rows.add(row, commission=_earned(event.change))


@CONVERSIONS.on(ConversionRejected)
def rejected(rows: Rows, event: ConversionRejected) -> None:
    row = {"id": event.originator_id}
    closed = {"status": ConversionStatus.REJECTED.value, "approves_at": None, "payable_at": None}
    rows.update(row, reason=event.reason, decided_at=event.timestamp, **closed)
    rows.add(row, commission=_earned(event.change))


@CONVERSIONS.on(ConversionReversed)
def reversed_(rows: Rows, event: ConversionReversed) -> None:
    row = {"id": event.originator_id}
    closed = {"status": ConversionStatus.REVERSED.value, "approves_at": None, "payable_at": None} if event.whole else {}
    rows.update(row, reason=event.reason, decided_at=event.timestamp, **closed)
    rows.add(
        row,
        commission=_earned(event.change),
        reversed_amount=event.amount.amount,
        reversed_commission=event.change.commission_reversed,
    )


@CONVERSIONS.on(ConversionReportConflicted)
def report_conflicted(rows: Rows, event: ConversionReportConflicted) -> None:
    rows.add({"id": event.originator_id}, conflicts=1)


def _approves_at(facts: ConversionFacts, since: datetime) -> datetime | None:
    days = facts.attribution.terms.auto_approve_days if facts.attribution else None
    return None if days is None else since + timedelta(days=days)


def _payable_at(facts: ConversionFacts, earned_at: datetime) -> datetime | None:
    if facts.attribution is None:
        return None
    return max(earned_at, facts.occurred_at + timedelta(days=facts.attribution.terms.hold_days))


def _earned(change: Change) -> int:
    return change.commission_pending + change.commission_approved


def _attribution(facts: ConversionFacts) -> dict[str, Any]:
    found = facts.attribution
    if found is None:
        return {}
    return {
        "partner_id": found.partner_id,
        "link_id": found.link_id,
        "click_id": found.click_id or None,
        "attributed_by": found.by.value,
        "clicked_at": found.clicked_at,
    }
