"""A partner's terms as people and programs read them, from whichever service."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from schemas.currencies import amount_text
from schemas.events.partners import Terms, TermsKind, TiersBy
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel


class TierShape(ResponseModel):
    """What is paid once the month (UTC) has brought this much."""

    at_least: int = Field(description="Conversions, or minor units of commission")
    percent: float | None
    amount: int | None = Field(description="Minor units")


class TermsShape(ResponseModel):
    """What a partner pays for a click. `percent` or `amount` holds until the first tier is reached."""

    kind: TermsKind
    percent: float | None = Field(description="Of the sale; null for a flat fee")
    amount: int | None = Field(description="Minor units: for each conversion, or for each lead (`per_lead`)")
    currency: str | None
    tiers_by: TiersBy
    tiers_currency: str | None
    tiers: list[TierShape]
    hold_days: int = Field(description="Days after the sale before a commission is payable")
    auto_approve_days: int | None = Field(description="Days until automatic approval; null: never")
    text: str = Field(description="In one sentence")


class PaidTerms(ResponseModel):
    """What is paid, in words for every kind of terms, and in short for the common ones."""

    commission: float | None = Field(description="Percent of the sale; null for other terms")
    flat_commission: Amount | None = Field(description="Paid for each conversion, when it is not a share")
    terms: TermsShape


class Partner(PaidTerms):
    """An affiliate program, with its current terms."""

    id: UUID
    name: str
    slug: str
    base_url: str
    description: str
    is_active: bool
    cookie_days: int
    postback_preset: str | None = Field(description="Whose names its network uses in a postback; null: our own")
    click_id_parameter: str | None = Field(description="In which its links pass the click id; null: they cannot")
    own_click_id_parameter: str | None = Field(description="Its own parameter; null: its network's")
    is_private: bool = Field(description="Only its owner sees and uses it")
    created_at: datetime


def paid_terms(held: Terms | Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `PaidTerms`, from terms or from what a read model holds of them."""
    terms = Terms.model_validate(held)
    return {
        "commission": terms.rate_bp / 100 if terms.kind is TermsKind.PERCENT else None,
        "flat_commission": Amount(amount=terms.flat_amount, currency=terms.flat_currency)
        if terms.kind is TermsKind.FLAT
        else None,
        "terms": terms_shape(terms),
    }


def terms_shape(held: Terms | Mapping[str, Any]) -> TermsShape:
    """Returns the shape of terms, or of what a read model holds of them, of whatever version."""
    terms = Terms.model_validate(held)
    is_percent = terms.kind is TermsKind.PERCENT
    return TermsShape(
        kind=terms.kind,
        percent=terms.rate_bp / 100 if is_percent else None,
        amount=None if is_percent else terms.flat_amount,
        currency=terms.flat_currency,
        tiers_by=terms.tiers_by,
        tiers_currency=terms.tiers_currency,
        tiers=[
            TierShape(
                at_least=tier.at_least,
                percent=tier.rate_bp / 100 if is_percent else None,
                amount=None if is_percent else tier.flat_amount,
            )
            for tier in terms.tiers
        ],
        hold_days=terms.hold_days,
        auto_approve_days=terms.auto_approve_days,
        text=terms_text(terms),
    )


def terms_text(terms: Terms) -> str:
    """`10 % of the sale; 12.5 % from 50 conversions a month; payable 30 days after the sale`."""
    parts = [paid_text(terms, terms.rate_bp, terms.flat_amount)]
    for tier in terms.tiers:
        reached = f"{tier.at_least} conversions"
        if terms.tiers_by is TiersBy.REVENUE:
            reached = f"{amount_text(tier.at_least, terms.tiers_currency or '')} of commission"
        parts.append(f"{paid_text(terms, tier.rate_bp, tier.flat_amount)} from {reached} a month")
    if terms.hold_days:
        parts.append(f"payable {_days(terms.hold_days)} after the sale")
    if terms.auto_approve_days is not None:
        parts.append(f"auto-approved after {_days(terms.auto_approve_days)}")
    return "; ".join(parts)


def paid_text(terms: Terms, rate_bp: int, flat_amount: int) -> str:
    """`12.5 % of the sale`, `5.00 USD for each lead`."""
    if terms.kind is TermsKind.PERCENT:
        return f"{rate_bp / 100:g}% of the sale"
    return f"{amount_text(flat_amount, terms.flat_currency or '')} for each " + (
        "lead" if terms.kind is TermsKind.PER_LEAD else "conversion"
    )


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"
