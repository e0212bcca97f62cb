"""The layout of a report file as it was detected and corrected, open questions, and rejected lines.

file -> `opening.open_report` -> the layout and questions of its kind (networks' reports, costs) -> rows
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Generic, Literal, TypeVar

from pydantic import Field

from schemas.base import Frozen

MAX_QUOTED: Final = 200
"""Characters of a rejected line that are quoted."""

MAX_MAPPED: Final = 100
"""Columns of a layout, or words that it explains."""
MAX_HEADER_LINE: Final = 60
_SEPARATOR: Final = r"^[^\r\n\x00\"']?$"
_QUOTE: Final = r"^[\"']?$"
_CURRENCY: Final = r"^([A-Z]{3})?$"

Short = Annotated[str, Field(max_length=200)]
FileFormat = Literal["json", "text", "workbook"]
DateOrder = Literal["ymd", "dmy", "mdy", ""]
DecimalMark = Literal[".", ",", ""]


@dataclass(frozen=True, slots=True)
class RejectedLine:
    """A line that is no row, with the reason. `text`: its beginning, at most `MAX_QUOTED` characters."""

    line: int
    code: str
    message: str
    text: str = ""


class FileLayout(Frozen):
    """How a file is read: what was detected, and what a person may correct."""

    format: FileFormat
    encoding: str = Field(default="", max_length=40)
    separator: str = Field(default="", pattern=_SEPARATOR)
    quote: str = Field(default="", pattern=_QUOTE)
    header_line: int = Field(default=0, ge=0, le=MAX_HEADER_LINE)
    sheet: str = Field(default="", max_length=100)
    columns: dict[Short, Short] = Field(default_factory=dict, max_length=MAX_MAPPED)
    """Field -> header as in the file."""
    date_order: DateOrder = ""
    """Empty: ambiguous, it must be asked."""
    decimal_mark: DecimalMark = ""
    """Empty: ambiguous, it must be asked."""
    timezone: str = Field(default="", max_length=64)
    """IANA name; empty: the report names none."""
    currency: str = Field(default="", pattern=_CURRENCY)
    """Of rows that name none."""


class FileLayoutChanges(Frozen):
    """Corrections of a layout by a person or a saved mapping; they win over what is detected."""

    format: FileFormat | None = None
    encoding: str | None = Field(default=None, max_length=40)
    separator: str | None = Field(default=None, pattern=_SEPARATOR, min_length=1)
    quote: str | None = Field(default=None, pattern=_QUOTE)
    header_line: int | None = Field(default=None, ge=1, le=MAX_HEADER_LINE)
    sheet: str | None = Field(default=None, max_length=100)
    columns: dict[Short, Short] | None = Field(default=None, max_length=MAX_MAPPED)
    """Field -> header; an empty header takes the field's column away."""
    date_order: DateOrder | None = None
    decimal_mark: DecimalMark | None = None
    timezone: str | None = Field(default=None, max_length=64)
    currency: str | None = Field(default=None, pattern=_CURRENCY)


Layout = TypeVar("Layout", bound=FileLayout, covariant=True)


@dataclass(frozen=True, slots=True)
class LayoutQuestion:
    """A point that the file leaves open. `field`: `date_order`, `decimal_mark`, `columns.commission`, `timezone`,
    `currency`, `status:WORD`, `other_network`. `is_blocking`: `read` refuses the file until it is answered."""

    field: str
    message: str
    choices: tuple[str, ...] = ()
    is_blocking: bool = True


@dataclass(frozen=True, slots=True)
class Inspection(Generic[Layout]):
    """The description of a file, before anything of it applies."""

    layout: Layout
    headers: tuple[str, ...]
    sample: tuple[tuple[str, ...], ...]
    """The first rows, as text."""
    questions: tuple[LayoutQuestion, ...]
    total_lines: int | None
    """Lines of the file, or records of JSON; none: more than are counted."""
    notes: tuple[str, ...] = ()
    """Lines that are skipped, and why."""


class UnreadableReport(Exception):
    """The file cannot be read as a report. `code` names why; `message` is plain English for the person who uploads."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message
