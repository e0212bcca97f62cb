"""How a commission is worked out and divided. Exact fractions inside, one rounding (half to even) at the end. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from command_api.decision import invalid
from schemas.base import Money
from schemas.currencies import MINOR_DIGITS
from schemas.events.partners import Terms, TermsKind

CURRENCY_UNKNOWN: Final = "currency_unknown"
MOST: Final = 2**53
"""Minor units that `Money` holds."""

Rates = Mapping[str, str]
"""Currency -> how many major units of the website's currency one major unit of it is worth, as a decimal text."""


def commission_of(
    amount: Money, payout: Money | None, terms: Terms, currency: str, rates: Rates
) -> tuple[Money, str | None]:
    """What a sale earns in the website's `currency`, and the rate that was used (none: no conversion).

    The payout that the report names stands; without one the terms say. Raises `Refused` `currency_unknown` and
    `amount_too_large`.
    """
    if payout is not None:
        return _in(currency, Fraction(payout.amount), payout.currency, rates)
    if terms.kind is TermsKind.FLAT:
        return _in(currency, Fraction(terms.flat_amount), terms.flat_currency or currency, rates)
    return _in(currency, Fraction(amount.amount * terms.rate_bp, 10_000), amount.currency, rates)


def share(commission: int, part: int, whole: int) -> int:
    """The commission on the first `part` of a sale of `whole`. Monotone, and all of it for the whole sale.

    Steps take the difference of two shares, so that the steps always add up to the whole, however it was cut.
    """
    return commission if part >= whole else round(Fraction(commission * part, whole))


def _in(currency: str, value: Fraction, of: str, rates: Rates) -> tuple[Money, str | None]:
    if of == currency:
        return _counted(value, currency), None
    rate = rates.get(of)
    if rate is None or of not in MINOR_DIGITS:
        raise invalid(CURRENCY_UNKNOWN, f"There is no exchange rate from {of} to {currency} for that day.")
    shift = Fraction(10) ** (MINOR_DIGITS[currency] - MINOR_DIGITS[of])
    return _counted(value * Fraction(rate) * shift, currency), rate


def _counted(value: Fraction, currency: str) -> Money:
    amount = round(value)
    if abs(amount) > MOST:
        raise invalid("amount_too_large", f"This amount is too large to be counted in {currency}.")
    return Money(amount=amount, currency=currency)
