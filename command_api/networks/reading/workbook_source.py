"""Reads the rows of one sheet of a workbook, streaming. Formulas are recognized, never evaluated.

`content.open_workbook` -> this -> `row_reader`. Dates become ISO texts, numbers `Exact`.
"""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, Final
from xml.etree.ElementTree import ParseError

import openpyxl
from defusedxml.common import DefusedXmlException

from command_api.networks.reading.content import ReportFile, open_workbook
from command_api.networks.reading.rows import RejectedLine, ReportUnreadable
from command_api.networks.reading.source import MAX_COLUMNS, Exact, FileRecord

MAX_SHEETS: Final = 100
MAX_EXACT: Final = 10**15
"""Whole numbers from here on have lost digits in the spreadsheet; they are written with an exponent."""
_BROKEN: Final = (
    KeyError, ValueError, TypeError, AttributeError, IndexError, EOFError, OSError, zipfile.BadZipFile, ParseError,
)  # fmt: skip
"""What openpyxl raises for files that are no workbooks."""


@dataclass(frozen=True, slots=True)
class WorkbookSource:
    """One sheet of a workbook."""

    content: ReportFile
    sheet: str

    def records(self) -> Iterator[FileRecord | RejectedLine]:
        with _opened(self.content) as workbook:
            if self.sheet not in workbook.sheetnames:
                raise ReportUnreadable("layout_mismatch", f'The workbook has no sheet "{self.sheet[:60]}".')
            sheet = workbook[self.sheet]
            sheet.reset_dimensions()
            for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
                if len(row) > MAX_COLUMNS and any(cell is not None for cell in row[MAX_COLUMNS:]):
                    raise ReportUnreadable("too_many_columns", f"The sheet has more than {MAX_COLUMNS} columns.")
                cells = [_text(cell) for cell in row[:MAX_COLUMNS]]
                while cells and not cells[-1]:
                    cells.pop()
                if cells:
                    yield FileRecord(number, cells)


def sheets_of(content: ReportFile) -> tuple[str, ...]:
    """The names of the visible sheets. Raises `ReportUnreadable`."""
    with _opened(content) as workbook:
        sheets = [sheet.title for sheet in workbook.worksheets if sheet.sheet_state == "visible"]
    if not sheets:
        raise ReportUnreadable("not_a_report", "The workbook has no visible sheet.")
    return tuple(sheets[:MAX_SHEETS])


@contextmanager
def _opened(content: ReportFile) -> Iterator[Any]:
    """The workbook; what is wrong with it becomes `ReportUnreadable`."""
    file = open_workbook(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            workbook = openpyxl.load_workbook(file, read_only=True, data_only=False, keep_links=False)
        try:
            yield workbook
        finally:
            workbook._archive.close()
    except ReportUnreadable:
        raise
    except _BROKEN as error:
        raise _unreadable(error) from error


def _unreadable(error: Exception) -> ReportUnreadable:
    if isinstance(error, DefusedXmlException) or isinstance(error.__cause__, DefusedXmlException):
        return ReportUnreadable("unsafe_workbook", "The workbook has definitions that no report needs.")
    return ReportUnreadable("broken_archive", "The workbook is damaged. Save it again, or as CSV.")


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int | float):
        if abs(cell) >= MAX_EXACT:
            return Exact(f"{float(cell):.16e}")
        return Exact(int(cell)) if float(cell).is_integer() else Exact(repr(cell))
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    return cell.isoformat() if isinstance(cell, date | time) else str(getattr(cell, "text", cell))
