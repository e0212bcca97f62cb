"""The rows of the accountant's file: its lines, and its totals by month."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from pydantic import Field

from schemas.http.money import Amount
from schemas.http.responses import ResponseModel


class AccountantLine(ResponseModel):
    """A partner's month, or a total; amounts in major units."""

    month: str = Field(description="YYYY-MM; of the last totals the range")
    website: str
    partner: str
    partner_id: UUID | None = None
    currency: str
    opening: str
    approved: str
    reversed: str
    adjustments: str
    exchange_difference: str = Field(description="What the balance gained because rates moved")
    closing: str
    held: str
    payable: str
    paid: str
    paid_in_total: str
    open: str
    line: str = Field(description="partner, total or note")
    note: str = Field(default="", description="Why it is not in the wanted currency, or that there is nothing")


class AccountantTotal(ResponseModel):
    """What the lines of one currency add up to, in its minor units."""

    currency: str
    lines: int
    entries: int = Field(description="Bookings and payouts; 0: nothing but balances")
    approved: int
    reversed: int
    adjustments: int
    exchange_difference: int
    closing: int
    paid: int
    open: int


class LinesNotConverted(ResponseModel):
    """Lines of the file that stay in their website's currency."""

    lines: int
    earned: Amount = Field(description="Approved, less reversals and adjustments")
    lacking: date = Field(description="The first day without an exchange rate")


class AccountantMonth(ResponseModel):
    """The totals of a month."""

    month: str
    totals: list[AccountantTotal]
    not_converted: list[LinesNotConverted]


class AccountantOverview(ResponseModel):
    """The totals of the accountant's file by month."""

    websites: int
    currency: str | None
    months: list[AccountantMonth]
