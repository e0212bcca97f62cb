"""CSV files of exchange rates: `base,quote,rate,on`, a line for each rate. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from command_api.kernel.decision import CommandRejected, invalid
from command_api.operations.model import RATE
from schemas.currencies import MINOR_DIGITS

MAX_LINES: Final = 1_000
MAX_CHARACTERS: Final = 100_000
COLUMNS: Final = ("base", "quote", "rate", "on")
_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class RateLine:
    """From `on` on, one `base` is worth `rate` `quote`. `line`: from 1, the header."""

    line: int
    base: str
    quote: str
    rate: str
    on: date


@dataclass(frozen=True, slots=True)
class LineFault:
    """Why a line is left out."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class ParsedRates:
    """The rates of a file, and its lines with errors."""

    lines: tuple[RateLine, ...]
    faults: tuple[LineFault, ...] = ()


def parse(text: str) -> ParsedRates:
    """Parses every line, valid or not. Raises `CommandRejected` when the file itself is invalid."""
    if len(text) > MAX_CHARACTERS:
        raise invalid("file_too_long", f"A file has at most {MAX_CHARACTERS:,} characters.", "csv")
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(field.strip() for field in row)]
    except csv.Error as error:
        raise invalid("bad_csv", f"Line {reader.line_num} is not CSV: {error}.", "csv") from error
    if not rows:
        raise invalid("empty_file", "The file is empty.", "csv")
    header = [name.strip().lower() for name in rows[0][1]]
    if sorted(header) != sorted(COLUMNS):
        raise invalid("bad_header", f"The first line must name the columns {', '.join(COLUMNS)}.", "csv")
    if len(rows) - 1 > MAX_LINES:
        raise invalid("too_many_lines", f"A file has at most {MAX_LINES:,} rates.", "csv")
    lines: list[RateLine] = []
    faults: list[LineFault] = []
    seen: dict[tuple[str, str, date], int] = {}
    for number, row in rows[1:]:
        try:
            line = _line(number, header, row)
            first = seen.setdefault((line.base, line.quote, line.on), number)
            if first != number:
                raise invalid("twice", f"Line {first} has a rate for this pair and day.")
            lines.append(line)
        except CommandRejected as rejected:
            faults.append(LineFault(number, rejected.message))
    return ParsedRates(tuple(lines), tuple(faults))


def _line(number: int, header: list[str], row: list[str]) -> RateLine:
    if len(row) != len(header):
        raise invalid("bad_line", f"This line has {len(row)} fields instead of {len(header)}.")
    fields: Mapping[str, str] = {name: field.strip() for name, field in zip(header, row, strict=True)}
    base, quote, rate = fields["base"].upper(), fields["quote"].upper(), fields["rate"]
    for code in (base, quote):
        if code not in MINOR_DIGITS:
            raise invalid("unknown_currency", f"{code[:_SHOWN] or 'An empty code'} is not an ISO 4217 currency.")
    if base == quote:
        raise invalid("same_currency", "A rate is between two different currencies.")
    if not RATE.fullmatch(rate) or Decimal(rate) == 0:
        raise invalid(
            "bad_rate", f"{rate[:_SHOWN] or 'An empty rate'} is not a decimal number above 0, such as 1.0825."
        )
    try:
        on = date.fromisoformat(fields["on"])
    except ValueError as error:
        shown = fields["on"][:_SHOWN] or "An empty day"
        raise invalid("bad_day", f"{shown} is not a day, such as 2026-11-26.") from error
    return RateLine(number, base, quote, rate, on)
