"""Calculates and divides commissions. Exact fractions inside, one rounding (half to even) at the end. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from command_api.kernel.decision import invalid
from infra.domain.commissions import commission_basis
from schemas.base import Money
from schemas.currencies import MAX_AMOUNT, MINOR_DIGITS
from schemas.events.partners import Terms

CURRENCY_UNKNOWN: Final = "currency_unknown"

NOTHING: Final[Mapping[str, str]] = {}
Rates = Mapping[str, str]
"""Currency -> how many major units of the website's currency one major unit of it is worth, as a decimal text."""


def commission_of(
    amount: Money,
    payout: Money | None,
    terms: Terms,
    currency: str,
    rates: Rates,
    *,
    kind: str = "sale",
    exact: Mapping[str, str] = NOTHING,
) -> tuple[Money, str | None]:
    """The commission of a sale or lead in the website's `currency`, and the exchange rate (none: no conversion).

    `exact`: decimals of the minor units of `amount` and `payout`, where they are no integers: only the commission is
    rounded. A reported payout takes precedence over the terms. Raises `CommandRejected` `currency_unknown` and
    `amount_too_large`.
    """
    value, of = commission_basis(amount, payout, terms, currency, exact, kind=kind)
    return convert(value, of, currency, rates)


def reversal(commission: int, sale: int, by_hand: int, returned: Fraction) -> tuple[int, int]:
    """Returns the minor units of the sale and of its commission that are reversed: `by_hand`, and the part that reports
    name.

    Monotone, and all of both for the whole sale; steps take the difference of two, so that they add up to the whole.
    """
    part = returned + (Fraction(by_hand, sale) if sale else 0)
    if part >= 1:
        return sale, commission
    return min(sale, by_hand + round(sale * returned)), round(commission * part)


def convert(value: Fraction, of: str, currency: str, rates: Rates) -> tuple[Money, str | None]:
    """Converts `value` minor units `of` a currency to another, rounded once; returns the rate, too. Raises as
    `commission_of`."""
    amount, rate = exchange(value, of, currency, rates)
    if abs(amount) > MAX_AMOUNT:
        message = f"Amount too large: the maximum is {MAX_AMOUNT} minor units of {currency}."
        raise invalid("amount_too_large", message)
    return Money(amount=amount, currency=currency), rate


def exchange(value: Fraction, of: str, currency: str, rates: Rates) -> tuple[int, str | None]:
    """Converts an amount as `convert` does, without a bound: for sums and thresholds, which may be larger than one
    amount."""
    if of == currency:
        return round(value), None
    rate = rates.get(of)
    if rate is None or of not in MINOR_DIGITS:
        raise invalid(CURRENCY_UNKNOWN, f"There is no exchange rate from {of} to {currency} for that day.")
    shift = Fraction(10) ** (MINOR_DIGITS[currency] - MINOR_DIGITS[of])
    return round(value * Fraction(rate) * shift), rate
