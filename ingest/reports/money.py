"""Bounds of money that is sent in minor units. Texts are read by `infra.domain.report_reading`."""

from __future__ import annotations

from ingest.errors import invalid
from schemas.currencies import MAX_AMOUNT as MAX_AMOUNT
from schemas.currencies import MINOR_DIGITS


def exponent_of(currency: str) -> int:
    """Digits after the decimal point of an ISO 4217 currency. Raises `EventRejected` (unknown_currency)."""
    digits = MINOR_DIGITS.get(currency)
    if digits is None:
        raise invalid("unknown_currency", "currency is not an ISO 4217 code in three capital letters, such as USD")
    return digits


def check_minor_units(amount: int) -> int:
    """An amount that was sent in minor units."""
    if amount < 0:
        raise invalid("negative_amount", "an amount is 0 or more; report a refund as status reversed")
    return _bounded(amount)


def _bounded(amount: int) -> int:
    if amount > MAX_AMOUNT:
        raise invalid("amount_too_large", "an amount is at most 10^15 minor units (1000000000000000)")
    return amount
