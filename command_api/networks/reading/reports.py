"""The two entry points of reading: `inspect` says what a file is, `read` gives its rows by the confirmed layout.

Both are pure but for the clock, which says what lies in the future; both stream, with memory independent of the size.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import BinaryIO

from command_api.networks.reading.columns import columns_of
from command_api.networks.reading.inspection import inspected
from command_api.networks.reading.row_reader import RowReader
from command_api.networks.reading.rows import NetworkRow, ReportInspection, ReportLayout, ReportLayoutChanges
from infra.domain.report_files.headers import missing_fields
from infra.domain.report_files.layouts import RejectedLine, UnreadableReport
from infra.domain.report_files.opening import OpenedReport, open_report, reopen
from schemas.zones import available_timezones


def inspect(
    file: BinaryIO, network: str, given: ReportLayoutChanges | None = None, *, today: date | None = None
) -> ReportInspection:
    """Returns the file's layout, first rows and open questions. `file` can be sought; `network` is a slug of
    `schemas.networks`; `given` wins over what is detected. Raises `UnreadableReport` for what is no report at all."""
    changes = given or ReportLayoutChanges()
    if changes.timezone:
        _check_zone(changes.timezone)
    return inspected(open_report(file, columns_of(network), changes), network, changes, today or _today())


def read(
    file: BinaryIO, network: str, layout: ReportLayout, *, timezone: str, currency: str, today: date | None = None
) -> Iterator[NetworkRow | RejectedLine]:
    """Each row, and each line that is none with its reason, in the order of the file. `timezone` and `currency` hold
    where the layout has none. Raises `UnreadableReport` before the first row: question_open, layout_mismatch,
    bad_timezone; and, of damaged files, while it reads."""
    _check_answered(layout, network)
    _check_zone(layout.timezone or timezone)
    opened = reopen(file, columns_of(network), layout)
    reader = RowReader(network, layout, opened.headers, timezone=timezone, currency=currency, today=today or _today())
    return _rows(opened, layout, reader)


def _rows(opened: OpenedReport, layout: ReportLayout, reader: RowReader) -> Iterator[NetworkRow | RejectedLine]:
    for record in opened.source(layout).records():
        if isinstance(record, RejectedLine):
            yield record
            continue
        if missing_fields(layout.columns, opened.columns):
            raise _open("columns.txid")
        row = reader.read(record)
        if row is not None:
            yield row


def _check_answered(layout: ReportLayout, network: str) -> None:
    """Raises `UnreadableReport` (question_open)."""
    missing = (
        () if layout.format == "json" and not layout.columns else missing_fields(layout.columns, columns_of(network))
    )
    for field in (f"columns.{missing[0]}" if missing else "", *_unanswered(layout)):
        if field:
            raise _open(field)


def _unanswered(layout: ReportLayout) -> Iterator[str]:
    if not layout.date_order:
        yield "date_order"
    if not layout.decimal_mark:
        yield "decimal_mark"


def _open(field: str) -> UnreadableReport:
    return UnreadableReport("question_open", f"A question about the file is still open: {field}.")


def _check_zone(name: str) -> None:
    """Raises `UnreadableReport` (bad_timezone)."""
    if name and name not in available_timezones():
        raise UnreadableReport("bad_timezone", f'There is no time zone "{name[:60]}".')


def _today() -> date:
    return datetime.now(UTC).date()
