"""Makes costs of the records of an ad platform's export: each line's day, traffic, amount and currency.

source -> `FileRecord` -> this -> `CostLine`, or `RejectedLine` with the reason; none for lines that are no rows
(totals, a repeated header, a note at the end).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Final, NamedTuple

from infra.domain.report_files.amounts import NOTHING, AmountReader, BadAmount, LabelledAmount
from infra.domain.report_files.dates import FIRST_DAY, BadDate, DateReader
from infra.domain.report_files.headers import header_name
from infra.domain.report_files.layouts import FileLayout, RejectedLine
from infra.domain.report_files.lines import CONSTANT, TOTALS
from infra.domain.report_files.source import Exact, FileRecord, quoted
from infra.domain.report_reading import currencies_of, read_currency
from infra.kernel.text.hidden_characters import HIDDEN
from schemas.cost_files import CostFiles
from schemas.currencies import MAX_AMOUNT, MINOR_DIGITS
from schemas.events.costs import MAX_COST_TEXT
from schemas.zones import ZoneInfo

_NOTE: Final = "©"
"""How the note at the end of an export begins."""


class PaidTraffic(NamedTuple):
    """The traffic that was paid for; an empty text: any."""

    source: str = ""
    campaign: str = ""
    term: str = ""
    content: str = ""


@dataclass(frozen=True, slots=True)
class CostLine:
    """One line of a file: the cost of a day and of some traffic. `amount`: in major units."""

    line: int
    day: date
    target: PaidTraffic
    amount: Decimal
    currency: str


class _NoCost(ValueError):
    """The record is no row. `args`: code and message."""


class CostLineReader:
    """Reads the records of one file. `source`: of rows that name none; `currency`: the website's own, of rows and a
    layout that name none."""

    def __init__(
        self, files: CostFiles, layout: FileLayout, headers: Sequence[str], *, source: str, currency: str, today: date
    ) -> None:
        places = {header: at for at, header in reversed(list(enumerate(headers)))}
        self._places = [(field, places[header]) for field, header in layout.columns.items() if header in places]
        self._headers, self._width = list(headers), len(headers)
        self._amounts = AmountReader(layout.decimal_mark)
        self._dates = DateReader(layout.date_order, ZoneInfo("UTC"), today)  # the day as it is written
        starts = {header_name(header).key for header in files.starts.get("day", ())}
        self._is_period = header_name(layout.columns.get("day", "")).key in starts
        self._source = source
        self._named, self._own = layout.currency, currency

    def read(self, record: FileRecord) -> CostLine | RejectedLine | None:
        values = self._values(record)
        if self._is_no_row(values, record.cells):
            return None
        try:
            if len(record.cells) > self._width and any(cell.strip() for cell in record.cells[self._width :]):
                raise _NoCost("too_many_fields", "This line has more fields than the header.")
            return self._line(record.line, _plain(values))
        except _NoCost as rejected:
            code, message = rejected.args
            return RejectedLine(record.line, code, message, quoted(record.cells))

    def skips(self, record: FileRecord) -> bool:
        """Returns whether `read` gives nothing for the record."""
        return self._is_no_row(self._values(record), record.cells)

    def _values(self, record: FileRecord) -> dict[str, str]:
        """Field -> text, without empty ones."""
        values = {}
        for field, at in self._places:
            text = record.cells[at] if at < len(record.cells) else ""
            if type(text) is not Exact:
                text = text.strip()
            if text:
                values[field] = text
        return values

    def _is_no_row(self, values: Mapping[str, str], cells: Sequence[str]) -> bool:
        """Returns whether the line adds up others, is the header once more, or a note."""
        first = next((cell.strip() for cell in cells if cell.strip()), "")
        if not first or first.startswith(_NOTE):
            return True
        if [cell.strip() for cell in cells] == self._headers:
            return True
        day = values.get("day", "")
        if TOTALS.fullmatch(first):
            return not day or TOTALS.fullmatch(day) is not None
        if self._is_period:
            return "campaign" not in values and "campaign" in dict(self._places)
        return not day and not values.keys() & {"campaign", "content", "term"}

    def _line(self, line: int, values: Mapping[str, str]) -> CostLine:
        day = self._day(values)
        amount = self._amount(values)
        currency = self._currency(values.get("currency", ""), amount.label)
        if abs(amount.value).scaleb(MINOR_DIGITS[currency]) > MAX_AMOUNT:
            raise _NoCost("amount_too_large", "This amount is too large.")
        texts = {field: _text(values, field) for field in ("source", "campaign", "term", "content")}
        target = PaidTraffic(texts["source"] or self._source, texts["campaign"], texts["term"], texts["content"])
        return CostLine(line, day, target, amount.value, currency)

    def _day(self, values: Mapping[str, str]) -> date:
        text = values.get("day", "")
        day = self._read_day(text)
        if day is None:
            raise _NoCost("missing_date", "This line has no day.")
        if day < FIRST_DAY:
            raise _NoCost("old_date", f"{text[:60]} is before {FIRST_DAY.year}.")
        if self._dates.is_future(day):
            raise _NoCost("future_date", f"{text[:60]} is in the future.")
        if self._is_period and self._read_day(values.get("until", text)) != day:
            raise _NoCost("not_daily", "This line is about several days. Export the report by day.")
        return day

    def _read_day(self, text: str) -> date | None:
        try:
            at = self._dates.read(text)
        except BadDate:
            raise _NoCost("bad_date", f'"{text[:60]}" is not a date.') from None
        return at.date() if isinstance(at, datetime) else at

    def _amount(self, values: Mapping[str, str]) -> LabelledAmount:
        text = values.get("cost", "")
        try:
            amount = self._amounts.read(text) if text else None
        except BadAmount:
            raise _NoCost("bad_amount", f'"{text[:60]}" is not an amount.') from None
        if amount is None:
            raise _NoCost("missing_cost", "This line has no cost.")
        return amount

    def _currency(self, named: str, label: str) -> str:
        """The currency of the line: of its own column, a sign beside the amount, the layout or the website. Raises
        `_NoCost` where these contradict each other."""
        own = self._named or self._own
        currency = read_currency(named, own) if named else own
        if currency is None or currency not in MINOR_DIGITS:
            raise _NoCost("unknown_currency", f'"{named[:20]}" is not a currency.')
        allowed = currencies_of(label) if label else frozenset({currency})
        if currency in allowed:
            return currency
        if named or self._named:
            raise _NoCost("other_currency", f'An amount in "{label}" contradicts the currency {currency}.')
        if len(allowed) != 1:
            raise _NoCost("unknown_currency", f'Which currency is "{label}"? Choose it in the mapping.')
        return next(iter(allowed))


def _plain(values: Mapping[str, str]) -> dict[str, str]:
    """The values without what exports write for nothing. Raises `_NoCost` for formulas."""
    plain = dict(values)
    for field, text in values.items():
        if text[0] == "=":
            constant = CONSTANT.fullmatch(text)
            if constant is None:
                raise _NoCost("formula", "This line has a formula. Only values are read.")
            plain[field] = text = constant[1].strip()
        if not text or text.lower() in NOTHING:
            del plain[field]
    return plain


def _text(values: Mapping[str, str], field: str) -> str:
    text = values.get(field, "").strip()
    if len(text) > MAX_COST_TEXT:
        raise _NoCost("text_too_long", f"The {field} has more than {MAX_COST_TEXT} characters.")
    if HIDDEN.search(text) or not text.isprintable():
        raise _NoCost("bad_text", f"The {field} contains invisible characters.")
    return text
