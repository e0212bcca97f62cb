"""A document of tables as PDF, to print, to send and to archive: A4, one font, page numbers. Pure.

The font has Latin, Greek and Cyrillic letters. Other characters become `?`: the CSV beside a document has every text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Final

from fpdf import FPDF
from fpdf.enums import XPos, YPos
from fpdf.fonts import TTFFont

from infra import PRODUCT_NAME

MEDIA_TYPE: Final = "application/pdf"
_FONT: Final = "SourceSans"
_STYLES: Final = {"": "SourceSansPro-Regular.ttf", "B": "SourceSansPro-Semibold.ttf"}
_MARGIN: Final = 14.0
_LINE: Final = 4.2
"""Millimetres from line to line."""
_SIZE: Final = 8.5
_SMALL: Final = 7.5
_GAP: Final = 1.2
_TEXT: Final = (22, 24, 29)
_QUIET: Final = (85, 91, 102)
_RULE: Final = (201, 205, 212)
_MISSING: Final = "?"
_MAX_LINES: Final = 4
"""Of one cell; what is longer ends with `…`."""


@dataclass(frozen=True, slots=True)
class PdfColumn:
    """`width`: its share of the page, relative to the others."""

    head: str
    width: float
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class PdfTable:
    """`rows`: a text for each column."""

    caption: str
    columns: Sequence[PdfColumn]
    rows: Sequence[Sequence[str]]


def document(
    title: str, facts: Mapping[str, str], tables: Sequence[PdfTable], notes: Sequence[str], made_at: datetime
) -> bytes:
    """The file. Texts are shown as they are, except control characters and what the font lacks."""
    pdf = _Document(title, made_at)
    pdf.add_heading(title)
    for name, value in facts.items():
        pdf.add_fact(name, value)
    for table in tables:
        pdf.add_table(table)
    for note in notes:
        pdf.add_note(note)
    return bytes(pdf.output())


class _Document(FPDF):
    def __init__(self, title: str, made_at: datetime) -> None:
        super().__init__(orientation="landscape", unit="mm", format="A4")
        fonts = files("font_source_sans_pro") / "files"
        for style, name in _STYLES.items():
            self.add_font(_FONT, style, str(fonts / name))
        self.set_margins(_MARGIN, _MARGIN, _MARGIN)
        self.set_auto_page_break(False)
        self.c_margin = 0
        self.set_title(title)
        self.set_lang("en")
        self.set_creator(PRODUCT_NAME)
        self.set_creation_date(made_at)
        self.set_text_color(*_TEXT)
        self.set_draw_color(*_RULE)
        self.set_line_width(0.2)
        self._letters = _letters()
        self.add_page()

    def footer(self) -> None:
        self.set_y(-_MARGIN + 4)
        self._style("", _SMALL, quiet=True)
        self.cell(self.epw, _LINE, f"Page {self.page_no()} of {{nb}}", align="R")

    def add_heading(self, text: str) -> None:
        self._style("B", 16)
        for line in self._wrapped(self._printable(text), self.epw):
            self.cell(self.epw, 8, line, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(2)

    def add_fact(self, name: str, value: str) -> None:
        self._style("", _SIZE, quiet=True)
        self.cell(32, _LINE + 0.6, name)
        self._style("", _SIZE)
        for number, line in enumerate(self._wrapped(self._printable(value), self.epw - 32)):
            self.set_x(_MARGIN + 32 if number else self.get_x())
            self.cell(self.epw - 32, _LINE + 0.6, line, new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def add_table(self, table: PdfTable) -> None:
        self.ln(5)
        self._room(_LINE * 6)
        self._style("B", _SIZE + 1.5)
        self.cell(self.epw, _LINE + 2, table.caption, new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        whole = sum(column.width for column in table.columns)
        widths = [self.epw * column.width / whole for column in table.columns]
        self._head(table, widths)
        for row in table.rows:
            cells = [
                self._wrapped(self._printable(text), width - _GAP) for text, width in zip(row, widths, strict=True)
            ]
            height = _LINE * max(map(len, cells)) + _GAP
            if self._room(height):
                self._head(table, widths)
            self._row(table.columns, widths, cells, height)

    def add_note(self, text: str) -> None:
        self._style("", _SMALL, quiet=True)
        lines = self._wrapped(self._printable(text), self.epw)
        self._room(_LINE * len(lines) + 2)
        self._style("", _SMALL, quiet=True)
        self.ln(1.5)
        for line in lines:
            self.cell(self.epw, _LINE, line, new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def _head(self, table: PdfTable, widths: Sequence[float]) -> None:
        self._style("", _SIZE, quiet=True)
        heads = [[column.head] for column in table.columns]
        self._row(table.columns, widths, heads, _LINE + _GAP)
        self._style("", _SIZE)

    def _row(
        self, columns: Sequence[PdfColumn], widths: Sequence[float], cells: Sequence[Sequence[str]], height: float
    ) -> None:
        x, y = _MARGIN, self.get_y()
        for column, width, lines in zip(columns, widths, cells, strict=True):
            for number, line in enumerate(lines):
                self.set_xy(x, y + _GAP / 2 + number * _LINE)
                self.cell(width - _GAP, _LINE, line, align="R" if column.is_number else "L")
            x += width
        self.line(_MARGIN, y + height, _MARGIN + self.epw, y + height)
        self.set_xy(_MARGIN, y + height)

    def _room(self, height: float) -> bool:
        """Begins a new page if the rest of this one is lower; returns whether it did."""
        if self.get_y() + height <= self.h - _MARGIN:
            return False
        self.add_page()
        return True

    def _style(self, style: str, size: float, *, quiet: bool = False) -> None:
        self.set_font(_FONT, style, size)
        self.set_text_color(*(_QUIET if quiet else _TEXT))

    def _printable(self, text: str) -> str:
        if text.isascii() and text.isprintable():
            return text
        return "".join(letter if ord(letter) in self._letters else _MISSING for letter in text if letter.isprintable())

    def _wrapped(self, text: str, width: float) -> list[str]:
        """The lines of a text: it breaks at spaces, and within a word that is longer than a line."""
        if self.get_string_width(text) <= width:
            return [text]
        lines = list(self._lines(text, width))
        if len(lines) <= _MAX_LINES:
            return lines
        last = lines[_MAX_LINES - 1]
        while self.get_string_width(f"{last}…") > width:
            last = last[:-1]
        return [*lines[: _MAX_LINES - 1], f"{last}…"]

    def _lines(self, text: str, width: float) -> Iterator[str]:
        line = ""
        for word in text.split(" "):
            longer = f"{line} {word}" if line else word
            if self.get_string_width(longer) <= width:
                line = longer
                continue
            if line:
                yield line
            line = word
            while self.get_string_width(line) > width:
                cut = next(end for end in range(len(line) - 1, 0, -1) if self.get_string_width(line[:end]) <= width)
                yield line[:cut]
                line = line[cut:]
        yield line


@cache
def _letters() -> frozenset[int]:
    """Returns the characters of the font, as numbers."""
    pdf = FPDF()
    pdf.add_font(_FONT, "", str(files("font_source_sans_pro") / "files" / _STYLES[""]))
    font = pdf.fonts[_FONT.lower()]
    assert isinstance(font, TTFFont)  # noqa: S101 - the file is one
    return frozenset(font.cmap)
