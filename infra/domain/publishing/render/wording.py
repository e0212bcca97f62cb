"""Fixed texts of a page (`wording.json`) and numbers, in the site's language; English where there is no translation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Final

from schemas.currencies import MINOR_DIGITS

FALLBACK: Final = "en"
_RIGHT_TO_LEFT: Final = frozenset({"ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"})
_POINT: Final = frozenset({"en", "ja", "ko", "zh", "th", "he"})
_SYMBOLS: Final = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹", "KRW": "₩"}
_NO_BREAK: Final = "\u00a0"


@dataclass(frozen=True, slots=True)
class SiteWording:
    """The texts. `visit` has a place for the product's name, `rating` for a number of stars."""

    skip: str
    menu: str
    breadcrumbs: str
    home: str
    pros: str
    cons: str
    yes: str
    no: str
    unknown: str
    rating: str
    was: str
    visit: str
    table: str
    email: str
    subscribe: str
    leave_empty: str
    sent: str
    sent_text: str
    refused: str
    refused_text: str
    updated: str
    not_found: str
    not_found_text: str


def wording_of(language: str) -> SiteWording:
    """The texts of a language code such as `pt-BR`."""
    return _table().get(_base(language)) or _table()[FALLBACK]


def is_right_to_left(language: str) -> bool:
    """Returns whether the language is written from right to left."""
    return _base(language) in _RIGHT_TO_LEFT


def decimal_text(number: Decimal, language: str) -> str:
    """The number with the language's decimal mark, thousands separated by a narrow blank or comma."""
    text = f"{number:,f}"
    return text if _base(language) in _POINT else text.translate({ord(","): "\u202f", ord("."): ","})


def money_text(amount: int, currency: str, language: str) -> str:
    """An amount in minor units: `$10.99` in English, `10,99 $` in German, the code where there is no symbol."""
    number = decimal_text(Decimal(amount).scaleb(-MINOR_DIGITS[currency]), language)
    symbol = _SYMBOLS.get(currency)
    if symbol and _base(language) in _POINT:
        return f"{symbol}{number}"
    return f"{number}{_NO_BREAK}{symbol or currency}"


@cache
def _table() -> Mapping[str, SiteWording]:
    table = json.loads((files("infra.domain.publishing.render") / "wording.json").read_text("utf-8"))
    return {language: SiteWording(**texts) for language, texts in table.items()}


def _base(language: str) -> str:
    return language.split("-")[0]
