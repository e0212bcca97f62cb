"""Reads the cells of one sheet's XML as texts, streaming, without definitions of any kind.

`workbook_source` opens the workbook -> this. A formula is its text behind `=`; dates become ISO texts, numbers `Exact`
with the digits that people see. Rows that the sheet leaves out cost nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from math import isfinite
from typing import IO, Final
from xml.parsers import expat

from openpyxl.utils.datetime import from_excel

from infra.domain.report_files.content import CHUNK
from infra.domain.report_files.layouts import UnreadableReport
from infra.domain.report_files.source import MAX_COLUMNS, Exact

MAX_CELL: Final = 40_000
"""Characters of a cell; a spreadsheet allows 32,767."""
MAX_EXACT: Final = 10**15
"""Whole numbers from here on have lost digits in the spreadsheet; they are written with an exponent."""
_PLACE: Final = re.compile(r"([A-Z]{1,3})\d*")


class DefinitionsForbidden(ValueError):
    """The XML has a document type: no sheet needs one, and its entities may expand without measure."""


@dataclass(frozen=True, slots=True)
class CellFormats:
    """The tables that a cell's numbers refer to. `dates`: styles of dates and times. `epoch`: day 0 of its dates."""

    strings: Sequence[str]
    dates: Collection[int]
    epoch: datetime


def sheet_rows(source: IO[bytes], formats: CellFormats) -> Iterator[tuple[int, list[str]]]:
    """Yields number and cells of each row that has some. Raises `UnreadableReport` (too_many_columns),
    `DefinitionsForbidden`, and `expat.ExpatError` or `ValueError` for what is no sheet."""
    parser = _SheetParser(formats)
    while chunk := source.read(CHUNK):
        parser.feed(chunk)
        yield from parser.taken()
    parser.close()


def shared_texts(source: IO[bytes]) -> list[str]:
    """The table of texts to which cells refer. Raises as `sheet_rows`."""
    parser = _TextsParser()
    while chunk := source.read(CHUNK):
        parser.feed(chunk)
    parser.close()
    return parser.texts


class _Parser:
    """An XML parser that calls the handlers of elements by their names, whatever prefix these have."""

    def __init__(
        self, starts: Mapping[str, Callable[[dict[str, str]], None]], ends: Mapping[str, Callable[[], None]]
    ) -> None:
        self._starts, self._ends = starts, ends
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._data
        self._expat.StartDoctypeDeclHandler = self._doctype
        self._texts: list[str] | None = None
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        self._expat.Parse(chunk, False)

    def close(self) -> None:
        self._expat.Parse(b"", True)

    def _doctype(self, *_: object) -> None:
        raise DefinitionsForbidden

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        handler = self._starts.get(name.rpartition(":")[2])
        if handler is not None:
            handler(attributes)

    def _end(self, name: str) -> None:
        handler = self._ends.get(name.rpartition(":")[2])
        if handler is not None:
            handler()

    def _data(self, text: str) -> None:
        if self._texts is not None and self._size < MAX_CELL:
            self._texts.append(text)
            self._size += len(text)

    def _collect(self, _: dict[str, str]) -> None:
        """Collects the text from here."""
        self._texts = []

    def _collected(self) -> str:
        """Returns the text since `_collect`."""
        text, self._texts = "".join(self._texts or ()), None
        return text


class _TextsParser(_Parser):
    """Collects shared texts; phonetic readings, which are not shown, are left out."""

    def __init__(self) -> None:
        super().__init__(
            {"si": self._start_item, "t": self._start_part, "rPh": self._start_reading},
            {"si": self._end_item, "t": self._end_part, "rPh": self._end_reading},
        )
        self.texts: list[str] = []
        self._item, self._is_reading = "", False

    def _start_item(self, _: dict[str, str]) -> None:
        self._item, self._size = "", 0

    def _end_item(self) -> None:
        self.texts.append(self._item)

    def _start_part(self, attributes: dict[str, str]) -> None:
        if not self._is_reading:
            self._collect(attributes)

    def _end_part(self) -> None:
        self._item += self._collected()

    def _start_reading(self, _: dict[str, str]) -> None:
        self._is_reading = True

    def _end_reading(self) -> None:
        self._is_reading = False


class _SheetParser(_Parser):
    """Collects rows while XML is fed."""

    def __init__(self, formats: CellFormats) -> None:
        super().__init__(
            {
                "row": self._start_row,
                "c": self._start_cell,
                "v": self._collect,
                "t": self._collect,
                "f": self._collect,
            },
            {
                "row": self._end_row,
                "c": self._end_cell,
                "v": self._end_value,
                "t": self._end_value,
                "f": self._end_formula,
            },
        )
        self._formats = formats
        self._rows: list[tuple[int, list[str]]] = []
        self._row, self._cells = 0, [""]
        self._column, self._kind, self._style = -1, "", 0
        self._formula: str | None = None
        self._value = ""

    def taken(self) -> list[tuple[int, list[str]]]:
        """The rows since the last call."""
        rows, self._rows = self._rows, []
        return rows

    def _start_row(self, attributes: dict[str, str]) -> None:
        self._row = int(attributes["r"]) if "r" in attributes else self._row + 1
        self._cells, self._column = [], -1

    def _end_row(self) -> None:
        if any(self._cells):
            self._rows.append((self._row, self._cells))

    def _start_cell(self, attributes: dict[str, str]) -> None:
        self._column = _column(attributes["r"]) if "r" in attributes else self._column + 1
        self._kind, self._style = attributes.get("t", "n"), int(attributes.get("s", 0))
        self._formula, self._value, self._size = None, "", 0

    def _end_value(self) -> None:
        self._value += self._collected()

    def _end_formula(self) -> None:
        self._formula = f"={self._collected()}"

    def _end_cell(self) -> None:
        text = self._formula if self._formula is not None else self._text()
        if not text:
            return
        if self._column >= MAX_COLUMNS:
            raise UnreadableReport("too_many_columns", f"The sheet has more than {MAX_COLUMNS} columns.")
        self._cells.extend([""] * (self._column + 1 - len(self._cells)))
        self._cells[self._column] = text

    def _text(self) -> str:
        value = self._value
        if not value:
            return ""
        if self._kind == "s":
            return str(self._formats.strings[int(value)])
        if self._kind == "b":
            return "true" if value == "1" else "false"
        if self._kind != "n":
            return value
        return self._date(value) if self._style in self._formats.dates else _number(value)

    def _date(self, value: str) -> str:
        try:
            number = float(value)
            moment = from_excel(number, self._formats.epoch)
        except (ValueError, OverflowError):
            return value
        if isinstance(moment, time):
            return moment.isoformat()
        local: datetime = moment
        return local.date().isoformat() if number.is_integer() else local.isoformat(sep=" ", timespec="seconds")


def _column(place: str) -> int:
    """The number of a cell's column from 0: `AB7` is 27. Raises `ValueError`."""
    match = _PLACE.fullmatch(place)
    if match is None:
        raise ValueError(place)
    number = 0
    for letter in match[1]:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _number(value: str) -> str:
    """The number with the digits that people see: sheets contain 4.0999999999999996 for 4.1."""
    try:
        number = float(value)
    except ValueError:
        return value
    if not isfinite(number):
        return value
    if abs(number) >= MAX_EXACT:
        return Exact(f"{number:.16e}")
    return Exact(int(number)) if number.is_integer() else Exact(repr(number))
