"""ISO 4217 currencies and how many digits their minor units have; the one table that all of us count with."""

from __future__ import annotations

from typing import Final

MAX_AMOUNT: Final = 10**15
"""The largest single amount, in minor units: 10 trillion USD, 1,000 trillion VND. A larger one is refused by name
(`amount_too_large`). Ten of them still fit into 2^53, and 10^23 of them into an Int128, in which sums are kept."""

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
MINOR_DIGITS: Final = {
    code: digits for digits, codes in ((0, _ZERO), (2, _TWO), (3, _THREE), (4, _FOUR)) for code in codes.split()
}
"""Currency code -> digits after the decimal point: 2 for most, 0 for yen, 3 for dinars."""


MAGNITUDES: Final = {
    code: scale
    for scale, codes in (
        (10, "BOB BWP CNY DKK EGP GHS GTQ HKD HNL LSL MAD MDL MOP MVR MXN NAD NOK PLN SEK SZL THB TRY TWD UAH ZAR ZMW"),
        (
            100,
            "AFN AMD BDT CZK DOP DZD ETB HTG HUF INR ISK JPY KES KGS KZT LKR LRD MKD MUR NIO NPR PHP PKR RSD RUB UYU",
        ),
        (1_000, "AOA ARS BIF CDF CLP COP CRC DJF IQD KMF KPW KRW MMK MNT MWK NGN RWF SDG SSP TZS XAF XOF XPF YER"),
        (10_000, "GNF IDR KHR LAK LBP MGA PYG SYP UGX UZS VND"),
        (100_000, "IRR VED VES"),
    )
    for code in codes.split()
}
"""Roughly how many major units a US dollar is worth, as a power of ten (2026); 1 where the table says nothing. For
default limits alone: no amount is converted by it."""


def digits(currency: str) -> int:
    """Returns the number of decimals of the currency (ISO 4217): 2 for most, 0 for yen, 3 for dinars."""
    return MINOR_DIGITS.get(currency, 2)


def decimal_text(minor: int, currency: str) -> str:
    """`minor` units in major units, with all of the currency's decimals: 1050 USD is 10.50."""
    places = digits(currency)
    whole, rest = divmod(abs(minor), 10**places)
    return f"{'-' if minor < 0 else ''}{whole}{f'.{rest:0{places}d}' if places else ''}"


def amount_text(minor: int, currency: str) -> str:
    """`10.50 USD`."""
    return f"{decimal_text(minor, currency)} {currency}".rstrip()
