"""What happens to conversions: leads and sales that a partner or the site reported, and what they earn.

Each event carries the conversion's facts, so that a projection needs no memory of the ones before.
Money moves as signed differences (`Change`), so that counters add up in any order.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Money
from schemas.events.partners import Terms, TiersBy


class ConversionStatus(StrEnum):
    """Where a conversion stands."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    REVERSED = "reversed"


class AttributedBy(StrEnum):
    """Which trace led from the conversion to its click."""

    CLICK_ID = "click_id"
    COUPON = "coupon"
    VISITOR = "visitor"


class Attribution(Frozen):
    """The click (or coupon) that earned the conversion, with what was known of it then."""

    by: AttributedBy
    partner_id: UUID
    link_id: UUID | None = None
    click_id: str = ""
    clicked_at: datetime
    terms: Terms = Field(description="The partner's terms at the time of the click")
    visitor: int = 0
    country: str = "ZZ"
    device: str = ""
    source: str = ""
    subs: dict[str, str] = Field(default_factory=dict)


class ConversionFacts(Frozen):
    """What does not change about a conversion."""

    website_id: UUID
    kind: str = Field(pattern="^(lead|sale)$")
    event: str = Field(description="Event name; with website and txid it makes the conversion's id")
    txid: str
    amount: Money = Field(description="The sale as reported; zero for a lead")
    occurred_at: datetime
    attribution: Attribution | None = Field(default=None, description="None: no click is known yet")


class Change(Frozen):
    """Signed differences of one step: conversions by status, and the website's commission in its own currency."""

    currency: str = Field(pattern=r"^[A-Z]{3}$")
    pending: int = 0
    approved: int = 0
    rejected: int = 0
    reversed: int = 0
    commission_pending: int = Field(default=0, description="Minor units")
    commission_approved: int = 0
    commission_reversed: int = 0


class TierUsed(Frozen):
    """Which of a partner's tiers paid a conversion, and between which standings of the month it holds."""

    month: str = Field(pattern=r"^\d{4}-\d{2}$", description="Of the sale, UTC")
    number: int = Field(ge=0, description="0: below the first threshold")
    by: TiersBy
    at_least: int = Field(description="Conversions, or minor units of the website's currency")
    below: int | None = Field(default=None, description="None: there is no higher tier")
    rate_bp: int = Field(default=0, description="Basis points that it pays, for `percent`")
    flat_amount: int = Field(default=0, description="Minor units that it pays, for `flat` and `per_lead`")


class LogPlace(Frozen):
    """Where a record lies in the log."""

    topic: str
    partition: int = Field(ge=0)
    offset: int = Field(ge=0)


class ConversionRecorded(DomainEvent):
    """A lead or sale was reported for the first time. Without a click it waits and counts nothing yet."""

    NAME: ClassVar[str] = "conversion.recorded"
    facts: ConversionFacts
    received_at: datetime
    reported_by: str = Field(pattern="^(sale|lead|postback|import)$")
    report: LogPlace | None = Field(default=None, description="The report; none: it waited for an exchange rate")
    payout: Money | None = Field(default=None, description="What the report says the partner pays; else the terms say")
    customer: str = Field(default="", description="Pseudonym of the buyer within the website")
    commission: Money | None = Field(default=None, description="In the website's currency; none while unattributed")
    exchange_rate: str | None = Field(default=None, description="Decimal rate used, when currencies differ")
    tier: TierUsed | None = Field(default=None, description="None: no tiers, or the report named the payout")
    change: Change


class ConversionAttributed(DomainEvent):
    """The click of a waiting conversion came; from now on it counts."""

    NAME: ClassVar[str] = "conversion.attributed"
    facts: ConversionFacts
    commission: Money
    exchange_rate: str | None = None
    tier: TierUsed | None = Field(default=None, description="None: no tiers, or the report named the payout")
    reversed_amount: int = Field(
        default=0, ge=0, description="Minor units of the sale that were taken back before its click was known"
    )
    change: Change


class ConversionApproved(DomainEvent):
    """The commission is earned."""

    NAME: ClassVar[str] = "conversion.approved"
    facts: ConversionFacts
    automatic: bool = Field(default=False, description="It was pending for as long as the terms allow")
    change: Change


class ConversionRejected(DomainEvent):
    """The conversion earns nothing."""

    NAME: ClassVar[str] = "conversion.rejected"
    facts: ConversionFacts
    reason: str
    change: Change


class ConversionReversed(DomainEvent):
    """The sale was taken back, whole or in part; the commission follows in proportion at its original rate."""

    NAME: ClassVar[str] = "conversion.reversed"
    facts: ConversionFacts
    amount: Money = Field(description="The part of the sale that is taken back by this step")
    commission: Money = Field(description="The part of the commission that goes with it")
    whole: bool = Field(description="Nothing of the sale is left: the status is now `reversed`")
    reason: str
    change: Change


class ConversionReportConflicted(DomainEvent):
    """The same sale was reported again with another amount; the first report stands."""

    NAME: ClassVar[str] = "conversion.report_conflicted"
    website_id: UUID
    report_id: UUID
    report: LogPlace | None = Field(default=None, description="The report; none: it waited for an exchange rate")
    amount: Money
    reported_by: str
