"""Opens a report file: its format, the part of the layout that splits it into records, its headers, and its source.

file -> `content` -> this -> the questions and rows of its kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import BinaryIO, Final

from infra.domain.report_files.columns import ReportColumns
from infra.domain.report_files.content import BoundedFile, open_file
from infra.domain.report_files.dialects import detect_dialect, find_header
from infra.domain.report_files.encodings import checked_encoding, decoded, detect_encoding
from infra.domain.report_files.headers import MAX_HEADER
from infra.domain.report_files.json_source import JsonSource
from infra.domain.report_files.layouts import (
    MAX_HEADER_LINE,
    FileLayout,
    FileLayoutChanges,
    RejectedLine,
    UnreadableReport,
)
from infra.domain.report_files.pages import page_instead_of_report
from infra.domain.report_files.source import MAX_COLUMNS, FileRecord, RecordSource, quoted
from infra.domain.report_files.text_source import TextSource
from infra.domain.report_files.workbook_source import WorkbookSource, sheets_of
from infra.domain.report_reading import read_currency

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

    columns: ReportColumns
    content: BoundedFile
    layout: FileLayout
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

    def source(self, layout: FileLayout) -> RecordSource:
        """The records behind the header."""
        if layout.format == "json":
            return _JsonRecords(self, layout)
        return _BehindHeader(self, layout)


def open_report(file: BinaryIO, columns: ReportColumns, given: FileLayoutChanges) -> OpenedReport:
    """Raises `UnreadableReport`."""
    content = open_file(file)
    if content.kind == "workbook":
        return _workbook(content, columns, given)
    encoding = checked_encoding(given.encoding) if given.encoding else detect_encoding(content)
    head = "".join(islice(decoded(content.chunks(), encoding), 1))[:MAX_HEAD].lstrip()
    if not head:
        raise UnreadableReport("empty_file", "The file is empty.")
    if head.startswith("<"):
        raise page_instead_of_report(head)
    if given.format == "json" or (given.format is None and head[0] in "[{"):
        return _json(content, columns, encoding)
    return _text(content, columns, encoding, given)


def reopen(file: BinaryIO, columns: ReportColumns, layout: FileLayout) -> OpenedReport:
    """The file as it is read by a layout that was confirmed. Raises `UnreadableReport` (layout_mismatch and others)."""
    content = open_file(file)
    if (content.kind == "workbook") != (layout.format == "workbook"):
        raise UnreadableReport("layout_mismatch", "The file has another format than the layout.")
    if layout.format != "workbook":
        checked_encoding(layout.encoding)
    if layout.format == "json":
        headers = tuple(dict.fromkeys(layout.columns.values()))
        return OpenedReport(columns, content, layout, headers)
    opened = OpenedReport(columns, content, layout, ())
    headers = _headers_at(opened, layout)
    missing = [header for header in layout.columns.values() if header not in headers]
    if missing:
        raise UnreadableReport("layout_mismatch", f'The file has no column "{missing[0][:100]}".')
    return replace(opened, headers=headers)


def _text(content: BoundedFile, columns: ReportColumns, encoding: str, given: FileLayoutChanges) -> OpenedReport:
    lines = islice(TextSource(content, encoding, ",", "").lines(), MAX_HEADER_LINE)
    head = [line._replace(text=line.text[:MAX_HEADER_TEXT]) for line in lines]
    dialect = detect_dialect(head, columns, separator=given.separator, quote=given.quote, line=given.header_line)
    if len(dialect.headers) < 2 and not given.columns:
        text = quoted(" ".join(line.text for line in head[:5]))
        raise UnreadableReport("not_a_report", f"This file is no table. It says: {text}")
    layout = FileLayout(
        format="text",
        encoding=encoding,
        separator=dialect.separator,
        quote=dialect.quote,
        header_line=dialect.header_line,
    )
    preamble = tuple(line.text for line in head if line.number < dialect.header_line)
    return OpenedReport(columns, content, layout, dialect.headers, _preamble(dialect.header_line), preamble)


def _workbook(content: BoundedFile, columns: ReportColumns, given: FileLayoutChanges) -> OpenedReport:
    best = None
    for sheet in (given.sheet,) if given.sheet else sheets_of(content):
        rows = (record for record in WorkbookSource(content, sheet).records() if isinstance(record, FileRecord))
        header = find_header(islice(rows, MAX_HEADER_LINE), columns, line=given.header_line)
        if header is not None and (best is None or header.score > best[1].score):
            best = sheet, header
    if best is None:
        raise UnreadableReport("empty_file", "The workbook has no rows.")
    sheet, header = best
    layout = FileLayout(format="workbook", sheet=sheet, header_line=header.line)
    return OpenedReport(columns, content, layout, header.headers, _preamble(header.line))


def _json(content: BoundedFile, columns: ReportColumns, encoding: str) -> OpenedReport:
    keys: dict[str, None] = {}
    for entry in islice(JsonSource(content, encoding).objects(), KEYED_RECORDS):
        if not isinstance(entry, RejectedLine):
            for flat in columns.flat_records(entry[1]):
                keys.update((key, None) for key in flat if len(key) <= MAX_HEADER)
        if len(keys) > MAX_COLUMNS:
            raise UnreadableReport("too_many_columns", f"The records have more than {MAX_COLUMNS} fields.")
    return OpenedReport(columns, content, FileLayout(format="json", encoding=encoding), tuple(keys))


def _preamble(header_line: int) -> tuple[str, ...]:
    if header_line <= 1:
        return ()
    lines = "Line 1 is" if header_line == 2 else f"Lines 1 to {header_line - 1} are"
    return (f"{lines} skipped: the header is line {header_line}.",)


def _headers_at(opened: OpenedReport, layout: FileLayout) -> tuple[str, ...]:
    from_start = _table(opened.content, layout, 0).records()
    records = (
        record for record in islice(from_start, layout.header_line + MAX_HEADER_LINE) if isinstance(record, FileRecord)
    )
    header = find_header(
        (record for record in records if record.line == layout.header_line),
        opened.columns,
        line=layout.header_line,
    )
    if header is None:
        raise UnreadableReport("layout_mismatch", f"Line {layout.header_line} of the file is no header.")
    if len(header.headers) > MAX_COLUMNS:
        raise UnreadableReport("too_many_columns", f"The report has more than {MAX_COLUMNS} columns.")
    return header.headers


def _table(content: BoundedFile, layout: FileLayout, width: int) -> RecordSource:
    if layout.format == "workbook":
        return WorkbookSource(content, layout.sheet)
    return TextSource(content, layout.encoding, layout.separator, layout.quote, width)


@dataclass(frozen=True, slots=True)
class _BehindHeader:
    """The records of a table behind its header line."""

    opened: OpenedReport
    layout: FileLayout

    def records(self) -> Iterator[FileRecord | RejectedLine]:
        table = _table(self.opened.content, self.layout, len(self.opened.headers))
        return (record for record in table.records() if record.line > self.layout.header_line)


@dataclass(frozen=True, slots=True)
class _JsonRecords:
    """The flat records of a JSON file, in the order of its headers."""

    opened: OpenedReport
    layout: FileLayout

    def records(self) -> Iterator[FileRecord | RejectedLine]:
        headers = self.opened.headers
        source = JsonSource(self.opened.content, self.layout.encoding, envelope=self.opened.envelope)
        for entry in source.objects():
            if isinstance(entry, RejectedLine):
                yield entry
                continue
            number, record = entry
            for flat in self.opened.columns.flat_records(record):
                yield FileRecord(number, [flat.get(header, "") for header in headers])
