"""A sale as its network's reports state it: part of a report in topic `conversions`, and of the events that keep it."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from schemas.base import Frozen


class NetworkSale(Frozen):
    """What marks a report as the network's own account of a sale: the sum of its lines in all imports that are applied.

    A report with a higher revision replaces the one before as a whole."""

    network: str = Field(description="Slug of the network", max_length=32)
    txid: str = Field(description="The network's id of the sale", max_length=255)
    revision: int = Field(ge=1, description="Grows with each statement of the website")
    as_of: datetime = Field(description="The latest change of the sale that the network names")
    is_dated: bool = Field(default=False, description="`as_of` is when the network made its report, not a date in it")
    is_gone: bool = Field(default=False, description="No applied import has the sale any more")
    has_time: bool = Field(default=True, description="False: the network names the day of the sale only")
    is_paid: bool = Field(default=False, description="The network has paid it")
    is_reversal_only: bool = Field(
        default=False, description="The network named only a reversed part: the payout is that part"
    )
    order_ref: str = Field(default="", max_length=255, description="The shop's own id of the order")
