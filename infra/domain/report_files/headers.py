"""Finds out which header of a file means which field: by normalised name against the lists of its kind.

A header's case, blanks, `_`, `-`, quotes and a currency at its end (`Price($)`, `Sale Amount USD`) do not matter.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from infra.domain.report_files.columns import ReportColumns
from infra.domain.report_files.layouts import UnreadableReport
from infra.domain.report_reading import read_currency
from schemas.currencies import MINOR_DIGITS

MAX_HEADER: Final = 180
_COMMON_CODES: Final = frozenset(
    [
        "USD",
        "EUR",
        "GBP",
        "CHF",
        "AUD",
        "CAD",
        "SEK",
        "NOK",
        "DKK",
        "PLN",
        "CZK",
        "JPY",
        "INR",
        "BRL",
        "NZD",
        "MXN",
        "HUF",
        "RON",
        "SGD",
        "HKD",
    ]
)
"""Codes that may stand at a header's end without brackets; other codes are words, too (`ALL`, `TOP`)."""
_CAMEL: Final = re.compile(r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_IGNORED: Final = re.compile(r"[\s_\-\"'`´‘’“”:#\u200b-\u200f\u2060\ufeff\u00ad]+")
_BRACKETS: Final = re.compile(r"[\(\[]\s*(?:in\s+)?([^()\[\]]{1,5})\s*[\)\]]\s*$", re.I)
_TRAILING: Final = re.compile(r"[\s_\-](?:in[\s_])?([A-Z]{3}|[€$£¥])\s*$", re.I)


@dataclass(frozen=True, slots=True)
class HeaderName:
    """A header as it is compared. `bare`: without its currency, `currency` as it is written there."""

    key: str
    bare: str
    currency: str = ""


@cache
def header_name(header: str) -> HeaderName:
    spaced = _CAMEL.sub(" ", unicodedata.normalize("NFKC", header[:200])).strip().strip("\ufeff\"'")
    for form in (_BRACKETS, _TRAILING):
        match = form.search(spaced)
        if match and _is_currency(match[1], in_brackets=form is _BRACKETS):
            return HeaderName(_key(spaced), _key(spaced[: match.start()]), match[1].upper())
    return HeaderName(_key(spaced), _key(spaced))


def unique_headers(cells: Iterable[str]) -> tuple[str, ...]:
    """The headers as they are shown and chosen: a repeated one has its number behind it."""
    seen = Counter[str]()
    headers = []
    for cell in cells:
        header = " ".join(cell.replace("\ufeff", "").split())[:MAX_HEADER]
        seen[header] += 1
        headers.append(header if seen[header] == 1 else f"{header} ({seen[header]})")
    return tuple(headers)


def guess_columns(headers: Sequence[str], columns: ReportColumns) -> dict[str, str]:
    """Field -> header, by the lists of the kind; the first of a list that is there."""
    by_key: dict[str, str] = {}
    for header in reversed(headers):
        by_key[header_name(header).bare] = header
    for header in reversed(headers):
        by_key[header_name(header).key] = header
    found: dict[str, str] = {}
    for field, keys in _keys(columns.headers):
        named = next((by_key[key] for key in keys if key in by_key), None)
        if named is not None:
            found[field] = named
    for field in [name for name in found if name.endswith("_time")]:
        if found[field] == found.get(f"{field.removesuffix('_time')}_at"):
            del found[field]
    return found


def mapped_columns(headers: Sequence[str], columns: ReportColumns, given: Mapping[str, str] | None) -> dict[str, str]:
    """Field -> header: as `given`, else as it is guessed; an empty header takes the field's column away. Raises
    `UnreadableReport` (layout_mismatch)."""
    unknown = (given or {}).keys() - dict(columns.headers).keys()
    if unknown:
        raise UnreadableReport("layout_mismatch", f'A report has no field "{min(unknown)[:40]}".')
    mapped = guess_columns(headers, columns) | dict(given or {})
    for field, header in mapped.items():
        if header and header not in headers:
            raise UnreadableReport("layout_mismatch", f'The file has no column "{header[:100]}" (for {field[:40]}).')
    return {field: header for field, header in mapped.items() if header}


def duplicated(header: str, headers: Sequence[str]) -> tuple[str, ...]:
    """The headers of the same name, if there are several."""
    same = tuple(each for each in headers if each == header or re.fullmatch(rf"{re.escape(header)} \(\d+\)", each))
    return same if len(same) > 1 else ()


def missing_fields(found: Mapping[str, str], columns: ReportColumns) -> tuple[str, ...]:
    """The necessary fields that no column is taken for."""
    return tuple(field for field in columns.necessary if not found.get(field))


def has_marks(headers: Iterable[str], marks: Iterable[Sequence[str]]) -> bool:
    """Returns whether the headers have all of one of `marks`: names that together only one layout has."""
    known = [header_name(header) for header in headers]
    keys = {name.key for name in known} | {name.bare for name in known}
    return any(all(header_name(name).key in keys for name in names) for names in marks)


def currency_of_header(header: str) -> str:
    """The currency at a header's end as it is written there: `$`, `EUR`; empty: none."""
    return header_name(header).currency


@cache
def _keys(lists: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((field, tuple(dict.fromkeys(header_name(name).key for name in names))) for field, names in lists)


def _key(text: str) -> str:
    return _IGNORED.sub("", text.casefold())


def _is_currency(text: str, *, in_brackets: bool) -> bool:
    code = text.upper()
    if code.isalpha() and code.isascii():
        return code in (MINOR_DIGITS if in_brackets else _COMMON_CODES)
    return read_currency(text, "") is not None or any(sign in text for sign in "$€£¥₹")
