"""`read.conversions`: every lead and sale with its status and what it earns now, in the website's currency."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import OWN_WEBSITES
from schemas.events.conversions import (
    Change,
    ConversionAdjustmentDismissed,
    ConversionAdjustmentProposed,
    ConversionApproved,
    ConversionAttributed,
    ConversionFacts,
    ConversionRecorded,
    ConversionRejected,
    ConversionReopened,
    ConversionReportConflicted,
    ConversionReportMerged,
    ConversionRestated,
    ConversionReversed,
    ConversionStatus,
    ConversionWithdrawn,
)

CONVERSIONS: Final = ReadModel(
    name="conversions",
    version=3,
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
        # Different amounts that reports name beside the one that stands.
        "conflicts int not null default 0",
        # Kind of the most trusted key that reported it; `site`: a claim. Empty: from before kinds were recorded.
        "key_kind text not null default ''",
        # Class of the address that reported it first, e.g. datacentre.
        "address_class text not null default ''",
        # Why figures leave its click out; empty: they do not.
        "click_bot_reason text not null default ''",
        # The click that came after the approval and would have earned it, until somebody decides.
        "adjustment jsonb",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=(
        "website_id, occurred_at desc, id",
        "website_id, recorded_at desc, id",
        "partner_id, occurred_at",
        "status, approves_at, id",
        "click_id",
        "website_id, txid",
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
        approves_at=None if _is_claim(event) else _approves_at(facts, event.timestamp),
        key_kind=event.reported.key_kind if event.reported else "",
        address_class=event.reported.address_class if event.reported else "",
        **_attribution(facts),
    )


@CONVERSIONS.on(ConversionAttributed)
def attributed(rows: Rows, event: ConversionAttributed) -> None:
    row = {"id": event.originator_id}
    rows.update(
        row,
        commission_currency=event.change.currency,
        approves_at=_approves_at(event.facts, event.timestamp)
        if event.change.pending and event.key_kind != "site"
        else None,
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
    closed = {"status": ConversionStatus.REJECTED.value, **_CLOSED}
    rows.update(row, reason=event.reason, decided_at=event.timestamp, **closed)
    rows.add(row, commission=_earned(event.change))


@CONVERSIONS.on(ConversionReversed)
def reversed_(rows: Rows, event: ConversionReversed) -> None:
    row = {"id": event.originator_id}
    closed = {"status": ConversionStatus.REVERSED.value, **_CLOSED} if event.whole else {}
    rows.update(row, reason=event.reason, decided_at=event.timestamp, **closed)
    rows.add(
        row,
        commission=_earned(event.change),
        reversed_amount=event.amount.amount,
        reversed_commission=event.change.commission_reversed,
    )


@CONVERSIONS.on(ConversionReopened)
def reopened(rows: Rows, event: ConversionReopened) -> None:
    row = {"id": event.originator_id}
    rows.update(
        row,
        status=ConversionStatus.PENDING.value,
        reason="",
        decided_at=None,
        approves_at=event.approves_at,
        payable_at=None,
    )
    rows.add(
        row,
        commission=_earned(event.change),
        reversed_amount=-event.restored.amount if event.restored else 0,
        reversed_commission=event.change.commission_reversed,
    )


@CONVERSIONS.on(ConversionWithdrawn)
def withdrawn(rows: Rows, event: ConversionWithdrawn) -> None:
    rows.add(
        {"id": event.originator_id},
        commission=_earned(event.change),
        reversed_commission=event.change.commission_reversed,
    )


@CONVERSIONS.on(ConversionRestated)
def restated(rows: Rows, event: ConversionRestated) -> None:
    row, facts = {"id": event.originator_id}, event.facts
    rows.update(
        row,
        kind=facts.kind,
        amount=facts.amount.amount,
        currency=facts.amount.currency,
        occurred_at=facts.occurred_at,
        customer=event.customer,
        reversed_amount=event.reversed_amount,
        approves_at=event.approves_at,
        payable_at=event.payable_at,
        key_kind=event.key_kind,
        adjustment=None,
        **(_attribution(facts) or _NO_ATTRIBUTION),
    )
    rows.add(row, commission=_earned(event.change), reversed_commission=event.change.commission_reversed)


@CONVERSIONS.on(ConversionReportMerged)
def report_merged(rows: Rows, event: ConversionReportMerged) -> None:
    rows.update(
        {"id": event.originator_id},
        key_kind=event.key_kind,
        conflicts=event.conflicts,
        approves_at=event.approves_at,
    )


@CONVERSIONS.on(ConversionReportConflicted)
def report_conflicted(rows: Rows, event: ConversionReportConflicted) -> None:
    row = {"id": event.originator_id}
    if event.conflicts is None:
        rows.add(row, conflicts=1)
        return
    rows.update(row, key_kind=event.key_kind, conflicts=event.conflicts, approves_at=event.approves_at)


@CONVERSIONS.on(ConversionAdjustmentProposed)
def adjustment_proposed(rows: Rows, event: ConversionAdjustmentProposed) -> None:
    proposed = event.proposed
    adjustment = {
        "partner_id": str(proposed.partner_id) if proposed else None,
        "link_id": str(proposed.link_id) if proposed and proposed.link_id else None,
        "click_id": (proposed.click_id or None) if proposed else None,
        "clicked_at": proposed.clicked_at.isoformat() if proposed else None,
        "commission": event.commission.model_dump() if event.commission else None,
    }
    rows.update({"id": event.originator_id}, adjustment=adjustment)


@CONVERSIONS.on(ConversionAdjustmentDismissed)
def adjustment_dismissed(rows: Rows, event: ConversionAdjustmentDismissed) -> None:
    rows.update({"id": event.originator_id}, adjustment=None)


_CLOSED: Final[dict[str, Any]] = {"approves_at": None, "payable_at": None, "adjustment": None}
_NO_ATTRIBUTION: Final[dict[str, Any]] = {
    "partner_id": None,
    "link_id": None,
    "click_id": None,
    "attributed_by": None,
    "clicked_at": None,
    "click_bot_reason": "",
}


def _is_claim(event: ConversionRecorded) -> bool:
    return event.reported is not None and event.reported.key_kind == "site"


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
        "click_bot_reason": found.bot_reason,
    }
