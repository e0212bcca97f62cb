"""The commission of a sale, before any conversion or rounding. Pure.

The decision about a conversion (`command_api.conversions.money`) and the table of reconciled sales
(`projectors.read_models.conversions.reconciled_sales`) calculate by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from schemas.base import Money
from schemas.events.conversions import TierUsed
from schemas.events.partners import Terms, TermsKind


def commission_basis(
    amount: Money, payout: Money | None, terms: Terms, currency: str, exact: Mapping[str, str], *, kind: str
) -> tuple[Fraction, str]:
    """Returns minor units, and the currency in which a payout or the terms name them; `currency`: the website's.

    `exact`: decimals of the minor units of `amount` and `payout`, where they are no integers. A reported payout takes
    precedence over the terms.
    """
    if payout is not None:
        return Fraction(exact.get("payout", payout.amount)), payout.currency
    if terms.kind is TermsKind.PERCENT:
        sale = Fraction(exact.get("amount", amount.amount))
        return sale * terms.rate_bp / 10_000, amount.currency
    if terms.kind is TermsKind.PER_LEAD and kind != "lead":
        return Fraction(0), currency
    return Fraction(terms.flat_amount), terms.flat_currency or currency


def terms_of_tier(terms: Terms, tier: TierUsed | None) -> Terms:
    """The terms with the rate of the tier."""
    if tier is None:
        return terms
    return terms.model_copy(update={"rate_bp": tier.rate_bp, "flat_amount": tier.flat_amount})
