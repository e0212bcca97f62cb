"""Finds separator, quote and header line of a text file, and the header row of a sheet.

The strongest evidence are the headers themselves: the split under which a line has the most known ones. Only where no
line has any, clevercsv judges the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import clevercsv

from infra.domain.report_files.columns import ReportColumns
from infra.domain.report_files.encodings import UNDECODED
from infra.domain.report_files.headers import guess_columns, missing_fields, unique_headers
from infra.domain.report_files.layouts import MAX_HEADER_LINE, UnreadableReport
from infra.domain.report_files.source import MAX_COLUMNS, FileRecord
from infra.domain.report_files.text_source import PhysicalLine, split_lines

SEPARATORS: Final = (",", ";", "\t", "|")
QUOTES: Final = ('"', "'")
_MAX_JUDGED: Final = 8_192
_DIRECTIVE: Final = "sep="


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the lines of a text file are split, and which of them is the header."""

    separator: str
    quote: str
    header_line: int
    headers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundHeader:
    """The header among the first records. `score`: how much speaks for it."""

    line: int
    headers: tuple[str, ...]
    score: tuple[int, ...]


def detect_dialect(
    head: Sequence[PhysicalLine],
    columns: ReportColumns,
    *,
    separator: str | None,
    quote: str | None,
    line: int | None,
) -> Dialect:
    """`head`: the first lines. `separator`, `quote`, `line`: what is given. Raises `UnreadableReport`
    (too_many_columns, not_a_report)."""
    if separator is None:
        separator = _directive(head)
    found: list[tuple[tuple[int, ...], Dialect]] = []
    for each in (separator,) if separator else SEPARATORS:
        for mark in (quote,) if quote is not None else QUOTES:
            records = [record for record in split_lines(head, each, mark) if isinstance(record, FileRecord)]
            header = find_header(records, columns, line=line)
            if header is not None:
                found.append((header.score, Dialect(each, mark, header.line, header.headers)))
    if not found:
        raise UnreadableReport("not_a_report", "This file has no line that could be the header of a report.")
    score, dialect = max(found, key=lambda one: one[0])
    if score[1] == 0 and separator is None and line is None:
        dialect = _judged(head, columns) or dialect
    _check_width(dialect.headers)
    return dialect


def find_header(records: Iterable[FileRecord], columns: ReportColumns, *, line: int | None) -> FoundHeader | None:
    """The record with the most known headers, or the one on the `line` that is given. None: there is no record."""
    best: FoundHeader | None = None
    for record in islice(records, MAX_HEADER_LINE):
        if record.line > MAX_HEADER_LINE:
            break
        if line and record.line != line:
            continue
        headers = unique_headers(_trimmed(record.cells[: MAX_COLUMNS + 1]))
        known = guess_columns(headers, columns)
        unquoted = -sum(1 for each in headers if each[0:1] in QUOTES)
        filled = sum(1 for each in headers if each)
        score = (-len(missing_fields(known, columns)), len(known), unquoted, filled, -record.line)
        if best is None or score > best.score:
            best = FoundHeader(record.line, headers, score)
    return best


def _check_width(headers: Sequence[str]) -> None:
    if len(headers) > MAX_COLUMNS:
        raise UnreadableReport("too_many_columns", f"The report has more than {MAX_COLUMNS} columns.")


def _directive(head: Sequence[PhysicalLine]) -> str | None:
    """The separator that a spreadsheet names in the first line: `sep=;`."""
    first = head[0].text.strip() if head else ""
    rest = first[len(_DIRECTIVE) :]
    return rest if first.lower().startswith(_DIRECTIVE) and rest in SEPARATORS else None


def _judged(head: Sequence[PhysicalLine], columns: ReportColumns) -> Dialect | None:
    """The dialect that clevercsv finds in the text."""
    readable = (line.text for line in head if "\0" not in line.text and UNDECODED not in line.text)
    text = "\n".join(readable)[:_MAX_JUDGED]
    try:
        judged = clevercsv.Detector().detect(text, delimiters=list(SEPARATORS))
    except clevercsv.Error:
        return None
    if judged is None or judged.delimiter not in SEPARATORS:
        return None
    quote = judged.quotechar if judged.quotechar in QUOTES else QUOTES[0]
    records = [record for record in split_lines(head, judged.delimiter, quote) if isinstance(record, FileRecord)]
    header = find_header(records, columns, line=None)
    return None if header is None else Dialect(judged.delimiter, quote, header.line, header.headers)


def _trimmed(cells: Sequence[str]) -> Sequence[str]:
    """Without empty cells at the end."""
    end = len(cells)
    while end and not cells[end - 1].strip():
        end -= 1
    return cells[:end]
