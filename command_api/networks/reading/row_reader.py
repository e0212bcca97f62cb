"""Makes rows of records: each mapped field read by the layout, then the network's own rule.

source -> `FileRecord` -> this -> `NetworkRow`, or `RejectedLine` with the reason; none for lines that are no rows
(totals, a repeated header).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Final

from command_api.networks.reading.columns import WITHOUT_TXID
from command_api.networks.reading.identities import Identities
from command_api.networks.reading.network_rules import rule_of
from command_api.networks.reading.rows import NetworkRow, ReportLayout, ReportStatus
from command_api.networks.reading.statuses import YES, StatusWords, word
from infra.domain.report_files.amounts import NOTHING, AmountReader, BadAmount, LabelledAmount
from infra.domain.report_files.dates import FIRST_DAY, BadDate, DateReader
from infra.domain.report_files.layouts import RejectedLine
from infra.domain.report_files.lines import CONSTANT, TOTALS
from infra.domain.report_files.source import Exact, FileRecord, quoted
from infra.domain.report_reading import currencies_of, read_currency, read_txid
from schemas.currencies import MAX_AMOUNT
from schemas.network_reports import reports_of
from schemas.zones import ZoneInfo

MAX_TXID: Final = 128
MAX_TEXT: Final = 255
_CHANGES: Final = ("updated_at", "validated_at", "amended_at", "reversed_at", "paid_at")
"""Fields that name a change of the row."""
_NUMERIC: Final = re.compile(r"[\s\d.,'()$€£¥%+-]*")
_LOST_DIGITS: Final = re.compile(r"\d\.\d+e\+?\d+|\de\+\d+", re.I)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]+")


class _Rejected(ValueError):
    """The record is no row. `args`: code and message."""


class RowReader:
    """Reads the records of one file. `headers`: of its cells. `timezone`, `currency`: where the layout has none."""

    def __init__(
        self, network: str, layout: ReportLayout, headers: Sequence[str], *, timezone: str, currency: str, today: date
    ) -> None:
        reports, zone = reports_of(network), ZoneInfo(layout.timezone or timezone or "UTC")
        places = {header: at for at, header in reversed(list(enumerate(headers)))}
        self._places = [(field, places[header]) for field, header in layout.columns.items() if header in places]
        self._headers, self._width = list(headers), len(headers)
        self._named, self._account = layout.currency, currency
        self._amounts = AmountReader(layout.decimal_mark)
        self._dates = DateReader(layout.date_order, zone, today)
        self._today = today
        self._statuses = StatusWords(reports, layout.statuses)
        self._rule = rule_of(network, zone)
        self._identities = Identities()
        self._needs_txid = network not in WITHOUT_TXID
        self._currencies: dict[tuple[str, ...], str] = {}

    def read(self, record: FileRecord) -> NetworkRow | RejectedLine | None:
        cells, values = record.cells, self._values(record)
        if self._is_no_row(values, cells):
            return None
        try:
            if len(cells) > self._width and any(cell.strip() for cell in cells[self._width :]):
                raise _Rejected("too_many_fields", "This line has more fields than the header.")
            return self._row(record.line, self._plain(values))
        except _Rejected as rejected:
            code, message = rejected.args
            return RejectedLine(record.line, code, message, quoted(cells))

    def skips(self, record: FileRecord) -> bool:
        """Returns whether `read` gives nothing for the record."""
        return self._is_no_row(self._values(record), record.cells)

    def _values(self, record: FileRecord) -> dict[str, str]:
        """Field -> text, without empty ones."""
        cells, width = record.cells, len(record.cells)
        values = {}
        for field, at in self._places:
            text = cells[at] if at < width else ""
            if type(text) is not Exact:
                text = text.strip()
            if text:
                values[field] = text
        return values

    def _is_no_row(self, values: Mapping[str, str], cells: Sequence[str]) -> bool:
        """Returns whether the line adds up others, or is the header once more."""
        if "occurred_at" in values and "txid" in values:
            return values["occurred_at"] in self._headers and [cell.strip() for cell in cells] == self._headers
        first = next((cell.strip() for cell in cells if cell.strip()), "")
        if not first:
            return True
        if TOTALS.fullmatch(first):
            return "occurred_at" not in values or TOTALS.fullmatch(values["occurred_at"]) is not None
        return not values.keys() & {"occurred_at", "txid", "status"} and all(map(_NUMERIC.fullmatch, cells))

    def _plain(self, values: dict[str, str]) -> dict[str, str]:
        """The values without what reports write for nothing. Raises `_Rejected` for formulas."""
        for field, text in list(values.items()):
            if text[0] == "=":
                constant = CONSTANT.fullmatch(text)
                if constant is None:
                    raise _Rejected("formula", "This line has a formula. Only values are read.")
                values[field] = text = constant[1].strip()
            if len(text) < 10 and text.lower() in NOTHING:
                del values[field]
        return values

    def _row(self, line: int, values: dict[str, str]) -> NetworkRow:
        occurred_at = self._occurred_at(values)
        commission = self._amount(values, "commission")
        if commission is None:
            raise _Rejected("missing_commission", "This line has no commission.")
        sale = self._amount(values, "sale")
        currency = self._currency(values.get("currency", ""), commission.label, sale.label if sale else "")
        if sale is not None and values.get("sale_currency", currency).upper() != currency:
            sale = None
        kind = word(values.get("kind", ""))
        updated_at, is_paid = self._changes(values)
        status = self._status(values, is_paid=is_paid)
        is_bonus = kind == "bonus"
        row = NetworkRow(
            line=line,
            txid=self._txid(values, is_bonus=is_bonus),
            line_key=_text(values, "line_key", MAX_TXID),
            order_ref=_text(values, "order_ref"),
            partner_ref=_text(values, "partner_ref"),
            partner_name=_text(values, "partner_name"),
            click_ref=_text(values, "click_ref"),
            tracking_id=_text(values, "tracking_id"),
            product=_text(values, "product"),
            occurred_at=occurred_at,
            clicked_at=self._clicked_at(values),
            updated_at=updated_at,
            sale=None if sale is None else sale.value,
            commission=commission.value,
            currency=currency,
            status=status,
            raw_status=_text(values, "status"),
            is_correction=commission.value < 0 or (not commission.value and sale is not None and sale.value < 0),
            is_amended=values.get("amended", "").casefold() in YES,
            is_bonus=is_bonus,
            is_test=kind == "test" or values.get("test", "").casefold() in YES,
            is_lead=kind == "lead",
            decline_reason=_text(values, "decline_reason"),
        )
        return self._rule(values, row)

    def _txid(self, values: Mapping[str, str], *, is_bonus: bool) -> str:
        txid = read_txid(values.get("txid", ""))
        if not txid or txid == "0":
            if is_bonus:
                says = (values.get(field, "") for field in ("occurred_at", "partner_ref", "partner_name", "commission"))
                return f"bonus-{self._identities.of(*says)}"
            if self._needs_txid:
                raise _Rejected("missing_txid", "This line has no transaction ID.")
        if _LOST_DIGITS.fullmatch(txid):
            raise _Rejected("lost_digits", f"The ID {txid} lost its digits in a spreadsheet. Use the original file.")
        if len(txid) > MAX_TXID or _CONTROL.search(txid):
            raise _Rejected("bad_txid", f"The transaction ID is longer than {MAX_TXID} characters, or no plain text.")
        return txid

    def _occurred_at(self, values: Mapping[str, str]) -> datetime | date:
        text = values.get("occurred_at", "")
        try:
            at = self._dates.read(text, values.get("occurred_time", ""))
        except BadDate:
            raise _Rejected("bad_date", f'"{text[:60]}" is not a date.') from None
        if at is None:
            raise _Rejected("missing_date", "This line has no date.")
        if (at.date() if isinstance(at, datetime) else at) < FIRST_DAY:
            raise _Rejected("old_date", f"{text[:60]} is before {FIRST_DAY.year}.")
        if self._dates.is_future(at):
            raise _Rejected("future_date", f"{text[:60]} is in the future.")
        return at

    def _clicked_at(self, values: Mapping[str, str]) -> datetime | None:
        text = values.get("clicked_at")
        return self._dates.instant(text, values.get("clicked_time", "")) if text else None

    def _changes(self, values: Mapping[str, str]) -> tuple[datetime | None, bool]:
        """The latest change in the past that the row names, and whether it was paid by then."""
        latest: datetime | None = None
        is_paid = values.get("paid", "").casefold() in YES
        if "processed_at" in values:
            latest = self._past(self._dates.instant(values["processed_at"], values.get("processed_time", "")))
        for field in _CHANGES:
            if field in values:
                at = self._past(self._dates.instant(values[field]))
                if at is not None:
                    latest = at if latest is None or at > latest else latest
                    is_paid |= field == "paid_at"
        return latest, is_paid

    def _past(self, at: datetime | None) -> datetime | None:
        return at if at is not None and FIRST_DAY <= at.date() <= self._today else None

    def _status(self, values: Mapping[str, str], *, is_paid: bool) -> ReportStatus:
        text = values.get("status", "")
        status = self._statuses.read(text)
        if status is None:
            raise _Rejected("unknown_status", f'The status "{text[:60]}" is not known. Choose what it means.')
        return ReportStatus.PAID if is_paid and (status is ReportStatus.APPROVED or not text) else status

    def _amount(self, values: Mapping[str, str], field: str) -> LabelledAmount | None:
        text = values.get(field)
        if text is None:
            return None
        try:
            amount = self._amounts.read(text)
        except BadAmount:
            raise _Rejected("bad_amount", f'"{text[:60]}" is not an amount.') from None
        if amount is not None and abs(amount.value) > MAX_AMOUNT:
            raise _Rejected("amount_too_large", f"{text[:60]} is too large for an amount.")
        return amount

    def _currency(self, named: str, *labels: str) -> str:
        """The currency of the row: of its own column, a sign beside an amount, the layout or the account. Raises
        `_Rejected` where these contradict each other."""
        key = (named, *labels)
        known = self._currencies.get(key)
        if known is None:
            if len(self._currencies) > 1_000:
                self._currencies.clear()
            known = self._currencies[key] = self._found_currency(named, labels)
        return known

    def _found_currency(self, named: str, labels: Sequence[str]) -> str:
        own = self._named or self._account
        currency, is_certain = own, bool(self._named)
        if named:
            read = read_currency(named, own)
            if read is None:
                raise _Rejected("unknown_currency", f'"{named[:20]}" is not a currency.')
            currency, is_certain = read, True
        for label in filter(None, labels):
            allowed = currencies_of(label)
            if currency in allowed:
                is_certain = True
            elif is_certain:
                raise _Rejected("other_currency", f'An amount in "{label}" contradicts the currency {currency}.')
            else:
                currency, is_certain = (next(iter(allowed)) if len(allowed) == 1 else ""), True
        return currency


def _text(values: Mapping[str, str], field: str, limit: int = MAX_TEXT) -> str:
    """A text as it is kept: one line without control characters, bounded."""
    text = values.get(field)
    if text is None:
        return ""
    if type(text) is str and len(text) <= limit and text.isprintable():
        return text
    return _CONTROL.sub(" ", text).strip()[:limit]
