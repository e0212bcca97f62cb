"""Money as it is sent, turned into integer minor units. Nothing is rounded: what does not fit is refused."""

from __future__ import annotations

import re
from typing import Final

from ingest.errors import invalid
from schemas.currencies import MAX_AMOUNT as MAX_AMOUNT
from schemas.currencies import MINOR_DIGITS


def exponent_of(currency: str) -> int:
    """Digits after the decimal point of an ISO 4217 currency. Raises `EventRejected` (unknown_currency)."""
    digits = MINOR_DIGITS.get(currency)
    if digits is None:
        raise invalid("unknown_currency", "currency is not an ISO 4217 code in three capital letters, such as USD")
    return digits


def minor_units(text: str, currency: str) -> int:
    """A decimal amount of 0 or more, as networks write it (`12.50`), in minor units of `currency`, exactly.

    Trailing zeros beyond the currency's digits are taken (`12.500` USD = 1250), other ones refused (bad_amount).
    """
    found = _DECIMAL.fullmatch(text)
    if found is None:
        raise invalid("bad_amount", "an amount is a number of 0 or more with a decimal point, such as 12.50")
    whole, fraction = found.group(1), found.group(2) or ""
    digits = exponent_of(currency)
    if fraction[digits:].strip("0"):
        raise invalid("bad_amount", f"{currency} has {digits} digits after the decimal point")
    amount = int(whole + fraction[:digits].ljust(digits, "0"))
    return _bounded(amount)


def check_minor_units(amount: int) -> int:
    """An amount that was sent in minor units."""
    if amount < 0:
        raise invalid("negative_amount", "an amount is 0 or more; report a refund as status reversed")
    return _bounded(amount)


def _bounded(amount: int) -> int:
    if amount > MAX_AMOUNT:
        raise invalid("amount_too_large", "an amount is at most 10^15 minor units (1000000000000000)")
    return amount


_DECIMAL: Final = re.compile(r"([0-9]{1,24})(?:\.([0-9]{0,24}))?")
