"""Values of imports of report files, of networks and of costs: the file, how it is read, what it leaves open."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from schemas.base import Frozen


class ImportState(StrEnum):
    """Where an import stands. `asking`: the file leaves something open that a person has to say."""

    READING = "reading"
    ASKING = "asking"
    READY = "ready"
    APPLYING = "applying"
    APPLIED = "applied"
    UNDOING = "undoing"
    UNDONE = "undone"
    CANCELLED = "cancelled"
    FAILED = "failed"


class ReportFile(Frozen):
    """A report file. Its content is stored apart, encrypted."""

    name: str = Field(max_length=200)
    size: int = Field(ge=1)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class FileMapping(Frozen):
    """How a person says that a file is read; the rest is detected."""

    format: Literal["json", "text", "workbook"] | None = None
    encoding: str | None = Field(default=None, max_length=40)
    separator: str | None = Field(default=None, max_length=1)
    quote: str | None = Field(default=None, max_length=1)
    header_line: int | None = Field(default=None, ge=1, le=1_000)
    sheet: str | None = Field(default=None, max_length=100)
    columns: dict[str, str] | None = Field(
        default=None, max_length=40, description="Field to header; empty: the file has no column for it"
    )
    date_order: Literal["ymd", "dmy", "mdy"] | None = None
    decimal_mark: Literal[".", ","] | None = None
    timezone: str | None = Field(default=None, max_length=64)
    currency: str | None = Field(default=None, pattern="^[A-Z]{3}$", description="Of rows that name none")


class OpenQuestion(Frozen):
    """What the file leaves open. `field`: the part of the mapping that answers it."""

    field: str
    message: str
    choices: tuple[str, ...] = ()
