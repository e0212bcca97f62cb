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
    bot_reason: str = Field(default="", description="Why the click is left out of figures; empty: it is not")
    model: str = Field(default="", description="Attribution model that chose it; empty: before models were recorded")


class ConversionFacts(Frozen):
    """What a conversion is about. Only `conversion.attributed` and `conversion.restated` change it."""

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


class Reported(Frozen):
    """What one report says of a conversion. A conversion is the merge of its reports, whatever their order."""

    report_id: UUID
    key_kind: str = Field(
        default="", pattern="^(|site|secret|postback|import)$", description="Key that sent it; empty: not recorded then"
    )
    reported_by: str = Field(pattern="^(sale|lead|postback|import)$")
    received_at: datetime
    place: LogPlace | None = Field(default=None, description="The report; none: it waited for an exchange rate")
    kind: str = Field(pattern="^(lead|sale)$")
    amount: Money | None = Field(default=None, description="None: the report names no amount")
    payout: Money | None = None
    status: str = ""
    occurred_at: datetime
    time_named: bool = Field(default=False, description="False: `occurred_at` is the time of receipt")
    click_id: str = ""
    coupon: str = ""
    visitor: int = 0
    partner_id: UUID | None = Field(default=None, description="Named by a postback; a hint, not a proof")
    customer: str = ""
    address_class: str = Field(default="", description="Class of the sender's address, e.g. datacentre; empty: none")


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
    reported: Reported | None = Field(default=None, description="None: recorded before reports were merged")
    seen: tuple[LogPlace, ...] = Field(
        default=(), description="Up to where (exclusive) the clicks of each partition were known to this decision"
    )
    provisional: bool = Field(default=False, description="Clicks received before the report were not all known yet")
    change: Change


class ConversionAttributed(DomainEvent):
    """The click of a waiting conversion came; from now on it counts."""

    NAME: ClassVar[str] = "conversion.attributed"
    facts: ConversionFacts
    commission: Money
    exchange_rate: str | None = None
    tier: TierUsed | None = Field(default=None, description="None: no tiers, or the report named the payout")
    key_kind: str = Field(default="", description="`site`: nothing but claims, never approved automatically")
    seen: tuple[LogPlace, ...] = ()
    provisional: bool = False
    reversed_amount: int = Field(
        default=0, ge=0, description="Minor units of the sale that were taken back before its click was known"
    )
    change: Change


class ConversionApproved(DomainEvent):
    """The commission is earned."""

    NAME: ClassVar[str] = "conversion.approved"
    facts: ConversionFacts
    automatic: bool = Field(default=False, description="It was pending for as long as the terms allow")
    key_kind: str = Field(default="", description="`site`: nothing but claims")
    change: Change


class ConversionRejected(DomainEvent):
    """The conversion earns nothing."""

    NAME: ClassVar[str] = "conversion.rejected"
    facts: ConversionFacts
    reason: str
    key_kind: str = Field(default="", description="`site`: nothing but claims")
    change: Change


class ConversionReversed(DomainEvent):
    """The sale was taken back, whole or in part; the commission follows in proportion at its original rate."""

    NAME: ClassVar[str] = "conversion.reversed"
    facts: ConversionFacts
    amount: Money = Field(description="The part of the sale that is taken back by this step")
    commission: Money = Field(description="The part of the commission that goes with it")
    whole: bool = Field(description="Nothing of the sale is left: the status is now `reversed`")
    reason: str
    key_kind: str = Field(default="", description="`site`: nothing but claims")
    change: Change


class ConversionReopened(DomainEvent):
    """A decided conversion is pending again: another report overrides the decision, or its figures change."""

    NAME: ClassVar[str] = "conversion.reopened"
    facts: ConversionFacts
    reason: str
    restored: Money | None = Field(default=None, description="The part of the sale that counts again")
    approves_at: datetime | None = Field(default=None, description="When it is approved automatically; none: never")
    key_kind: str = Field(default="", description="`site`: nothing but claims")
    change: Change


class ConversionWithdrawn(DomainEvent):
    """The conversion leaves every count: `conversion.restated`, stored with it, counts it anew."""

    NAME: ClassVar[str] = "conversion.withdrawn"
    facts: ConversionFacts
    value: Money = Field(description="The part of the sale that was counted until now")
    key_kind: str = Field(default="", description="`site`: nothing but claims")
    change: Change


class ConversionRestated(DomainEvent):
    """Figures or click of a conversion are replaced. It names both, and counts anew what was withdrawn before it."""

    NAME: ClassVar[str] = "conversion.restated"
    cause: str = Field(pattern="^(report|click|details|adjustment)$", description="What brought it about")
    before: ConversionFacts
    facts: ConversionFacts
    payout: Money | None = None
    customer: str = ""
    commission: Money | None = Field(default=None, description="Of the whole sale; none while unattributed")
    exchange_rate: str | None = None
    tier: TierUsed | None = None
    reversed_amount: int = Field(default=0, description="Minor units of the sale that stay taken back")
    reversed_commission: int = 0
    approves_at: datetime | None = Field(default=None, description="When it is approved automatically; none: never")
    payable_at: datetime | None = Field(default=None, description="From when on it may be paid out; none: not earned")
    seen: tuple[LogPlace, ...] = ()
    provisional: bool = False
    key_kind: str = Field(default="", description="`site`: nothing but claims")
    change: Change


class ConversionReportMerged(DomainEvent):
    """A further report of the conversion added to what is known of it."""

    NAME: ClassVar[str] = "conversion.report_merged"
    website_id: UUID
    reported: Reported
    key_kind: str = Field(description="Kind of the most trusted key that reported the conversion by now")
    conflicts: int = Field(default=0, description="Other amounts than the one that stands, by now")
    approves_at: datetime | None = Field(default=None, description="When it is approved automatically; none: never")


class ConversionReportConflicted(DomainEvent):
    """A report names something else than what stands. What stands is the most trusted report's, then the first's."""

    NAME: ClassVar[str] = "conversion.report_conflicted"
    website_id: UUID
    report_id: UUID
    report: LogPlace | None = Field(default=None, description="The report; none: it waited for an exchange rate")
    amount: Money | None = Field(default=None, description="What the report says the amount is")
    reported_by: str
    fields: tuple[str, ...] = Field(default=("amount",), description="Fields that contradict what stands")
    reported: Reported | None = Field(default=None, description="None: before reports were merged")
    key_kind: str = Field(default="", description="Kind of the most trusted key that reported the conversion by now")
    conflicts: int | None = Field(default=None, description="Other amounts by now; none: one more")
    approves_at: datetime | None = Field(default=None, description="When it is approved automatically; none: never")


class ConversionAdjustmentProposed(DomainEvent):
    """A click that came after the approval would have earned the conversion. Nothing changes until somebody accepts."""

    NAME: ClassVar[str] = "conversion.adjustment_proposed"
    website_id: UUID
    proposed: Attribution | None = Field(default=None, description="None: no click would earn it any more")
    commission: Money | None = Field(default=None, description="What it would earn")


class ConversionAdjustmentDismissed(DomainEvent):
    """Somebody decided that the conversion stays as it was approved."""

    NAME: ClassVar[str] = "conversion.adjustment_dismissed"
    website_id: UUID


ConversionStep = (
    ConversionRecorded
    | ConversionAttributed
    | ConversionApproved
    | ConversionRejected
    | ConversionReversed
    | ConversionReopened
    | ConversionWithdrawn
    | ConversionRestated
)
"""Every event that changes what a conversion counts: each carries `facts` and `change`."""
