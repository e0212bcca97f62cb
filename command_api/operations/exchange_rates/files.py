"""CSV files of exchange rates: `base,quote,rate,on`, a line for each rate. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from command_api.kernel.csv_imports import CsvFile, read_csv, require_line_limit
from command_api.kernel.decision import CommandRejected, invalid
from command_api.operations.exchange_rates.model import RATE
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
class SkippedLine:
    """The reason why a line is left out."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class ParsedRates:
    """The rates of a file, and its lines with errors."""

    lines: tuple[RateLine, ...]
    faults: tuple[SkippedLine, ...] = ()


def parse(text: str) -> ParsedRates:
    """Parses every line, valid or not. Raises `CommandRejected` when the file itself is invalid."""
    file = read_csv(text, MAX_CHARACTERS)
    if sorted(file.header) != sorted(COLUMNS):
        raise invalid("bad_header", f"The first line must name the columns {', '.join(COLUMNS)}.", "csv")
    require_line_limit(file, MAX_LINES, "rates")
    lines: list[RateLine] = []
    faults: list[SkippedLine] = []
    seen: dict[tuple[str, str, date], int] = {}
    for number, row in file.lines:
        try:
            line = _line(number, file, row)
            first = seen.setdefault((line.base, line.quote, line.on), number)
            if first != number:
                raise invalid("twice", f"Line {first} has a rate for this pair and day.")
            lines.append(line)
        except CommandRejected as rejected:
            faults.append(SkippedLine(number, rejected.message))
    return ParsedRates(tuple(lines), tuple(faults))


def _line(number: int, file: CsvFile, row: list[str]) -> RateLine:
    if len(row) != len(file.header):
        raise invalid("bad_line", f"This line has {len(row)} fields instead of {len(file.header)}.")
    fields = file.fields(row)
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
        day = fields["on"][:_SHOWN] or "An empty day"
        raise invalid("bad_day", f"{day} is not a day, such as 2026-11-26.") from error
    return RateLine(number, base, quote, rate, on)
