"""The two entry points of reading costs: `inspect` says what a file is, `read` gives its lines by that layout.

Both are pure, and stream; what a person says about the file (`CostMapping`) wins over what is detected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from typing import BinaryIO, Final

from command_api.costs.imports.cost_rows import CostLine, CostLineReader
from infra.domain.report_files.amounts import MarkEvidence
from infra.domain.report_files.columns import ReportColumns
from infra.domain.report_files.dates import OrderEvidence
from infra.domain.report_files.headers import currency_of_header, has_marks, mapped_columns, missing_fields
from infra.domain.report_files.layouts import (
    FileLayout,
    FileLayoutChanges,
    Inspection,
    LayoutQuestion,
    RejectedLine,
    UnreadableReport,
)
from infra.domain.report_files.opening import OpenedReport, open_report, reopen
from infra.domain.report_files.questions import about_date_order, about_decimal_mark
from infra.domain.report_reading import currencies_of
from schemas.cost_files import COST_PLATFORMS, cost_files_of
from schemas.events.costs import CostMapping

MAX_ROWS: Final = 20_000
MAX_CHOICES: Final = 500
SAMPLE_ROWS: Final = 20
_NECESSARY: Final = {"day": "Which column has the day?", "cost": "Which column has the cost?"}
_GENERIC: Final = "generic"


@cache
def columns_of(platform: str) -> ReportColumns:
    """The columns of the platform's files. Raises `KeyError`: there is no such platform."""
    return ReportColumns(tuple(cost_files_of(platform).columns.items()), tuple(_NECESSARY))


def inspect(
    file: BinaryIO, platform: str, mapping: CostMapping, *, currency: str, today: date
) -> Inspection[FileLayout]:
    """Returns the file's layout, first rows and open questions. `currency`: the website's. Raises `UnreadableReport`
    for what are no costs by day, and for an export of another platform."""
    given = FileLayoutChanges.model_validate(mapping.model_dump(exclude={"source"}))
    opened = open_report(file, columns_of(platform), given)
    _check_platform(platform, opened.headers)
    columns = mapped_columns(opened.headers, opened.columns, given.columns)
    layout = opened.layout.model_copy(
        update={"columns": columns, "currency": given.currency or _header_currency(columns, currency)}
    )
    evidence = _Evidence(opened, platform, layout, mapping, currency, today)
    layout = layout.model_copy(
        update={
            "date_order": given.date_order or evidence.order.order(""),
            "decimal_mark": given.decimal_mark or evidence.mark.mark("." if layout.format == "json" else ""),
        }
    )
    notes = [*opened.notes, *evidence.notes]
    if not layout.currency and "currency" not in columns:
        notes.append(f"The file names no currency. Amounts without one are read in {currency}.")
    questions = tuple(_questions(layout, opened, evidence))
    return Inspection(layout, opened.headers, tuple(evidence.sample), questions, evidence.last_line, tuple(notes))


def read(
    file: BinaryIO, platform: str, layout: FileLayout, mapping: CostMapping, *, currency: str, today: date
) -> Iterator[CostLine | RejectedLine]:
    """Each cost, and each line that is none with its reason, in the order of the file; `layout` leaves nothing open.
    Raises `UnreadableReport`, also while it reads."""
    opened = reopen(file, columns_of(platform), layout)
    reader = _reader(opened, platform, layout, mapping, currency, today)
    for record in opened.source(layout).records():
        entry = record if isinstance(record, RejectedLine) else reader.read(record)
        if entry is not None:
            yield entry


class _Evidence:
    """Facts that the records of a file show, read once. Raises `UnreadableReport` (too_many_rows)."""

    def __init__(
        self, opened: OpenedReport, platform: str, layout: FileLayout, mapping: CostMapping, currency: str, today: date
    ) -> None:
        places = {header: at for at, header in reversed(list(enumerate(opened.headers)))}
        day, cost = (places.get(layout.columns.get(field, "")) for field in _NECESSARY)
        reader = _reader(opened, platform, layout, mapping, currency, today)
        self.order, self.mark = OrderEvidence(today), MarkEvidence()
        self.sample: list[tuple[str, ...]] = []
        self.rows = self.last_line = 0
        skipped: list[int] = []
        for record in opened.source(layout).records():
            self.last_line = record.line
            if isinstance(record, RejectedLine):
                self.rows += 1
            elif reader.skips(record):
                skipped.append(record.line)
            else:
                self.rows += 1
                self._take(record.cells, day, cost)
            if max(self.rows, len(skipped)) > MAX_ROWS:
                raise UnreadableReport(
                    "too_many_rows", f"A file of costs has at most {MAX_ROWS:,} rows. Split it by time."
                )
        self.notes = tuple(_notes(skipped, self.rows))

    def _take(self, cells: Sequence[str], day: int | None, cost: int | None) -> None:
        if len(self.sample) < SAMPLE_ROWS:
            self.sample.append(tuple(map(str, cells)))
        if day is not None and day < len(cells):
            self.order.add(cells[day])
        if cost is not None and cost < len(cells):
            self.mark.add(cells[cost])


def _reader(
    opened: OpenedReport, platform: str, layout: FileLayout, mapping: CostMapping, currency: str, today: date
) -> CostLineReader:
    files = cost_files_of(platform)
    source = files.source if mapping.source is None else mapping.source
    return CostLineReader(files, layout, opened.headers, source=source, currency=currency, today=today)


def _check_platform(platform: str, headers: Sequence[str]) -> None:
    """Raises `UnreadableReport` (other_platform)."""
    if platform == _GENERIC or has_marks(headers, COST_PLATFORMS[platform].marks):
        return
    other = next((files.name for files in COST_PLATFORMS.values() if has_marks(headers, files.marks)), "")
    if other:
        raise UnreadableReport("other_platform", f"This looks like an export of {other}. Choose that platform.")


def _header_currency(columns: dict[str, str], own: str) -> str:
    """The currency at the end of the cost's header; empty: none, or one that several currencies share."""
    if "currency" in columns:
        return ""
    allowed = currencies_of(currency_of_header(columns.get("cost", "")))
    if own in allowed:
        return own
    return next(iter(allowed)) if len(allowed) == 1 else ""


def _questions(layout: FileLayout, opened: OpenedReport, evidence: _Evidence) -> Iterator[LayoutQuestion]:
    for field in missing_fields(layout.columns, opened.columns):
        choices = tuple(header for header in opened.headers if header)[:MAX_CHOICES]
        yield LayoutQuestion(f"columns.{field}", _NECESSARY[field], choices)
    if not layout.date_order:
        yield about_date_order(evidence.order)
    if not layout.decimal_mark:
        yield about_decimal_mark(evidence.mark.unsure)


def _notes(skipped: Sequence[int], rows: int) -> Iterator[str]:
    if skipped:
        lines = ", ".join(str(line) for line in skipped[:5]) + (", …" if len(skipped) > 5 else "")
        yield f"Skipped as totals, notes or repeated headers: line {lines}."
    if not rows:
        yield "The file has no rows."
