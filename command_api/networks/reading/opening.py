"""Opens a report: its format, the part of the layout that splits it into records, its headers, and its source.

file -> `content` -> this -> `inspection` and `reports.read`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import BinaryIO, Final

from command_api.networks.reading.content import BoundedFile, open_file
from command_api.networks.reading.dialects import detect_dialect, find_header
from command_api.networks.reading.encodings import checked_encoding, decoded, detect_encoding
from command_api.networks.reading.headers import MAX_HEADER
from command_api.networks.reading.json_layouts import flat_records
from command_api.networks.reading.json_source import JsonSource
from command_api.networks.reading.refusals import page_instead_of_report
from command_api.networks.reading.rows import (
    MAX_HEADER_LINE,
    RejectedLine,
    ReportLayout,
    ReportLayoutChanges,
    UnreadableReport,
)
from command_api.networks.reading.source import MAX_COLUMNS, FileRecord, RecordSource, quoted
from command_api.networks.reading.text_source import TextSource
from command_api.networks.reading.workbook_source import WorkbookSource, sheets_of
from infra.domain.report_reading import read_currency
from schemas.network_reports import NetworkReports, reports_of

MAX_HEAD: Final = 1 << 14
MAX_HEADER_TEXT: Final = 1 << 17
"""Characters of a line in which a header is searched."""
KEYED_RECORDS: Final = 1_000
"""Records of JSON whose keys are collected as headers."""
_CURRENCIES: Final = ("reportCurrencyCode", "currencyCode", "currency")
"""Names of a currency beside the records."""


@dataclass(frozen=True, slots=True)
class OpenedReport:
    """A file of which is known how it splits into records. `envelope`: values beside the records of JSON, once these
    were read."""

    network: str
    content: BoundedFile
    layout: ReportLayout
    headers: tuple[str, ...]
    notes: tuple[str, ...] = ()
    preamble: tuple[str, ...] = ()
    """The lines before the header."""
    envelope: dict[str, str] = field(default_factory=dict)

    @property
    def currency(self) -> str:
        """The currency of all rows, if the file names it once."""
        named = next((self.envelope[name] for name in _CURRENCIES if name in self.envelope), "")
        return read_currency(named, "") or ""

    def source(self, layout: ReportLayout) -> RecordSource:
        """The records behind the header."""
        if layout.format == "json":
            return _JsonRecords(self, layout)
        return _BehindHeader(self, layout)


def open_report(file: BinaryIO, network: str, given: ReportLayoutChanges) -> OpenedReport:
    """Raises `UnreadableReport`."""
    content = open_file(file)
    reports = reports_of(network)
    if content.kind == "workbook":
        return _workbook(content, network, reports, given)
    encoding = checked_encoding(given.encoding) if given.encoding else detect_encoding(content)
    head = "".join(islice(decoded(content.chunks(), encoding), 1))[:MAX_HEAD].lstrip()
    if not head:
        raise UnreadableReport("empty_file", "The file is empty.")
    if head.startswith("<"):
        raise page_instead_of_report(head)
    if given.format == "json" or (given.format is None and head[0] in "[{"):
        return _json(content, network, encoding)
    return _text(content, network, reports, encoding, given)


def reopen(file: BinaryIO, network: str, layout: ReportLayout) -> OpenedReport:
    """The file as it is read by a layout that was confirmed. Raises `UnreadableReport` (layout_mismatch and others)."""
    content = open_file(file)
    if (content.kind == "workbook") != (layout.format == "workbook"):
        raise UnreadableReport("layout_mismatch", "The file has another format than the layout.")
    if layout.format != "workbook":
        checked_encoding(layout.encoding)
    if layout.format == "json":
        headers = tuple(dict.fromkeys(layout.columns.values()))
        return OpenedReport(network, content, layout, headers)
    opened = OpenedReport(network, content, layout, ())
    headers = _headers_at(opened, layout)
    missing = [header for header in layout.columns.values() if header not in headers]
    if missing:
        raise UnreadableReport("layout_mismatch", f'The file has no column "{missing[0][:100]}".')
    return replace(opened, headers=headers)


def _text(
    content: BoundedFile, network: str, reports: NetworkReports, encoding: str, given: ReportLayoutChanges
) -> OpenedReport:
    lines = islice(TextSource(content, encoding, ",", "").lines(), MAX_HEADER_LINE)
    head = [line._replace(text=line.text[:MAX_HEADER_TEXT]) for line in lines]
    dialect = detect_dialect(
        head, network, reports, separator=given.separator, quote=given.quote, line=given.header_line
    )
    if len(dialect.headers) < 2 and not given.columns:
        text = quoted(" ".join(line.text for line in head[:5]))
        raise UnreadableReport("not_a_report", f"This file is no table of sales. It says: {text}")
    layout = ReportLayout(
        format="text",
        encoding=encoding,
        separator=dialect.separator,
        quote=dialect.quote,
        header_line=dialect.header_line,
    )
    preamble = tuple(line.text for line in head if line.number < dialect.header_line)
    return OpenedReport(network, content, layout, dialect.headers, _preamble(dialect.header_line), preamble)


def _workbook(content: BoundedFile, network: str, reports: NetworkReports, given: ReportLayoutChanges) -> OpenedReport:
    best = None
    for sheet in (given.sheet,) if given.sheet else sheets_of(content):
        rows = (record for record in WorkbookSource(content, sheet).records() if isinstance(record, FileRecord))
        header = find_header(islice(rows, MAX_HEADER_LINE), network, reports, line=given.header_line)
        if header is not None and (best is None or header.score > best[1].score):
            best = sheet, header
    if best is None:
        raise UnreadableReport("empty_file", "The workbook has no rows.")
    sheet, header = best
    layout = ReportLayout(format="workbook", sheet=sheet, header_line=header.line)
    return OpenedReport(network, content, layout, header.headers, _preamble(header.line))


def _json(content: BoundedFile, network: str, encoding: str) -> OpenedReport:
    keys: dict[str, None] = {}
    for entry in islice(JsonSource(content, encoding).objects(), KEYED_RECORDS):
        if not isinstance(entry, RejectedLine):
            for flat in flat_records(network, entry[1]):
                keys.update((key, None) for key in flat if len(key) <= MAX_HEADER)
        if len(keys) > MAX_COLUMNS:
            raise UnreadableReport("too_many_columns", f"The records have more than {MAX_COLUMNS} fields.")
    return OpenedReport(network, content, ReportLayout(format="json", encoding=encoding), tuple(keys))


def _preamble(header_line: int) -> tuple[str, ...]:
    if header_line <= 1:
        return ()
    lines = "Line 1 is" if header_line == 2 else f"Lines 1 to {header_line - 1} are"
    return (f"{lines} skipped: the header is line {header_line}.",)


def _headers_at(opened: OpenedReport, layout: ReportLayout) -> tuple[str, ...]:
    from_start = _table(opened.content, layout, 0).records()
    records = (
        record for record in islice(from_start, layout.header_line + MAX_HEADER_LINE) if isinstance(record, FileRecord)
    )
    header = find_header(
        (record for record in records if record.line == layout.header_line),
        opened.network,
        reports_of(opened.network),
        line=layout.header_line,
    )
    if header is None:
        raise UnreadableReport("layout_mismatch", f"Line {layout.header_line} of the file is no header.")
    if len(header.headers) > MAX_COLUMNS:
        raise UnreadableReport("too_many_columns", f"The report has more than {MAX_COLUMNS} columns.")
    return header.headers


def _table(content: BoundedFile, layout: ReportLayout, width: int) -> RecordSource:
    if layout.format == "workbook":
        return WorkbookSource(content, layout.sheet)
    return TextSource(content, layout.encoding, layout.separator, layout.quote, width)


@dataclass(frozen=True, slots=True)
class _BehindHeader:
    """The records of a table behind its header line."""

    opened: OpenedReport
    layout: ReportLayout

    def records(self) -> Iterator[FileRecord | RejectedLine]:
        table = _table(self.opened.content, self.layout, len(self.opened.headers))
        return (record for record in table.records() if record.line > self.layout.header_line)


@dataclass(frozen=True, slots=True)
class _JsonRecords:
    """The flat records of a JSON file, in the order of its headers."""

    opened: OpenedReport
    layout: ReportLayout

    def records(self) -> Iterator[FileRecord | RejectedLine]:
        headers = self.opened.headers
        source = JsonSource(self.opened.content, self.layout.encoding, envelope=self.opened.envelope)
        for entry in source.objects():
            if isinstance(entry, RejectedLine):
                yield entry
                continue
            number, record = entry
            for flat in flat_records(self.opened.network, record):
                yield FileRecord(number, [flat.get(header, "") for header in headers])
