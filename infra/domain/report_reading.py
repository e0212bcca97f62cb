"""Reads what reports of sales say, in the forms that shops and networks really write. Pure and exact: no float.

A value is read where its meaning is certain; otherwise the answer is `None` and the caller keeps the text. Ingest reads
all reports by it (`ingest.endpoints.report_fields`), the write side reads a kept text again, the read side says why
there is no click.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final
from urllib.parse import unquote

from schemas.currencies import MAX_AMOUNT, MINOR_DIGITS

STATUSES: Final = frozenset({"pending", "approved", "rejected", "reversed", "hold"})
STATUS_DIGITS: Final = {"1": "approved", "2": "pending", "3": "rejected", "5": "hold"}
MAX_DIGITS: Final = 40
"""More digits than any amount has."""


@dataclass(frozen=True, slots=True)
class Decimal:
    """A number of major units of one of `currencies`; `None`: the text names no currency."""

    value: Fraction
    currencies: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class MinorUnits:
    """An amount as it is booked: rounded once, half to even. `exact`: the minor units as a decimal, if they are no
    integer (`3.5` for 0.035 USD)."""

    amount: int
    exact: str = ""


def read_decimal(text: str) -> Decimal | None:
    """An amount in major units, with or without a currency: ` +12.00 `, `.5`, `12,50`, `$12.00`, `1.234,56`,
    `1 234,56 EUR`. A single point is a decimal point. `1,234` is either of two numbers: `None`, like a negative amount.
    """
    match = _AMOUNT.fullmatch(plain_text(text))
    if match is None:
        return None
    before, number, after = (part.strip() for part in match.group("before", "number", "after"))
    sign, value = match["sign"] + match["inner_sign"], _number(number)
    if value is None or (sign not in ("", "+") and value) or (before and after):
        return None
    if not before + after:
        return Decimal(value)
    currencies = currencies_of(before + after)
    return Decimal(value, currencies) if currencies else None


def to_minor(value: Fraction, currency: str) -> MinorUnits | None:
    """`value` major units in minor units of a known currency; `None`: beyond `MAX_AMOUNT`."""
    minor = value * 10 ** MINOR_DIGITS[currency]
    if minor > MAX_AMOUNT:
        return None
    return MinorUnits(round(minor), "" if minor.denominator == 1 else _decimal_text(minor))


def read_currency(text: str, own: str) -> str | None:
    """The ISO 4217 code, in any case. A sign that several currencies share (`$`) is the website's `own`, if that is one
    of them."""
    currencies = currencies_of(plain_text(text))
    if len(currencies) == 1:
        return next(iter(currencies))
    return own if own in currencies else None


def currency_of(decimal: Decimal, given: str) -> str | None:
    """Returns the currency of a decimal, where the report gives `given`; `None`: its sign contradicts that."""
    if decimal.currencies is None or given in decimal.currencies:
        return given
    return None


def read_status(text: str, words: Mapping[str, str]) -> str | None:
    """One of `STATUSES`, from the network's own `words` (lower case) first. Case and blanks do not matter."""
    word = _word(text)
    own = {_word(said): status for said, status in words.items()}
    return own.get(word) or STATUS_DIGITS.get(word) or _STATUS_WORDS.get(word)


def read_event(text: str) -> str | None:
    """The name of an event: lower case, with underscores for blanks (`First Deposit` is `first_deposit`)."""
    name = "_".join(text.lower().split())
    return name if _EVENT.fullmatch(name) else None


def read_txid(text: str) -> str:
    """A transaction id without what cannot be seen around it: `A1 ` is `A1`."""
    return text.strip(_INVISIBLE + _BLANKS)


def is_placeholder(text: str) -> bool:
    """Returns whether a value is a placeholder that was not filled in (`{click_id}`, `[TID]`, `%7Btid%7D`), or what
    programs write for nothing (`null`, `undefined`, `0`, blanks)."""
    forms = {text, unquote(text), unquote(unquote(text))}
    return any(_is_placeholder(read_txid(form)) for form in forms)


def _is_placeholder(text: str) -> bool:
    if _NOTHING.fullmatch(text) or _word(text) in _NOTHING_WORDS:
        return True
    if _GUID.fullmatch(text):
        return False
    if match := _WRAPPED.fullmatch(text):
        inner = next(part for part in match.groups() if part is not None)
        return _MACRO.fullmatch(inner.strip()) is not None
    return _EMBEDDED.search(text) is not None


def plain_text(text: str) -> str:
    """Decimal digits of any script as 0 to 9, signs and blanks in their plain form, nothing around it."""
    if text.isascii() and text.isprintable():
        return text[:256].strip()
    plain = "".join(_PLAIN_SIGNS.get(char) or _plain_char(char) for char in text[:256])
    return plain.strip()


def _plain_char(char: str) -> str:
    if char in _INVISIBLE:
        return ""
    if char.isspace():
        return " "
    digit = unicodedata.decimal(char, None)
    return char if digit is None else str(digit)


def _number(text: str) -> Fraction | None:
    """A number without sign. Groups of thousands are taken where they cannot be decimals."""
    if sum(char.isdigit() for char in text) > MAX_DIGITS:
        return None
    if _DIGITS.fullmatch(text):
        return Fraction(int(text))
    for form in (_SPACED, _POINT_LAST, _COMMA_LAST, _POINTS, _COMMAS):
        if match := form.fullmatch(text):
            return _fraction(re.sub(r"\D", "", match[1]), match.groupdict().get("rest") or "")
    if text.count(",") == 1 and "." not in text and not _AMBIGUOUS.fullmatch(text):
        text = text.replace(",", ".")
    if match := _DECIMAL.fullmatch(text):
        return _fraction(match[1], match["rest"])
    return None


def _fraction(whole: str, rest: str) -> Fraction | None:
    return Fraction(int(whole + rest), 10 ** len(rest)) if whole + rest else None


def _decimal_text(value: Fraction) -> str:
    """A fraction whose denominator divides a power of ten, written out."""
    places = 0
    while value.denominator != 1:
        value, places = value * 10, places + 1
    digits = str(value.numerator).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def currencies_of(label: str) -> frozenset[str]:
    """The currencies that a code or sign (`EUR`, `$`, `zł`) stands for; empty: none that is known."""
    code = label.upper().strip(". ")
    if code in MINOR_DIGITS:
        return frozenset({code})
    return _SIGNS.get(code, frozenset())


def _word(text: str) -> str:
    return " ".join(re.split(r"[\s_-]+", text.strip(_INVISIBLE + _BLANKS).casefold())).strip()


_INVISIBLE: Final = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad"
_BLANKS: Final = " \t\r\n\v\f\u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_PLAIN_SIGNS: Final = {"−": "-", "﹣": "-", "－": "-", "＋": "+", "．": ".", "，": ",", "٫": ".", "٬": "'", "’": "'"}
_AMOUNT: Final = re.compile(
    r"(?P<sign>[+-]?) *(?P<before>[^\d+\-.,']*?) *(?P<inner_sign>[+-]?) *"
    r"(?P<number>\d[\d.,' ]*|[.,]\d+)(?P<after>[^\d+\-.,']*)"
)
_DIGITS: Final = re.compile(r"\d+")
_DECIMAL: Final = re.compile(r"(\d*)\.(?P<rest>\d*)")
_SPACED: Final = re.compile(r"(\d{1,3}(?: \d{3})+|\d{1,3}(?:'\d{3})+)(?:[.,](?P<rest>\d*))?")
_POINT_LAST: Final = re.compile(r"(\d{1,3}(?:,\d{2,3})*,\d{3})\.(?P<rest>\d*)")
_COMMA_LAST: Final = re.compile(r"(\d{1,3}(?:\.\d{3})+),(?P<rest>\d*)")
_POINTS: Final = re.compile(r"(\d{1,3}(?:\.\d{3}){2,})")
_COMMAS: Final = re.compile(r"(\d{1,3}(?:,\d{2,3})+,\d{3})")
_AMBIGUOUS: Final = re.compile(r"[1-9]\d{0,2},\d{3}")
"""A thousand and more, or one and a few decimals."""
_EVENT: Final = re.compile(r"[a-z0-9_.-]{1,64}", re.A)

_DOLLARS: Final = frozenset(
    [
        "USD",
        "AUD",
        "BBD",
        "BMD",
        "BND",
        "BSD",
        "BZD",
        "CAD",
        "FJD",
        "GYD",
        "HKD",
        "JMD",
        "KYD",
        "LRD",
        "NAD",
        "NZD",
        "SBD",
        "SGD",
        "SRD",
        "TTD",
        "TWD",
        "XCD",
        "ARS",
        "CLP",
        "COP",
        "MXN",
    ]
)
_SIGNS: Final[Mapping[str, frozenset[str]]] = {
    "€": frozenset({"EUR"}),
    "EURO": frozenset({"EUR"}),
    "EUROS": frozenset({"EUR"}),
    "$": _DOLLARS,
    "US$": frozenset({"USD"}),
    "C$": frozenset({"CAD"}),
    "CA$": frozenset({"CAD"}),
    "A$": frozenset({"AUD"}),
    "AU$": frozenset({"AUD"}),
    "NZ$": frozenset({"NZD"}),
    "HK$": frozenset({"HKD"}),
    "S$": frozenset({"SGD"}),
    "R$": frozenset({"BRL"}),
    "£": frozenset({"GBP", "EGP", "FKP", "GIP", "SHP"}),
    "¥": frozenset({"JPY", "CNY"}),
    "₹": frozenset({"INR"}),
    "₽": frozenset({"RUB"}),
    "₴": frozenset({"UAH"}),
    "₺": frozenset({"TRY"}),
    "₩": frozenset({"KRW", "KPW"}),
    "₪": frozenset({"ILS"}),
    "₫": frozenset({"VND"}),
    "₦": frozenset({"NGN"}),
    "฿": frozenset({"THB"}),
    "ZŁ": frozenset({"PLN"}),
    "KČ": frozenset({"CZK"}),
    "FT": frozenset({"HUF"}),
    "KR": frozenset({"SEK", "NOK", "DKK", "ISK"}),
}
"""Signs of currencies, in capitals."""

_STATUS_WORDS: Final[Mapping[str, str]] = {
    word: status
    for status, words in (
        (
            "approved",
            "approved|approve|accepted|confirmed|confirm|paid|payed|valid|validated|complete|completed|success",
        ),
        ("approved", "successful|authorized|authorised"),
        ("pending", "pending|open|new|waiting|processing|in progress|delayed|unconfirmed|under review|in review"),
        ("rejected", "rejected|reject|declined|decline|denied|canceled|cancelled|cancel|void|voided|invalid|trash"),
        ("rejected", "disapproved|refused|failed|not approved|not confirmed"),
        ("reversed", "reversed|reversal|refunded|refund|chargeback|charge back|charged back|returned"),
        ("hold", "hold|on hold|onhold|held"),
    )
    for word in words.split("|")
}
"""Words whose meaning is the same at every network."""

_NOTHING: Final = re.compile(r"[0\-_.?]*")
_NOTHING_WORDS: Final = frozenset(
    [
        "null",
        "nil",
        "none",
        "undefined",
        "nan",
        "n/a",
        "na",
        "empty",
        "void 0",
        "not set",
        "(not set)",
        "(none)",
        "(null)",
        "[object object]",
        "click id",
        "clickid",
        "subid",
        "sub id",
        "transaction id",
        "transactionid",
        "txid",
        "tid",
        "order id",
        "orderid",
    ]
)
"""The words that programs write for a value that they do not have, and names of parameters in place of their values."""
_GUID: Final = re.compile(r"\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?", re.I)
_MACRO: Final = re.compile(r"(?![^|]*\d{3})[^\W\d][\w .:|/=()\[\]$-]*")
"""A name such as `sub_id_10`; what has three digits in a row is a value in brackets."""
_WRAPPED: Final = re.compile(
    r"[$#@%]?\{\{?\{?([^{}]+)\}?\}?\}|\[\[?=?([^\[\]=]+)=?\]?\]|<<?%?=?([^<>%]+)%?>?>|%%?([^%]+)%%?|##?([^#]+)##?"
    r"|!!!([^!]+)!!!|__([^_](?:.*[^_])?)__|\*\|([^|]+)\|\*|@@?([^@]+)@@?|\$([A-Za-z_]\w*)\$?|:([A-Za-z_]\w*):?|\(([^()]+)\)"
)
_EMBEDDED: Final = re.compile(r"\$?\{\{?[A-Za-z_][\w. |-]*\}\}?|!!![A-Za-z_]\w*!!!|\[=[A-Za-z_]\w*=\]|%%[A-Za-z_]\w*%%")
"""A placeholder within a text that is constant otherwise."""
