"""`read.conversions`: every lead and sale with its status and what it earns now, in the website's currency."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events import conversions

CONVERSIONS: Final = ReadModel(
    name="conversions",
    version=8,
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
        # Time of the automatic approval while pending; null: never.
        "approves_at timestamptz",
        # From when on what was earned may be paid out; null: nothing is earned.
        "payable_at timestamptz",
        # Number of reported amounts that differ from the accepted one.
        "conflicts int not null default 0",
        # Kind of the most trusted key that reported it; `site`: a claim. Empty: from before kinds were recorded.
        "key_kind text not null default ''",
        # Class of the address that reported it first, e.g. datacentre.
        "address_class text not null default ''",
        # Why figures leave its click out; empty: they do not.
        "click_bot_reason text not null default ''",
        # The click after the approval that would have been credited, until the adjustment is decided.
        "adjustment jsonb",
        # Of the click that earned it; empty without one.
        "country text not null default ''",
        "device text not null default ''",
        "source text not null default ''",
        "subs jsonb not null default '{}'",
        # The last one that a report named.
        "coupon text not null default ''",
        # Fields that no report gives in a form that can be read, with commas; empty: none.
        "unread text not null default ''",
        # The network whose own account of the sale it has, and the network's id of the sale; empty: none.
        "network text not null default ''",
        "network_txid text not null default ''",
        # No report has it any more: the import that had it was undone.
        "is_void boolean not null default false",
    ),
    key=("id",),
    fixed=("website_id",),
    readers=OWN_WEBSITES,
    indexes=(
        "website_id, occurred_at desc, id",
        "website_id, recorded_at desc, id",
        "partner_id, occurred_at",
        "status, approves_at, id",
        "click_id",
        "website_id, txid",
        "website_id, payable_at",
        "website_id, network, network_txid",
        # Search by the beginning (`infra.domain.conversion_filter`).
        "website_id, txid text_pattern_ops",
        "website_id, click_id text_pattern_ops",
        "website_id, customer text_pattern_ops",
    ),
)


@CONVERSIONS.on(conversions.ConversionRecorded)
def recorded(rows: Rows, event: conversions.ConversionRecorded) -> None:
    facts = event.facts
    rows.put(
        id=event.originator_id,
        website_id=facts.website_id,
        kind=facts.kind,
        event=facts.event,
        txid=facts.txid,
        status=conversions.ConversionStatus.PENDING.value,
        amount=facts.amount.amount,
        currency=facts.amount.currency,
        commission=_earned(event.change),
        commission_currency=event.change.currency,
        reported_by=event.reported_by,
        occurred_at=facts.occurred_at,
        recorded_at=event.timestamp,
        customer=event.customer,
        approves_at=_approves_at(facts, event.timestamp) if _is_timed(event.reported) else None,
        key_kind=event.reported.key_kind if event.reported else "",
        address_class=event.reported.address_class if event.reported else "",
        unread=",".join(sorted(event.reported.unread)) if event.reported else "",
        **_coupon(event.reported),
        **_network(event.reported),
        **_attribution(facts),
    )


@CONVERSIONS.on(conversions.ConversionAttributed)
def attributed(rows: Rows, event: conversions.ConversionAttributed) -> None:
    rows.update(
        {"id": event.originator_id},
        commission_currency=event.change.currency,
        approves_at=_approves_at_if_identified(rows, event) if event.change.pending else None,
        payable_at=_payable_at(event.facts, event.timestamp) if event.change.approved else None,
        **_attribution(event.facts),
    )
    _count(rows, event)  # parts may have been reversed before the click arrived


@CONVERSIONS.on(conversions.ConversionApproved)
def approved(rows: Rows, event: conversions.ConversionApproved) -> None:
    rows.update(
        {"id": event.originator_id},
        status=conversions.ConversionStatus.APPROVED.value,
        decided_at=event.timestamp,
        approves_at=None,
        payable_at=_payable_at(event.facts, event.timestamp),
    )
    _count(rows, event)


@CONVERSIONS.on(conversions.ConversionRejected)
def rejected(rows: Rows, event: conversions.ConversionRejected) -> None:
    closed = {"status": conversions.ConversionStatus.REJECTED.value, **_CLOSED}
    rows.update({"id": event.originator_id}, reason=event.reason, decided_at=event.timestamp, **closed)
    _count(rows, event)


@CONVERSIONS.on(conversions.ConversionReversed)
def reversed_(rows: Rows, event: conversions.ConversionReversed) -> None:
    closed = {"status": conversions.ConversionStatus.REVERSED.value, **_CLOSED} if event.whole else {}
    rows.update({"id": event.originator_id}, reason=event.reason, decided_at=event.timestamp, **closed)
    _count(rows, event, reversed_amount=event.amount.amount)


@CONVERSIONS.on(conversions.ConversionReopened)
def reopened(rows: Rows, event: conversions.ConversionReopened) -> None:
    rows.update(
        {"id": event.originator_id},
        status=conversions.ConversionStatus.PENDING.value,
        reason="",
        decided_at=None,
        approves_at=event.approves_at,
        payable_at=None,
    )
    _count(rows, event, reversed_amount=-event.restored.amount if event.restored else 0)


@CONVERSIONS.on(conversions.ConversionWithdrawn)
def withdrawn(rows: Rows, event: conversions.ConversionWithdrawn) -> None:
    _count(rows, event)


@CONVERSIONS.on(conversions.ConversionRestated)
def restated(rows: Rows, event: conversions.ConversionRestated) -> None:
    facts = event.facts
    rows.update(
        {"id": event.originator_id},
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
    _count(rows, event)


CONVERSIONS.follows(
    conversions.ConversionReportMerged,
    lambda event: {"unread": ",".join(event.unread), **_coupon(event.reported), **_network(event.reported)},
    but="unread",
)


@CONVERSIONS.on(conversions.ConversionReportConflicted)
def report_conflicted(rows: Rows, event: conversions.ConversionReportConflicted) -> None:
    row = {"id": event.originator_id}
    if event.conflicts is None:
        rows.add(row, conflicts=1)
        return
    rows.update(
        row,
        key_kind=event.key_kind,
        conflicts=event.conflicts,
        approves_at=event.approves_at,
        unread=",".join(event.unread),
        is_void=event.is_void,
        **_coupon(event.reported),
        **_network(event.reported),
    )


@CONVERSIONS.on(conversions.ConversionAdjustmentProposed)
def adjustment_proposed(rows: Rows, event: conversions.ConversionAdjustmentProposed) -> None:
    proposed = event.proposed
    adjustment = {
        "partner_id": str(proposed.partner_id) if proposed else None,
        "link_id": str(proposed.link_id) if proposed and proposed.link_id else None,
        "click_id": (proposed.click_id or None) if proposed else None,
        "clicked_at": proposed.clicked_at.isoformat() if proposed else None,
        "commission": event.commission.model_dump() if event.commission else None,
    }
    rows.update({"id": event.originator_id}, adjustment=adjustment)


CONVERSIONS.follows(conversions.ConversionAdjustmentDismissed, adjustment=None)
CONVERSIONS.follows(conversions.ConversionForgotten, click_id=None, customer="", subs={}, adjustment=None)


def _count(rows: Rows, event: conversions.ConversionStep, **differences: int) -> None:
    """Adds what the step changes."""
    reversed_commission = event.change.commission_reversed
    change = {"commission": _earned(event.change), "reversed_commission": reversed_commission, **differences}
    rows.add({"id": event.originator_id}, **change)


_CLOSED: Final[dict[str, Any]] = {"approves_at": None, "payable_at": None, "adjustment": None}
_NO_ATTRIBUTION: Final[dict[str, Any]] = {
    "partner_id": None,
    "link_id": None,
    "click_id": None,
    "attributed_by": None,
    "clicked_at": None,
    "click_bot_reason": "",
    "country": "",
    "device": "",
    "source": "",
    "subs": {},
}


def _coupon(reported: conversions.Reported | None) -> dict[str, str]:
    """A report without a coupon says nothing about it."""
    return {"coupon": reported.coupon} if reported is not None and reported.coupon else {}


def _network(reported: conversions.Reported | None) -> dict[str, str]:
    """A report that is no network's own account says nothing about it."""
    stated = reported.network_sale if reported is not None else None
    return {"network": stated.network, "network_txid": stated.txid} if stated is not None else {}


def _is_timed(reported: conversions.Reported | None) -> bool:
    """Returns whether a timer approves it: no claim, and no sale whose transaction id is a placeholder."""
    return reported is None or (reported.key_kind != "site" and "txid" not in reported.unread)


def _approves_at_if_identified(rows: Rows, event: conversions.ConversionAttributed) -> datetime | None:
    approves_at = _approves_at(event.facts, event.timestamp) if event.key_kind != "site" else None
    row = rows.get(id=event.originator_id) if approves_at is not None else None
    return approves_at if row is not None and "txid" not in row["unread"].split(",") else None


def _approves_at(facts: conversions.ConversionFacts, since: datetime) -> datetime | None:
    days = facts.attribution.terms.auto_approve_days if facts.attribution else None
    return None if days is None else since + timedelta(days=days)


def _payable_at(facts: conversions.ConversionFacts, earned_at: datetime) -> datetime | None:
    if facts.attribution is None:
        return None
    return max(earned_at, facts.occurred_at + timedelta(days=facts.attribution.terms.hold_days))


def _earned(change: conversions.CounterDelta) -> int:
    return change.commission_pending + change.commission_approved


def _attribution(facts: conversions.ConversionFacts) -> dict[str, Any]:
    attribution = facts.attribution
    if attribution is None:
        return {}
    return {
        "partner_id": attribution.partner_id,
        "link_id": attribution.link_id,
        "click_id": attribution.click_id or None,
        "attributed_by": attribution.by.value,
        "clicked_at": attribution.clicked_at,
        "click_bot_reason": attribution.bot_reason,
        "country": attribution.country,
        "device": attribution.device,
        "source": attribution.source,
        "subs": dict(attribution.subs),
    }
