"""Money as it is sent, turned into integer minor units. Nothing is rounded: what does not fit is refused."""

from __future__ import annotations

import re
from typing import Final

from ingest.refused import invalid

MAX_AMOUNT: Final = 2**53
"""Minor units; every consumer, JavaScript included, holds this exactly."""


def exponent_of(currency: str) -> int:
    """Digits after the decimal point of an ISO 4217 currency. Raises `Refused` (unknown_currency)."""
    digits = _EXPONENTS.get(currency)
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
    if amount > MAX_AMOUNT:
        raise invalid("amount_too_large", "the amount is larger than 2^53 minor units")
    return amount


def check_minor_units(amount: int) -> int:
    """An amount that was sent in minor units."""
    if amount < 0:
        raise invalid("negative_amount", "an amount is 0 or more; report a refund as status reversed")
    if amount > MAX_AMOUNT:
        raise invalid("amount_too_large", "the amount is larger than 2^53 minor units")
    return amount


_DECIMAL: Final = re.compile(r"([0-9]{1,16})(?:\.([0-9]{0,16}))?")
_ZERO: Final = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THREE: Final = "BHD IQD JOD KWD LYD OMR TND"
_FOUR: Final = "CLF UYW"
_TWO: Final = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF "
    "CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF "
    "IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN "
    "MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS "
    "SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG"
)
_EXPONENTS: Final = {
    code: digits for digits, codes in ((0, _ZERO), (2, _TWO), (3, _THREE), (4, _FOUR)) for code in codes.split()
}
