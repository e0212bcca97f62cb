"""The expected earnings of 1,000 visitors with a program: from the member's own results, else from the program's terms.
Pure.

The terms say what one sale pays; how many visitors click and buy is an assumption, stated with the result. Therefore
the result is a range of rounded amounts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from infra.domain.program_ideas.niches import Niche
from infra.domain.program_matching.scoring import COMPARED_IN, MIN_CLICKS, Match, pays
from schemas.currencies import amount_text, digits

VISITORS: Final = 1_000
CLICKS: Final = 50
"""The assumed clicks of 1,000 visitors, for every program."""
SALES_LOW: Final = 1
SALES_HIGH: Final = 3
"""The assumed sales of 100 clicks."""

Basis = Literal["terms", "results"]


@dataclass(frozen=True, slots=True)
class Earnings:
    """Per 1,000 visitors, in minor units. By `terms` a rounded range; by `results` both ends are the same."""

    low: int
    high: int
    currency: str
    basis: Basis
    assumptions: tuple[str, ...]

    @property
    def middle(self) -> Decimal:
        return Decimal(self.low + self.high) / 2


def expected(match: Match, niche: Niche, worth: Mapping[str, Decimal]) -> Earnings | None:
    """Returns the expected earnings; None where the terms mix a share with a sum in a currency without a known rate.
    `worth`: value of one major unit of a currency, in `COMPARED_IN`."""
    own = match.results
    if own is not None and own.clicks >= MIN_CLICKS:
        earned = _rounded(max(own.epc, Decimal(0)) * CLICKS, 2)
        measured = (
            f"Your links to it earned {amount_text(round(own.epc * 100), own.currency)} per 100 clicks"
            f" ({own.clicks:,} clicks in 90 days)"
        )
        return Earnings(earned, earned, own.currency, "results", (measured, _CLICKED))
    return _by_terms(match, niche, worth)


def comparable(earnings: Earnings, worth: Mapping[str, Decimal]) -> Decimal | None:
    """The middle in major units of `COMPARED_IN`; none without a rate."""
    rate = Decimal(1) if earnings.currency == COMPARED_IN else worth.get(earnings.currency)
    return None if rate is None else earnings.middle.scaleb(-digits(earnings.currency)) * rate


_CLICKED: Final = f"Assumption: {CLICKS} of {VISITORS:,} visitors click the link"
_BOUGHT: Final = f"Assumption: {SALES_LOW} to {SALES_HIGH} of 100 clicks become a sale"


def _by_terms(match: Match, niche: Niche, worth: Mapping[str, Decimal]) -> Earnings | None:
    program = match.program
    sale, currency, assumptions = Decimal(0), COMPARED_IN, [f"{pays(program)} (its terms)", _CLICKED, _BOUGHT]
    if program.commission_bp:
        sale = Decimal(niche.order_value) * 10 ** digits(COMPARED_IN) * program.commission_bp / 10_000
        value = amount_text(niche.order_value * 10 ** digits(COMPARED_IN), COMPARED_IN)
        assumptions.append(f"Assumption: a sale is worth {value}: {niche.order_reason}")
    amount = program.commission_amount
    if amount is not None and program.commission_bp and amount.currency != COMPARED_IN:
        rate = worth.get(amount.currency)
        if rate is None:
            return None
        sale += Decimal(amount.amount).scaleb(digits(COMPARED_IN) - digits(amount.currency)) * rate
    elif amount is not None:
        sale, currency = sale + amount.amount, amount.currency
    if program.recurring:
        assumptions.append("Only the first payment of a customer is counted")
    if match.listed.is_to_be_checked:
        assumptions.append("The terms are not verified yet")
    low, high = (_rounded(sale * CLICKS * sales / 100, 1) for sales in (SALES_LOW, SALES_HIGH))
    return Earnings(low, high, currency, "terms", tuple(assumptions))


def _rounded(amount: Decimal, figures: int) -> int:
    """Rounds to so many significant figures: more would look measured."""
    if amount <= 0:
        return 0
    places = figures - 1 - math.floor(math.log10(amount))
    return int(round(amount, places)) if places < 0 else round(amount)
