"""What every read model must hold after an event, said once more in the audit's own words.

A read model is here a dictionary of rows by their key. `FOLDS` names them all; each function takes the rows, an event
and its place in commit order, and changes the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from infra.auditing import (
    account_folds,
    deal_folds,
    domain_folds,
    forum_folds,
    insight_folds,
    lead_folds,
    listing_folds,
    matching_folds,
    statement_folds,
)
from infra.auditing.happenings import happening
from schemas.base import ERASED, DomainEvent
from schemas.events import accounts, conversions, links, operations, partners, websites

Key = tuple[Any, ...]
Row = dict[str, Any]
Rows = dict[Key, Row]
Fold = Callable[[Rows, DomainEvent, int], None]


def _accounts(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case accounts.AccountRegistered():
            rows[key] = {
                "id": event.originator_id,
                "email": event.email,
                "name": event.name,
                "roles": [str(role) for role in event.roles],
                "created_at": event.timestamp,
                "disabled_at": None,
                "erased_at": None,
            }
        case accounts.RolesChanged():
            _change(rows, key, roles=[str(role) for role in event.roles])
        case accounts.AccountRenamed():
            _change(rows, key, name=event.name)
        case accounts.EmailChanged():
            _change(rows, key, email=event.email)
        case accounts.AccountDisabled():
            _change(rows, key, disabled_at=event.timestamp)
        case accounts.AccountEnabled():
            _change(rows, key, disabled_at=None)
        case accounts.AccountErased():
            _change(rows, key, email=ERASED, name=ERASED, erased_at=event.timestamp)


def _websites(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case websites.WebsiteConnected():
            rows[key] = {
                "id": event.originator_id,
                "account_id": event.account_id,
                "domain": event.domain,
                "timezone": event.timezone,
                "currency": event.currency,
                "attribution_model": "last_click",
                "max_claim_amount": None,
                "max_claims_per_click": None,
                "created_at": event.timestamp,
                "deleted_at": None,
            }
        case websites.WebsiteUpdated():
            _change_given(
                rows,
                key,
                domain=event.domain,
                timezone=event.timezone,
                attribution_model=event.attribution_model,
                max_claim_amount=event.max_claim_amount,
                max_claims_per_click=event.max_claims_per_click,
            )
        case websites.WebsiteDisconnected():
            _change(rows, key, deleted_at=event.timestamp)
        case accounts.AccountErased():
            for row in rows.values():
                if row["account_id"] == event.originator_id:
                    row["domain"] = ERASED


def _website_keys(rows: Rows, event: DomainEvent, _: int) -> None:
    match event:
        case websites.WebsiteKeyIssued():
            rows[(event.key_id,)] = {
                "id": event.key_id,
                "website_id": event.originator_id,
                "kind": str(event.kind),
                "key_hash": bytes.fromhex(event.key_hash),
                "last4": event.last4,
                "public_key": event.public_key,
                "allowed_origins": list(event.allowed_origins),
                "created_at": event.timestamp,
                "revoked_at": None,
            }
        case websites.WebsiteKeyRevoked():
            _change(rows, (event.key_id,), revoked_at=event.timestamp)


def _partners(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case partners.PartnerRegistered():
            rows[key] = {
                "id": event.originator_id,
                "name": event.name,
                "slug": event.slug,
                "base_url": event.base_url,
                "description": event.description,
                "terms": _terms(event.terms),
                "cookie_days": event.cookie_days,
                "postback_preset": event.postback_preset,
                "is_active": event.is_active,
                "created_at": event.timestamp,
                "updated_at": event.timestamp,
                "removed_at": None,
            }
        case partners.PartnerUpdated():
            _change(rows, key, updated_at=event.timestamp)
            _change_given(
                rows,
                key,
                name=event.name,
                base_url=event.base_url,
                description=event.description,
                cookie_days=event.cookie_days,
                postback_preset=event.postback_preset,
            )
        case partners.CommissionChanged():
            _change(rows, key, updated_at=event.timestamp)
            if event.effective_from is None:
                _change(rows, key, terms=_terms(event.terms))
        case partners.PartnerActivated() | partners.PartnerDeactivated():
            is_active = isinstance(event, partners.PartnerActivated)
            _change(rows, key, is_active=is_active, updated_at=event.timestamp)
        case partners.PartnerRemoved():
            _change(rows, key, is_active=False, updated_at=event.timestamp, removed_at=event.timestamp)


def _partner_terms(rows: Rows, event: DomainEvent, _: int) -> None:
    if isinstance(event, partners.PartnerRegistered | partners.CommissionChanged):
        at = event.effective_at if isinstance(event, partners.CommissionChanged) else event.timestamp
        rows[event.originator_id, at] = {
            "partner_id": event.originator_id,
            "effective_at": at,
            "terms": _terms(event.terms),
        }


def _links(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case links.LinkCreated():
            rows[key] = {
                "id": event.originator_id,
                "slug": event.slug,
                "code": event.code,
                "website_id": event.website_id,
                "partner_id": event.partner_id,
                "destination": event.destination,
                "subs": event.subs,
                "coupon": event.coupon,
                "routing": event.routing.model_dump(mode="json"),
                "is_active": True,
                "created_at": event.timestamp,
                "deleted_at": None,
            }
        case links.LinkUpdated():
            _change_given(rows, key, destination=event.destination, subs=event.subs, is_active=event.is_active)
            if event.coupon is not None:
                _change(rows, key, coupon=event.coupon or None)
            if event.routing is not None:
                _change(rows, key, routing=event.routing.model_dump(mode="json"))
        case links.LinkDeleted():
            _change(rows, key, is_active=False, deleted_at=event.timestamp)
        case websites.WebsiteDisconnected(owner_erased=True):
            for row in rows.values():
                if row["website_id"] == event.originator_id:
                    row.update(slug=f"{ERASED} {row['id']}", destination=ERASED, subs={}, coupon=None)
                    row.update(routing=links.Routing().model_dump(mode="json"))
                    row.update(is_active=False, deleted_at=event.timestamp)


def _conversions(rows: Rows, event: DomainEvent, _: int) -> None:
    key = (event.originator_id,)
    match event:
        case conversions.ConversionRecorded():
            rows[key] = _recorded(event)
            return
        case conversions.ConversionAttributed():
            _change(rows, key, **_attribution(event.facts), commission_currency=event.change.currency)
            is_pending, is_approved = event.change.pending == 1, event.change.approved == 1
            is_timed = is_pending and event.key_kind != "site"
            _change(rows, key, approves_at=_deadline(event.facts, event.timestamp) if is_timed else None)
            _change(rows, key, payable_at=_payable(event.facts, event.timestamp) if is_approved else None)
        case conversions.ConversionApproved():
            payable_at = _payable(event.facts, event.timestamp)
            _change(rows, key, status="approved", decided_at=event.timestamp, approves_at=None, payable_at=payable_at)
        case conversions.ConversionRejected():
            _change(rows, key, status="rejected", decided_at=event.timestamp, reason=event.reason)
            _change(rows, key, approves_at=None, payable_at=None)
        case conversions.ConversionReversed():
            _change(rows, key, decided_at=event.timestamp, reason=event.reason)
            if event.whole:
                _change(rows, key, status="reversed", approves_at=None, payable_at=None)
        case conversions.ConversionReportConflicted():
            if row := rows.get(key):
                row["conflicts"] = row["conflicts"] + 1 if event.conflicts is None else event.conflicts
            if event.conflicts is not None:
                _change(rows, key, key_kind=event.key_kind, approves_at=event.approves_at)
            return
        case conversions.ConversionReportMerged():
            _change(rows, key, key_kind=event.key_kind, approves_at=event.approves_at, conflicts=event.conflicts)
            return
        case conversions.ConversionReopened():
            _change(rows, key, status="pending", reason="", decided_at=None, payable_at=None)
            _change(rows, key, approves_at=event.approves_at)
        case conversions.ConversionWithdrawn():
            pass
        case conversions.ConversionRestated():
            _change(rows, key, **_restated(event))
        case conversions.ConversionAdjustmentProposed():
            _change(rows, key, adjustment=_adjustment(event))
            return
        case conversions.ConversionAdjustmentDismissed():
            _change(rows, key, adjustment=None)
            return
        case _:
            return
    if row := rows.get(key):
        row["commission"] += event.change.commission_pending + event.change.commission_approved
        row["reversed_commission"] += event.change.commission_reversed
        match event:
            case conversions.ConversionReversed():
                row["reversed_amount"] += event.amount.amount
            case conversions.ConversionReopened(restored=restored) if restored is not None:
                row["reversed_amount"] -= restored.amount
        if row["status"] in ("rejected", "reversed"):
            row["adjustment"] = None


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
        "approves_at": None if kind == "site" else _deadline(facts, event.timestamp),
        "payable_at": None,
        "conflicts": 0,
        "key_kind": kind,
        "address_class": event.reported.address_class if event.reported else "",
        "adjustment": None,
    }


def _deadline(facts: conversions.ConversionFacts, since: datetime) -> datetime | None:
    click = facts.attribution
    if click is None or click.terms.auto_approve_days is None:
        return None
    return since + timedelta(days=click.terms.auto_approve_days)


def _payable(facts: conversions.ConversionFacts, earned_at: datetime) -> datetime | None:
    click = facts.attribution
    return max(earned_at, facts.occurred_at + timedelta(days=click.terms.hold_days)) if click else None


def _conversion_steps(rows: Rows, event: DomainEvent, position: int) -> None:
    if not event.NAME.startswith("conversion."):
        return
    state = event.model_dump(mode="json")
    told = state.pop("facts", None)
    for name in ("originator_id", "originator_version", "timestamp", "actor_id", "change", "customer", "website_id"):
        state.pop(name, None)
    facts, change = getattr(event, "facts", None), getattr(event, "change", None)
    click = facts.attribution if facts else None
    if event.NAME in ("conversion.recorded", "conversion.attributed", "conversion.restated"):
        del told["website_id"]
        if click:
            del told["attribution"]["visitor"]
        state["facts"] = told
    rows[event.originator_id, event.originator_version] = {
        "conversion_id": event.originator_id,
        "version": event.originator_version,
        "website_id": facts.website_id if facts else getattr(event, "website_id", None),
        "partner_id": click.partner_id if click else None,
        "name": event.NAME,
        "at": event.timestamp,
        "actor_id": event.actor_id,
        "position": position,
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


def _attribution(facts: conversions.ConversionFacts) -> Row:
    click = facts.attribution
    return {
        "partner_id": click.partner_id if click else None,
        "link_id": click.link_id if click else None,
        "click_id": (click.click_id or None) if click else None,
        "attributed_by": str(click.by) if click else None,
        "clicked_at": click.clicked_at if click else None,
        "click_bot_reason": click.bot_reason if click else "",
    }


_BLANK_SENTENCES: Final = {"website.connected": "A website was connected", "link.created": "A link was created"}


def _activity(rows: Rows, event: DomainEvent, position: int) -> None:
    if isinstance(event, websites.WebsiteDisconnected) and event.owner_erased:
        for row in rows.values():
            if row["website_id"] == event.originator_id and row["type"] in _BLANK_SENTENCES:
                row["description"] = _BLANK_SENTENCES[row["type"]]
    told = happening(event)
    if told is None:
        return
    key = told.id_of(event)
    rows[(key,)] = {
        "id": key,
        "type": event.NAME,
        "description": told.text,
        "at": event.timestamp,
        "website_id": told.website_id,
        "account_id": told.account_id or event.actor_id,
        "aggregate_id": event.originator_id,
        "position": position,
    }


def _exchange_rates(rows: Rows, event: DomainEvent, _: int) -> None:
    if isinstance(event, operations.ExchangeRateRecorded):
        key = (event.base, event.quote, event.on)
        names = ("base", "quote", "on_day")
        rows[key] = {
            **dict(zip(names, key, strict=True)),
            "rate": event.rate,
            "recorded_at": event.timestamp,
        }


def _change(rows: Rows, key: Key, **values: Any) -> None:
    """A row whose first event is a dead letter is not there to be changed."""
    if key in rows:
        rows[key].update(values)


def _change_given(rows: Rows, key: Key, **values: Any) -> None:
    _change(rows, key, **{name: value for name, value in values.items() if value is not None})


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


FOLDS: Final[Mapping[str, Fold]] = {
    "accounts": _accounts,
    "account_details": account_folds.account_details,
    "invites": account_folds.invites,
    "invite_joins": account_folds.invite_joins,
    "websites": _websites,
    "website_keys": _website_keys,
    "website_zones": statement_folds.website_zones,
    "traffic_rules": statement_folds.traffic_rules,
    "custom_domains": domain_folds.custom_domains,
    "partners": _partners,
    "partner_terms": _partner_terms,
    "links": _links,
    "conversions": _conversions,
    "conversion_steps": _conversion_steps,
    "statement_months": statement_folds.statement_months,
    "activity": _activity,
    "exchange_rates": _exchange_rates,
    **deal_folds.FOLDS,
    **forum_folds.FOLDS,
    **insight_folds.FOLDS,
    **lead_folds.FOLDS,
    **matching_folds.FOLDS,
    **listing_folds.FOLDS,
}
KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(FOLDS, ("id",)),
    "account_details": ("account_id",),
    "invite_joins": ("account_id",),
    "partner_terms": ("partner_id", "effective_at"),
    "conversion_steps": ("conversion_id", "version"),
    "website_zones": ("website_id", "since"),
    "exchange_rates": ("base", "quote", "on_day"),
    **forum_folds.KEYS,
    **insight_folds.KEYS,
    **lead_folds.KEYS,
    **matching_folds.KEYS,
    **listing_folds.KEYS,
}


def commissions(rows: Mapping[Key, Row]) -> dict[UUID, int]:
    """Minor units that each website earns, from the rows of `conversions`."""
    sums: dict[UUID, int] = {}
    for row in rows.values():
        sums[row["website_id"]] = sums.get(row["website_id"], 0) + row["commission"]
    return sums
