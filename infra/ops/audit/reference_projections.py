"""Reference projections: the expected rows of the read models that hold money, independent of the projectors.

`REFERENCES` names them; each function receives the rows by key, an event and its place, and changes the rows. Every
other read model is replayed with the product's own handlers (`infra.ops.audit.read_models`). `traffic_rules` is here
because the raw rows are marked by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid5

from schemas.base import ERASED, DomainEvent
from schemas.events import conversions, operations, partners, websites

Key = tuple[Any, ...]
Row = dict[str, Any]
Rows = dict[Key, Row]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an event: `position` in commit order, `offset` in the topic."""

    position: int
    offset: int


Reference = Callable[[Rows, DomainEvent, Place], None]


def _conversions(rows: Rows, event: DomainEvent, _: Place) -> None:
    key = (event.originator_id,)
    row = rows.get(key)
    match event:
        case conversions.ConversionRecorded():
            rows[key] = _recorded(event)
        case _ if row is None:
            return
        case conversions.ConversionReportConflicted() | conversions.ConversionReportMerged():
            row.update(_reported(row, event))
        case conversions.ConversionAdjustmentProposed():
            row["adjustment"] = _adjustment(event)
        case conversions.ConversionAdjustmentDismissed():
            row["adjustment"] = None
        case conversions.ConversionForgotten():
            row.update({"click_id": None, "customer": "", "subs": {}, "adjustment": None})
        case _ if isinstance(event, conversions.ConversionStep):
            row.update(_moved(event, row))
            _count(row, event)


def _moved(event: conversions.ConversionStep, row: Row) -> Row:
    match event:
        case conversions.ConversionAttributed():
            return _attributed(event, row)
        case conversions.ConversionApproved():
            payable_at = _payable(event.facts, event.timestamp)
            return {
                "status": "approved",
                "decided_at": event.timestamp,
                "approves_at": None,
                "payable_at": payable_at,
            }
        case conversions.ConversionRejected():
            decided: Row = {"decided_at": event.timestamp, "reason": event.reason}
            return {**decided, "status": "rejected", "approves_at": None, "payable_at": None}
        case conversions.ConversionReversed():
            decided = {"decided_at": event.timestamp, "reason": event.reason}
            ended = {"status": "reversed", "approves_at": None, "payable_at": None}
            return decided | ended if event.whole else decided
        case conversions.ConversionReopened():
            open_: Row = {"status": "pending", "reason": "", "decided_at": None, "payable_at": None}
            return {**open_, "approves_at": event.approves_at}
        case conversions.ConversionRestated():
            return _restated(event)
        case _:
            return {}


def _count(row: Row, event: conversions.ConversionStep) -> None:
    """The amounts after `event`. What was rejected or reversed has no adjustment that waits."""
    row["commission"] += event.change.commission_pending + event.change.commission_approved
    row["reversed_commission"] += event.change.commission_reversed
    match event:
        case conversions.ConversionReversed():
            row["reversed_amount"] += event.amount.amount
        case conversions.ConversionReopened(restored=restored) if restored is not None:
            row["reversed_amount"] -= restored.amount
    if row["status"] in ("rejected", "reversed"):
        row["adjustment"] = None


def _reported(row: Row, event: conversions.ConversionReportConflicted | conversions.ConversionReportMerged) -> Row:
    if event.conflicts is None:
        return {"conflicts": row["conflicts"] + 1}
    coupon = event.reported.coupon if event.reported else ""
    return {
        "conflicts": event.conflicts,
        "key_kind": event.key_kind,
        "approves_at": event.approves_at,
        "coupon": coupon or row["coupon"],
        "unread": ",".join(event.unread),
        "is_void": event.is_void,
        **_stated(event.reported),
    }


def _stated(reported: conversions.Reported | None) -> Row:
    account = reported.network_sale if reported else None
    return {"network": account.network, "network_txid": account.txid} if account else {}


def _attributed(event: conversions.ConversionAttributed, row: Row) -> Row:
    is_timed = event.change.pending == 1 and event.key_kind != "site" and "txid" not in row["unread"].split(",")
    is_approved = event.change.approved == 1
    return {
        **_attribution(event.facts),
        "commission_currency": event.change.currency,
        "approves_at": _deadline(event.facts, event.timestamp) if is_timed else None,
        "payable_at": _payable(event.facts, event.timestamp) if is_approved else None,
    }


def _restated(event: conversions.ConversionRestated) -> Row:
    facts = event.facts
    return {
        "kind": facts.kind,
        "amount": facts.amount.amount,
        "currency": facts.amount.currency,
        "occurred_at": facts.occurred_at,
        "customer": event.customer,
        "reversed_amount": event.reversed_amount,
        "approves_at": event.approves_at,
        "payable_at": event.payable_at,
        "key_kind": event.key_kind,
        "adjustment": None,
        **_attribution(facts),
    }


def _adjustment(event: conversions.ConversionAdjustmentProposed) -> Row:
    click, earns = event.proposed, event.commission
    return {
        "partner_id": str(click.partner_id) if click else None,
        "link_id": str(click.link_id) if click and click.link_id else None,
        "click_id": (click.click_id or None) if click else None,
        "clicked_at": click.clicked_at.isoformat() if click else None,
        "commission": {"amount": earns.amount, "currency": earns.currency} if earns else None,
    }


def _recorded(event: conversions.ConversionRecorded) -> Row:
    facts = event.facts
    kind = event.reported.key_kind if event.reported else ""
    unread = sorted(event.reported.unread) if event.reported else []
    return {
        "id": event.originator_id,
        "website_id": facts.website_id,
        "kind": facts.kind,
        "event": facts.event,
        "txid": facts.txid,
        "status": "pending",
        "amount": facts.amount.amount,
        "currency": facts.amount.currency,
        "commission": event.change.commission_pending + event.change.commission_approved,
        "commission_currency": event.change.currency,
        "reversed_amount": 0,
        "reversed_commission": 0,
        **_attribution(facts),
        "reason": "",
        "reported_by": event.reported_by,
        "occurred_at": facts.occurred_at,
        "recorded_at": event.timestamp,
        "decided_at": None,
        "customer": event.customer,
        "approves_at": None if kind == "site" or "txid" in unread else _deadline(facts, event.timestamp),
        "payable_at": None,
        "conflicts": 0,
        "key_kind": kind,
        "address_class": event.reported.address_class if event.reported else "",
        "coupon": event.reported.coupon if event.reported else "",
        "unread": ",".join(unread),
        "adjustment": None,
        "is_void": False,
        **({"network": "", "network_txid": ""} | _stated(event.reported)),
    }


def _deadline(facts: conversions.ConversionFacts, since: datetime) -> datetime | None:
    click = facts.attribution
    if click is None or click.terms.auto_approve_days is None:
        return None
    return since + timedelta(days=click.terms.auto_approve_days)


def _payable(facts: conversions.ConversionFacts, earned_at: datetime) -> datetime | None:
    click = facts.attribution
    return max(earned_at, facts.occurred_at + timedelta(days=click.terms.hold_days)) if click else None


def _conversion_steps(rows: Rows, event: DomainEvent, place: Place) -> None:
    if not event.NAME.startswith("conversion."):
        return
    if isinstance(event, conversions.ConversionForgotten):
        for version in range(1, event.originator_version):
            if (stored := rows.get((event.originator_id, version))) is not None:
                _forget(stored["detail"])
    state = event.model_dump(mode="json")
    facts_state = state.pop("facts", None)
    for name in ("originator_id", "originator_version", "timestamp", "actor_id", "change", "customer", "website_id"):
        state.pop(name, None)
    facts, change = getattr(event, "facts", None), getattr(event, "change", None)
    click = facts.attribution if facts else None
    if event.NAME in ("conversion.recorded", "conversion.attributed", "conversion.restated"):
        del facts_state["website_id"]
        if click:
            del facts_state["attribution"]["visitor"]
        state["facts"] = facts_state
    rows[event.originator_id, event.originator_version] = {
        "conversion_id": event.originator_id,
        "version": event.originator_version,
        "website_id": facts.website_id if facts else getattr(event, "website_id", None),
        "partner_id": click.partner_id if click else None,
        "name": event.NAME,
        "at": event.timestamp,
        "actor_id": event.actor_id,
        "position": place.position,
        "log_offset": place.offset,
        "txid": facts.txid if facts else None,
        "event": facts.event if facts else None,
        "occurred_at": facts.occurred_at if facts else None,
        "hold_until": facts.occurred_at + timedelta(days=click.terms.hold_days) if facts and click else None,
        "currency": change.currency if change else None,
        "pending": change.commission_pending if change else 0,
        "earned": change.commission_approved if change else 0,
        "reversed": change.commission_reversed if change else 0,
        "approved": change.approved if change else 0,
        "detail": state,
    }


def _forget(detail: Any) -> None:
    """Empties what leads to a person, at any depth."""
    for inner in detail if isinstance(detail, list) else detail.values():
        if isinstance(inner, dict | list):
            _forget(inner)
    if isinstance(detail, dict):
        for name in ("click_id", "customer", "region", "city"):
            if isinstance(detail.get(name), str):
                detail[name] = ""
        if isinstance(detail.get("subs"), dict):
            detail["subs"] = {}
        if isinstance(unread := detail.get("unread"), dict):
            detail["unread"] = dict.fromkeys(unread, ERASED)
        if "visitor" in detail:
            detail["visitor"] = 0


def _attribution(facts: conversions.ConversionFacts) -> Row:
    click = facts.attribution
    return {
        "partner_id": click.partner_id if click else None,
        "link_id": click.link_id if click else None,
        "click_id": (click.click_id or None) if click else None,
        "attributed_by": str(click.by) if click else None,
        "clicked_at": click.clicked_at if click else None,
        "click_bot_reason": click.bot_reason if click else "",
        "country": click.country if click else "",
        "device": click.device if click else "",
        "source": click.source if click else "",
        "subs": {**click.subs} if click else {},
    }


def _partner_terms(rows: Rows, event: DomainEvent, _: Place) -> None:
    if isinstance(event, partners.PartnerRegistered | partners.CommissionChanged):
        at = event.effective_at if isinstance(event, partners.CommissionChanged) else event.timestamp
        rows[event.originator_id, at] = {
            "partner_id": event.originator_id,
            "effective_at": at,
            "terms": _terms(event.terms),
            "account_id": event.account_id,
        }
    elif isinstance(event, partners.PartnerTransferred):
        for row in rows.values():
            if row["partner_id"] == event.originator_id:
                row["account_id"] = event.account_id


def _exchange_rates(rows: Rows, event: DomainEvent, _: Place) -> None:
    if isinstance(event, operations.ExchangeRateRecorded):
        key = (event.base, event.quote, event.on)
        names = ("base", "quote", "on_day")
        rows[key] = {
            **dict(zip(names, key, strict=True)),
            "rate": event.rate,
            "recorded_at": event.timestamp,
            "source": event.source.value,
        }


def _traffic_rules(rows: Rows, event: DomainEvent, place: Place) -> None:
    if isinstance(event, websites.WebsiteTrafficRemarked):
        rows[(event.rule_id,)] = {
            "id": event.rule_id,
            "website_id": event.originator_id,
            "since": event.since,
            "until": event.until,
            "mark": event.mark.value,
            "conditions": {
                name: str(value) for name, value in event.conditions.model_dump().items() if value is not None
            },
            "note": event.note,
            "position": place.position,
            "created_at": event.timestamp,
            "undone_at": None,
        }
    elif isinstance(event, websites.WebsiteTrafficRemarkUndone) and (event.rule_id,) in rows:
        rows[(event.rule_id,)]["undone_at"] = event.timestamp


def _statement_months(rows: Rows, event: DomainEvent, _: Place) -> None:
    facts, change = getattr(event, "facts", None), getattr(event, "change", None)
    if facts is None or change is None or facts.attribution is None or not change.commission_approved:
        return
    at = event.timestamp.astimezone(UTC)
    columns = {
        "website_id": facts.website_id,
        "partner_id": facts.attribution.partner_id,
        "currency": change.currency,
        "month": date(at.year, at.month, 1),
    }
    website_id, *others = columns.values()
    key = uuid5(website_id, "\n".join(map(str, others)))
    row = rows.setdefault((key,), {"id": key, **columns, "earned": 0})
    row["earned"] += change.commission_approved


def _payouts(rows: Rows, event: DomainEvent, _: Place) -> None:
    key = (event.originator_id,)
    match event:
        case conversions.PayoutRecorded():
            rows[key] = {
                "id": event.originator_id,
                "website_id": event.website_id,
                "partner_id": event.partner_id,
                **_paid(event.facts),
                "recorded_at": event.timestamp,
                "recorded_by": event.actor_id,
                "corrected_at": None,
                "voided_at": None,
                "reason": "",
                "file": None,
            }
        case conversions.PayoutCorrected() if key in rows:
            rows[key] |= {**_paid(event.facts), "corrected_at": event.timestamp, "reason": event.reason}
        case conversions.PayoutVoided() if key in rows:
            rows[key] |= {"voided_at": event.timestamp, "reason": event.reason}
        case conversions.PayoutFileAttached() if key in rows:
            file = event.file
            rows[key]["file"] = {
                "id": str(file.id),
                "name": file.name,
                "media_type": file.media_type,
                "size": file.size,
                "sha256": file.sha256,
            }
        case conversions.PayoutFileRemoved() if key in rows:
            rows[key]["file"] = None


def _paid(facts: conversions.PayoutFacts) -> Row:
    return {
        "amount": facts.amount.amount,
        "currency": facts.amount.currency,
        "credited": facts.credited.amount,
        "credited_currency": facts.credited.currency,
        "paid_on": facts.paid_on,
        "reference": facts.reference,
        "allocations": {one.month: one.amount for one in facts.allocations},
    }


def _terms(terms: partners.Terms) -> Row:
    return {
        "kind": str(terms.kind),
        "rate_bp": terms.rate_bp,
        "flat_amount": terms.flat_amount,
        "flat_currency": terms.flat_currency,
        "tiers_by": str(terms.tiers_by),
        "tiers_currency": terms.tiers_currency,
        "tiers": [
            {"at_least": tier.at_least, "rate_bp": tier.rate_bp, "flat_amount": tier.flat_amount}
            for tier in terms.tiers
        ],
        "hold_days": terms.hold_days,
        "auto_approve_days": terms.auto_approve_days,
    }


REFERENCES: Final[Mapping[str, Reference]] = {
    "conversions": _conversions,
    "conversion_steps": _conversion_steps,
    "statement_months": _statement_months,
    "payouts": _payouts,
    "partner_terms": _partner_terms,
    "exchange_rates": _exchange_rates,
    "traffic_rules": _traffic_rules,
}


def commissions(rows: Mapping[Key, Row]) -> dict[UUID, int]:
    """Minor units that each website earns, from the rows of `conversions`."""
    sums: dict[UUID, int] = {}
    for row in rows.values():
        sums[row["website_id"]] = sums.get(row["website_id"], 0) + row["commission"]
    return sums
