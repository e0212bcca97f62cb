"""Results of reading a network's report: rows, and the layout with its words of statuses.

file -> `reports.inspect` -> `Inspection`, which a person corrects -> `reports.read` -> these rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum

from pydantic import Field

from infra.domain.report_files.layouts import MAX_MAPPED, FileLayout, FileLayoutChanges, Inspection, Short


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


class ReportLayout(FileLayout):
    """How a network's report is read."""

    statuses: dict[Short, ReportStatus] = Field(default_factory=dict, max_length=MAX_MAPPED)
    """Words of this file, in lower case, beside the network's own."""


class ReportLayoutChanges(FileLayoutChanges):
    """Corrections of the layout of a network's report."""

    statuses: dict[Short, ReportStatus] | None = Field(default=None, max_length=MAX_MAPPED)


ReportInspection = Inspection[ReportLayout]
