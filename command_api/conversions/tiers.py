"""Tiers of a partner's terms: which tier pays a conversion, given the total of its month. Pure.

The rule, which `schemas.events.partners.Terms` states too:
- the month is that of the sale, in UTC, for every website the same;
- what counts is what the website's dashboard counts: pending and approved conversions with the partner, or the
  commission on them, as decided before this one; rejected and reversed ones do not count;
- in the order of the decisions, not of the sales: a late report never changes earlier decisions.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final

from command_api.conversions.money import Rates, exchange
from schemas.events.conversions import TierUsed
from schemas.events.partners import Terms, TiersBy


@dataclass(frozen=True, slots=True)
class MonthlyTotal:
    """Total of a website's month with a partner: conversions, and minor units of commission."""

    conversions: int = 0
    revenue: int = 0

    def __add__(self, other: MonthlyTotal) -> MonthlyTotal:
        return MonthlyTotal(self.conversions + other.conversions, self.revenue + other.revenue)

    def __sub__(self, other: MonthlyTotal) -> MonthlyTotal:
        return MonthlyTotal(self.conversions - other.conversions, self.revenue - other.revenue)

    def of(self, by: TiersBy) -> int:
        return self.conversions if by is TiersBy.CONVERSIONS else self.revenue

    def allows(self, tier: TierUsed) -> bool:
        """Returns whether a conversion decided at this total is paid by `tier`."""
        reached = self.of(tier.by)
        # The lowest tier also covers negative totals.
        return (tier.number == 0 or reached >= tier.at_least) and (tier.below is None or reached < tier.below)


ZERO_TOTAL: Final = MonthlyTotal()


def month_of(occurred_at: datetime) -> str:
    return occurred_at.astimezone(UTC).strftime("%Y-%m")


def tier_of(
    terms: Terms, monthly_total: MonthlyTotal, occurred_at: datetime, currency: str, rates: Rates
) -> TierUsed | None:
    """The tier that pays a sale; none when the terms have none. Raises `CommandRejected` `currency_unknown`."""
    if not terms.tiers:
        return None
    thresholds = [_threshold(terms, tier.at_least, currency, rates) for tier in terms.tiers]
    number = sum(threshold <= monthly_total.of(terms.tiers_by) for threshold in thresholds)
    paid = terms.tiers[number - 1] if number else None
    return TierUsed(
        month=month_of(occurred_at),
        number=number,
        by=terms.tiers_by,
        at_least=thresholds[number - 1] if number else 0,
        below=thresholds[number] if number < len(thresholds) else None,
        rate_bp=paid.rate_bp if paid else terms.rate_bp,
        flat_amount=paid.flat_amount if paid else terms.flat_amount,
    )


def _threshold(terms: Terms, at_least: int, currency: str, rates: Rates) -> int:
    if terms.tiers_by is TiersBy.CONVERSIONS:
        return at_least
    return exchange(Fraction(at_least), terms.tiers_currency or currency, currency, rates)[0]
