"""Conversions and payouts as both APIs answer them."""

from __future__ import annotations

from datetime import date, datetime
from uuid import UUID

from pydantic import Field

from schemas.events.conversions import ConversionStatus
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel


class Conversion(ResponseModel):
    """A lead or sale. Money in integer minor units; `commission` is net of reversals, in the website's currency."""

    id: UUID
    website_id: UUID
    event: str
    txid: str
    status: ConversionStatus
    amount: Amount
    commission: Amount
    reversed: Amount = Field(description="The reversed part of the sale")
    partner_id: UUID | None = Field(description="Null: no click is attributed yet, no commission is credited")
    partner_name: str | None
    link_id: UUID | None
    click_id: str | None
    attribution: str | None = Field(description="click_id, coupon, visitor or manual")
    reason: str | None
    occurred_at: datetime
    recorded_at: datetime
    decided_at: datetime | None
    approves_at: datetime | None = Field(description="When it is approved automatically; null: never")
    payable_at: datetime | None = Field(description="When the commission becomes payable; null: not earned")


class Allocation(ResponseModel):
    """A part of a payout that a person matched to a month."""

    month: str
    amount: int


class Payout(ResponseModel):
    """What a partner paid, as it counts now."""

    id: UUID
    website_id: UUID
    partner_id: UUID
    amount: Amount = Field(description="As it was paid")
    credited: Amount = Field(description="What it settles, in the website's currency")
    paid_on: date
    reference: str
    allocations: list[Allocation] = Field(description="Empty: the oldest open months first")
    has_file: bool
