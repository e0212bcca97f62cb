"""Reads amounts of report files: exact, negative ones included, with the decimal mark that holds for the file.

The decimal mark is decided once per file from all of its amounts (`MarkEvidence`), never from one value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from infra.domain.report_files.source import Exact
from infra.domain.report_reading import currencies_of, plain_text

MAX_LENGTH: Final = 64
MAX_DIGITS: Final = 30
MAX_CACHED: Final = 20_000
NOTHING: Final = frozenset({"", "-", "–", "—", "n/a", "na", "null", "none", "nil", "nan", "undefined", "no data", "--"})
"""What reports write where they have no value, in lower case."""
_BETWEEN: Final = re.compile(r"[.,' ]")
_SIMPLE: Final = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?", re.A)
_EXPONENT: Final = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?[eE][+-]?[012]?\d", re.A)
_PARTS: Final = re.compile(
    r"(?P<open>\()?\s*(?P<sign>[+-]?)\s*(?P<before>[^\d+\-.,'()]*?)\s*(?P<bracket>\()?\s*(?P<inner>[+-]?)\s*"
    r"(?P<number>\d[\d.,' ]*|[.,]\d+)\s*(?P<behind>-?)\s*(?P<after>[^\d+\-.,'()]*?)\s*(?P<last>-?)\s*(?P<close>\))?"
)
_POINT: Final = re.compile(r"(?:\d+|[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}|[1-9]\d{0,2}(?:[ ']\d{3})+)?(?:\.\d*)?")
_COMMA: Final = re.compile(r"(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{0,2}(?:[ ']\d{3})+)?(?:,\d*)?")


@dataclass(frozen=True, slots=True)
class LabelledAmount:
    """A number of major units. `label`: the currency beside it, as it is written; empty: none."""

    value: Decimal
    label: str = ""


class BadAmount(ValueError):
    """The text is no amount with this decimal mark."""


class AmountReader:
    """Reads the amounts of one file; those that repeat are read once."""

    def __init__(self, decimal_mark: str) -> None:
        self._form = _COMMA if decimal_mark == "," else _POINT
        self._mark = decimal_mark or "."
        self._known: dict[str, LabelledAmount | None] = {}

    def read(self, text: str) -> LabelledAmount | None:
        """None: no value. Raises `BadAmount`."""
        if type(text) is Exact or (self._mark == "." and _SIMPLE.fullmatch(text)):
            return _exact(text)
        try:
            return self._known[text]
        except KeyError:
            pass
        amount = self._parsed(text)
        if len(self._known) >= MAX_CACHED:
            self._known.clear()
        self._known[text] = amount
        return amount

    def _parsed(self, text: str) -> LabelledAmount | None:
        if plain_text(text).lower() in NOTHING:
            return None
        parts = _parts(text)
        if parts is None:
            raise BadAmount
        number, label = parts["number"].strip(), _label(parts)
        if sum(char.isdigit() for char in number) > MAX_DIGITS or self._form.fullmatch(number) is None:
            raise BadAmount
        whole, _, rest = number.partition(self._mark)
        whole = _BETWEEN.sub("", whole) or "0"
        value = Decimal(f"{whole}.{rest}" if rest else whole)
        return LabelledAmount(-value if _is_negative(parts) and value else value, label)


class MarkEvidence:
    """Collects what the amounts of a file say about its decimal mark."""

    def __init__(self) -> None:
        self.points = self.commas = 0
        self.unsure = ""
        """An amount that has two readings."""
        self._seen: set[str] = set()

    def add(self, text: str) -> None:
        if type(text) is Exact or text in self._seen or len(self._seen) >= MAX_CACHED:
            return
        self._seen.add(text)
        parts = _parts(text)
        number = parts["number"].strip() if parts else ""
        if "." not in number and "," not in number:
            return
        is_point, is_comma = _POINT.fullmatch(number) is not None, _COMMA.fullmatch(number) is not None
        if is_point and is_comma:
            self.unsure = self.unsure or text.strip()
        elif is_point:
            self.points += 1
        elif is_comma:
            self.commas += 1

    def mark(self, default: str) -> str:
        """The decimal mark; empty: it must be asked."""
        if self.points or self.commas:
            return "." if self.points >= self.commas else ","
        return default or ("" if self.unsure else ".")


def _parts(text: str) -> re.Match[str] | None:
    """Sign, label and number of an amount; none: it has another form. What is longer than an amount is not compared:
    many blanks would have many readings."""
    plain = " ".join(plain_text(text).split())
    return _PARTS.fullmatch(plain) if len(plain) <= MAX_LENGTH else None


def _exact(text: str) -> LabelledAmount:
    if not _SIMPLE.fullmatch(text) and not _EXPONENT.fullmatch(text):
        raise BadAmount
    value = Decimal(str(text))
    return LabelledAmount(value or abs(value))


def _label(parts: re.Match[str]) -> str:
    """The currency beside the number. Raises `BadAmount`: two, or what is no currency."""
    before, after = parts["before"].strip(), parts["after"].strip()
    if before and after:
        raise BadAmount
    label = before or after
    if label and not currencies_of(label):
        raise BadAmount
    return label


def _is_negative(parts: re.Match[str]) -> bool:
    """Raises `BadAmount`: two signs, or half a pair of brackets."""
    signs = [sign for sign in parts.group("sign", "inner", "behind", "last") if sign]
    brackets = [bracket for bracket in parts.group("open", "bracket", "close") if bracket]
    is_bracketed = len(brackets) == 2 and brackets[1] == ")"
    if (brackets and not is_bracketed) or len(signs) > 1 or (is_bracketed and signs):
        raise BadAmount
    return is_bracketed or signs == ["-"]
