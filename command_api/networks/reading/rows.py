"""Results of reading a network's report: rows, rejected lines, the layout that was detected and open questions.

file -> `reports.inspect` -> `Inspection`, which a person corrects -> `reports.read` -> these rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field

from schemas.base import Frozen

MAX_QUOTED: Final = 200
"""Characters of a rejected line that are quoted."""

MAX_MAPPED: Final = 100
"""Columns, or words of statuses, of a layout."""
MAX_HEADER_LINE: Final = 60
_SEPARATOR: Final = r"^[^\r\n\x00\"']?$"
_QUOTE: Final = r"^[\"']?$"
_CURRENCY: Final = r"^([A-Z]{3})?$"

Short = Annotated[str, Field(max_length=200)]
FileFormat = Literal["json", "text", "workbook"]
DateOrder = Literal["ymd", "dmy", "mdy", ""]
DecimalMark = Literal[".", ",", ""]


class ReportStatus(StrEnum):
    """The status of a sale at its network."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    REVERSED = "reversed"
    PAID = "paid"


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkRow:
    """One line of money, as the network reports it."""

    line: int
    """In the file, 1 = its first line; in JSON the number of the record."""
    txid: str
    """Identifies the sale at its network: CJ's `originalActionId`, Rakuten's order id."""
    line_key: str = ""
    """The part of the sale; empty: it has one. CJ's `commissionId`, Rakuten's SKU, Partnerize's item id."""
    order_ref: str = ""
    partner_ref: str = ""
    """The network's id of the advertiser or merchant."""
    partner_name: str = ""
    click_ref: str = ""
    tracking_id: str = ""
    product: str = ""
    occurred_at: datetime | date
    """An aware datetime, or a date where the report has no time of day."""
    clicked_at: datetime | None = None
    updated_at: datetime | None = None
    """The latest change that the row itself names; never a date that is only planned."""
    sale: Decimal | None = None
    commission: Decimal
    currency: str = ""
    """Empty: neither row nor layout names one; the account's own is meant."""
    status: ReportStatus
    raw_status: str = ""
    is_correction: bool = False
    """True: it adds to the sale. False: it states the line as a whole."""
    is_amended: bool = False
    is_bonus: bool = False
    """Money without a sale."""
    is_test: bool = False
    is_lead: bool = False
    decline_reason: str = ""
    replaces: str = ""
    """Empty, or the group that a file replaces as a whole: Amazon's `2026-06-03 tag-20`."""


@dataclass(frozen=True, slots=True)
class RejectedLine:
    """A line that is no row, with the reason. `text`: its beginning, at most `MAX_QUOTED` characters."""

    line: int
    code: str
    message: str
    text: str = ""


class ReportLayout(Frozen):
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
    statuses: dict[Short, ReportStatus] = Field(default_factory=dict, max_length=MAX_MAPPED)
    """Words of this file, in lower case, beside the network's own."""


class ReportLayoutChanges(Frozen):
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
    statuses: dict[Short, ReportStatus] | None = Field(default=None, max_length=MAX_MAPPED)


@dataclass(frozen=True, slots=True)
class LayoutQuestion:
    """A point that the file leaves open. `field`: `date_order`, `decimal_mark`, `columns.commission`, `timezone`,
    `currency`, `status:WORD`, `other_network`. `is_blocking`: `read` refuses the file until it is answered."""

    field: str
    message: str
    choices: tuple[str, ...] = ()
    is_blocking: bool = True


@dataclass(frozen=True, slots=True)
class Inspection:
    """The description of a file, before anything of it applies."""

    layout: ReportLayout
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
