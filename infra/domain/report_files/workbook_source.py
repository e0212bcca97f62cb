"""Reads the rows of one sheet of a workbook, streaming. Formulas are recognized, never evaluated.

`content.open_workbook` -> this, with `sheet_cells` -> `row_reader`. openpyxl finds the workbook's parts and the styles
of dates; the sheet, which may have a million rows, and the shared texts are read by `sheet_cells`.
"""

from __future__ import annotations

import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from lzma import LZMAError
from typing import Final
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import ExpatError

from defusedxml.common import DefusedXmlException
from openpyxl.reader.excel import ExcelReader
from openpyxl.styles.stylesheet import apply_stylesheet
from openpyxl.xml.constants import SHARED_STRINGS

from infra.domain.report_files.content import BoundedFile, open_workbook
from infra.domain.report_files.layouts import RejectedLine, UnreadableReport
from infra.domain.report_files.sheet_cells import CellFormats, DefinitionsForbidden, shared_texts, sheet_rows
from infra.domain.report_files.source import FileRecord

MAX_SHEETS: Final = 100
_BROKEN: Final = (
    LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RuntimeError, EOFError, OSError,
    zlib.error, LZMAError, zipfile.BadZipFile, ParseError, ExpatError,
)  # fmt: skip
"""What reading raises for files that are no workbooks."""


@dataclass(frozen=True, slots=True)
class WorkbookSource:
    """One sheet of a workbook."""

    content: BoundedFile
    sheet: str

    def records(self) -> Iterator[FileRecord | RejectedLine]:
        with _opened(self.content) as workbook:
            part = next((sheet.part for sheet in workbook.sheets() if sheet.name == self.sheet), None)
            if part is None:
                raise UnreadableReport("layout_mismatch", f'The workbook has no sheet "{self.sheet[:60]}".')
            formats = workbook.formats()
            with workbook.archive.open(part) as xml:
                for number, cells in sheet_rows(xml, formats):
                    yield FileRecord(number, cells)


def sheets_of(content: BoundedFile) -> tuple[str, ...]:
    """The names of the visible sheets. Raises `UnreadableReport`."""
    with _opened(content) as workbook:
        sheets = [sheet.name for sheet in workbook.sheets() if sheet.is_visible]
    if not sheets:
        raise UnreadableReport("not_a_report", "The workbook has no visible sheet.")
    return tuple(sheets[:MAX_SHEETS])


@dataclass(frozen=True, slots=True)
class _Sheet:
    name: str
    part: str
    is_visible: bool


class _Workbook:
    """The parts of a workbook that are needed, of which openpyxl reads what is small."""

    def __init__(self, reader: ExcelReader) -> None:
        self._reader = reader
        self.archive: zipfile.ZipFile = reader.archive
        reader.read_manifest()
        reader.read_workbook()

    def sheets(self) -> Iterator[_Sheet]:
        for sheet, relation in self._reader.parser.find_sheets():
            if relation.target in self._reader.valid_files and "chartsheet" not in relation.Type:
                yield _Sheet(sheet.name, relation.target, sheet.state == "visible")

    def formats(self) -> CellFormats:
        workbook = self._reader.wb
        apply_stylesheet(self.archive, workbook)
        texts: list[str] = []
        part = self._reader.package.find(SHARED_STRINGS)
        if part is not None:
            with self.archive.open(part.PartName[1:]) as xml:
                texts = shared_texts(xml)
        return CellFormats(texts, workbook._date_formats, workbook.epoch)


@contextmanager
def _opened(content: BoundedFile) -> Iterator[_Workbook]:
    """The workbook; what is wrong with it becomes `UnreadableReport`."""
    file = open_workbook(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader = ExcelReader(file, read_only=True, keep_links=False)
            with reader.archive:
                yield _Workbook(reader)
    except UnreadableReport:
        raise
    except _BROKEN as error:
        raise _unreadable(error) from error


def _unreadable(error: Exception) -> UnreadableReport:
    if isinstance(error, DefusedXmlException | DefinitionsForbidden):
        return UnreadableReport("unsafe_workbook", "The workbook has definitions that no report needs.")
    return UnreadableReport("broken_archive", "The workbook is damaged. Save it again, or as CSV.")
