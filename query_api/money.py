"""Money as people read it: integer minor units to a JSON number in major units with at most two decimals.

Stored and added money is always integer minor units; only these functions, at the very edge, make numbers of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Final

from pydantic import BaseModel, Field

from schemas.currencies import digits

_CENT: Final = Decimal("0.01")


class Amount(BaseModel):
    """An amount in integer minor units of an ISO 4217 currency (1099 USD = $10.99)."""

    amount: int = Field(description="Minor units")
    currency: str


def major(minor: int, currency: str) -> float:
    """`minor` units in major units, rounded half to even to two decimals."""
    return float(_rounded(minor, currency))


def major_series(minors: Iterable[int], currency: str) -> list[float]:
    """Each in major units with at most two decimals, so that their sum is `major` of the sum.

    Currencies of more than two decimals lose digits; what one item loses, a later one makes good.
    """
    shown: list[float] = []
    total = 0
    before = Decimal(0)
    for minor in minors:
        total += minor
        now = _rounded(total, currency)
        shown.append(float(now - before))
        before = now
    return shown


def per(minor: int, count: int, currency: str) -> float:
    """`minor` ÷ `count` in major units with two decimals; 0 when there is nothing to divide by."""
    if not count:
        return 0.0
    exact = Decimal(minor) / (Decimal(count) * 10 ** digits(currency))
    return float(exact.quantize(_CENT, ROUND_HALF_EVEN))


def percent(part: int, whole: int) -> float:
    """`part` ÷ `whole` × 100 with two decimals; 0 when there is no whole."""
    return float((Decimal(100 * part) / whole).quantize(_CENT, ROUND_HALF_EVEN)) if whole else 0.0


def _rounded(minor: int, currency: str) -> Decimal:
    exact = Decimal(minor).scaleb(-digits(currency))
    return exact.quantize(_CENT, ROUND_HALF_EVEN)
