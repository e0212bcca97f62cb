"""Events of conversions: leads and sales that a partner or the site reported, and what they earn.

Each event carries the conversion's facts, so that a projection needs no memory of the ones before. What leads to the
person behind a conversion is `Sealed`; the visitor of its click is not: the log names the person by the same pseudonym,
and without it a rebuild could not keep a forgotten visitor's conversions and visits together. Money moves as signed
differences (`CounterDelta`), so that counters add up in any order.
"""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Money, Sealed, SealedTexts
from schemas.events.partners import Terms, TiersBy
from schemas.network_sales import NetworkSale


class ConversionStatus(StrEnum):
    """Where a conversion stands."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    REVERSED = "reversed"


class AttributedBy(StrEnum):
    """Which trace led from the conversion to its click. `manual`: none, a person chose the click or the link;
    `network`: none, the network's report names the partner."""

    CLICK_ID = "click_id"
    COUPON = "coupon"
    VISITOR = "visitor"
    MANUAL = "manual"
    NETWORK = "network"


class VisitDetails(Frozen):
    """The page that a click stood on, and what brought its visitor to the website; empty texts are not known."""

    hostname: str = ""
    path: str = Field(default="", description="The page that the click stood on")
    entry_page: str = ""
    referrer_host: str = ""
    channel: str = ""
    utm_source: str = ""
    utm_medium: str = ""
    utm_campaign: str = ""
    utm_content: str = ""
    utm_term: str = ""
    region: Sealed[str] = ""
    city: Sealed[str] = ""
    language: str = ""
    browser: str = ""
    os: str = ""
    placement: str = ""


class Attribution(Frozen):
    """The click (or coupon) that earned the conversion, with its data at that time."""

    by: AttributedBy
    partner_id: UUID
    link_id: UUID | None = None
    click_id: Sealed[str] = ""
    clicked_at: datetime
    terms: Terms = Field(description="The partner's terms at the time of the click")
    visitor: int = 0
    country: str = "ZZ"
    device: str = ""
    source: str = ""
    subs: Sealed[dict[str, str]] = Field(default_factory=dict)
    bot_reason: str = Field(default="", description="Why the click is excluded from metrics; empty: it is not")
    model: str = Field(default="", description="Attribution model that chose it; empty: before models were recorded")
    coupon: str = Field(default="", description="The coupon, where it led to the link")
    route: str = Field(default="", description="Rule or variant of the link that the click took; empty: none")
    visit: VisitDetails = Field(default=VisitDetails(), description="The visit that the click ended; empty: not known")


class ConversionFacts(Frozen):
    """What a conversion is about. Only `conversion.attributed` and `conversion.restated` change it."""

    website_id: UUID
    kind: str = Field(pattern="^(lead|sale)$")
    event: str = Field(description="Event name; with website and txid it makes the conversion's id")
    txid: str
    amount: Money = Field(description="The sale as reported; zero for a lead")
    occurred_at: datetime
    attribution: Attribution | None = Field(default=None, description="None: no click is known yet")


class CounterDelta(Frozen):
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
    rate_bp: int = Field(default=0, description="Basis points, for `percent`")
    flat_amount: int = Field(default=0, description="Minor units, for `flat` and `per_lead`")


class LogPosition(Frozen):
    """Position of a record in the log."""

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
    place: LogPosition | None = Field(default=None, description="The report; none: it waited for an exchange rate")
    kind: str = Field(pattern="^(lead|sale)$")
    amount: Money | None = Field(default=None, description="None: the report names no amount")
    payout: Money | None = None
    status: str = ""
    occurred_at: datetime
    time_named: bool = Field(default=False, description="False: `occurred_at` is the time of receipt")
    click_id: Sealed[str] = ""
    coupon: str = ""
    visitor: Sealed[int] = 0
    partner_id: UUID | None = Field(default=None, description="From a postback; a hint, not a proof")
    customer: Sealed[str] = ""
    address_class: str = Field(default="", description="Class of the sender's address, e.g. datacentre; empty: none")
    amount_refused: bool = Field(
        default=False, description="A claim above its website's limit: the amount is shown and never counts"
    )
    unread: SealedTexts = Field(default_factory=dict, description="Fields that could not be read, as they were sent")
    exact: dict[str, str] = Field(
        default_factory=dict, description="Amounts that are no whole minor units, as decimals of minor units"
    )
    network_sale: NetworkSale | None = Field(
        default=None, description="The network's own account of the sale; else none"
    )
    alias_id: UUID | None = Field(
        default=None, description="The id that the report alone would give the conversion; none: the conversion's own"
    )


class ConversionRecorded(DomainEvent):
    """A lead or sale was reported for the first time. Without a click it is pending attribution and counts nothing."""

    NAME: ClassVar[str] = "conversion.recorded"
    facts: ConversionFacts
    received_at: datetime
    reported_by: str = Field(pattern="^(sale|lead|postback|import)$")
    report: LogPosition | None = Field(default=None, description="The report; none: it waited for an exchange rate")
    payout: Money | None = Field(default=None, description="The partner's payout in the report; else by the terms")
    customer: Sealed[str] = Field(default="", description="Pseudonym of the buyer within the website")
    commission: Money | None = Field(default=None, description="In the website's currency; none while unattributed")
    exchange_rate: str | None = Field(default=None, description="Decimal rate used, when currencies differ")
    tier: TierUsed | None = Field(default=None, description="None: no tiers, or the report named the payout")
    reported: Reported | None = Field(default=None, description="None: recorded before reports were merged")
    seen: tuple[LogPosition, ...] = Field(
        default=(), description="Up to where (exclusive) the clicks of each partition were known to this decision"
    )
    provisional: bool = Field(default=False, description="Clicks received before the report were not all known yet")
    exact: dict[str, str] = Field(
        default_factory=dict, description="Reported amounts that are no whole minor units, as decimals of minor units"
    )
    change: CounterDelta


class ConversionAttributed(DomainEvent):
    """The click of a pending conversion was found; from now on it counts."""

    NAME: ClassVar[str] = "conversion.attributed"
    facts: ConversionFacts
    commission: Money
    exchange_rate: str | None = None
    tier: TierUsed | None = Field(default=None, description="None: no tiers, or the report named the payout")
    key_kind: str = Field(default="", description="`site`: nothing but claims, never approved automatically")
    seen: tuple[LogPosition, ...] = ()
    provisional: bool = False
    reversed_amount: int = Field(
        default=0, ge=0, description="Minor units of the sale that were reversed before its click was known"
    )
    exact: dict[str, str] = Field(
        default_factory=dict, description="Reported amounts that are no whole minor units, as decimals of minor units"
    )
    change: CounterDelta


class ConversionAssigned(DomainEvent):
    """A person chose what earns a conversion without a click; `conversion.attributed`, stored with it, counts it.

    The choice is final: no click that arrives later replaces it.
    """

    NAME: ClassVar[str] = "conversion.assigned"
    website_id: UUID
    link_id: UUID
    click_id: Sealed[str] = Field(
        default="", max_length=64, description="Empty: the link was chosen, not one of its clicks"
    )
    reason: str = Field(min_length=1, max_length=500)


class ConversionApproved(DomainEvent):
    """The commission is earned."""

    NAME: ClassVar[str] = "conversion.approved"
    facts: ConversionFacts
    automatic: bool = Field(default=False, description="The period of automatic approval ended")
    key_kind: str = Field(default="", description="`site`: nothing but claims")
    change: CounterDelta


class ConversionRejected(DomainEvent):
    """The conversion earns nothing."""

    NAME: ClassVar[str] = "conversion.rejected"
    facts: ConversionFacts
    reason: str
    key_kind: str = Field(default="", description="`site`: nothing but claims")
    change: CounterDelta


class ConversionReversed(DomainEvent):
    """The sale was reversed, in whole or in part; the commission follows in proportion at its original rate."""

    NAME: ClassVar[str] = "conversion.reversed"
    facts: ConversionFacts
    amount: Money = Field(description="The part of the sale that this step reverses")
    commission: Money = Field(description="The corresponding part of the commission")
    whole: bool = Field(description="Nothing of the sale is left: the status is now `reversed`")
    reason: str
    key_kind: str = Field(default="", description="`site`: nothing but claims")
    change: CounterDelta


class ConversionReopened(DomainEvent):
    """A decided conversion is pending again: another report overrides the decision, or its amounts change."""

    NAME: ClassVar[str] = "conversion.reopened"
    facts: ConversionFacts
    reason: str
    restored: Money | None = Field(default=None, description="The part of the sale that counts again")
    approves_at: datetime | None = Field(default=None, description="When it is approved automatically; none: never")
    key_kind: str = Field(default="", description="`site`: nothing but claims")
    change: CounterDelta


class ConversionWithdrawn(DomainEvent):
    """The conversion leaves every count: `conversion.restated`, stored with it, counts it again."""

    NAME: ClassVar[str] = "conversion.withdrawn"
    facts: ConversionFacts
    value: Money = Field(description="The part of the sale that was counted until now")
    key_kind: str = Field(default="", description="`site`: nothing but claims")
    change: CounterDelta


class ConversionRestated(DomainEvent):
    """Amounts or click of a conversion are replaced. It contains both, and counts again what was withdrawn before."""

    NAME: ClassVar[str] = "conversion.restated"
    cause: str = Field(pattern="^(report|click|details|adjustment)$", description="Cause")
    before: ConversionFacts
    facts: ConversionFacts
    payout: Money | None = None
    customer: Sealed[str] = ""
    commission: Money | None = Field(default=None, description="Of the whole sale; none while unattributed")
    exchange_rate: str | None = None
    tier: TierUsed | None = None
    reversed_amount: int = Field(default=0, description="Minor units of the sale that remain reversed")
    reversed_commission: int = 0
    approves_at: datetime | None = Field(default=None, description="When it is approved automatically; none: never")
    payable_at: datetime | None = Field(default=None, description="When it becomes payable; none: not earned")
    seen: tuple[LogPosition, ...] = ()
    provisional: bool = False
    key_kind: str = Field(default="", description="`site`: nothing but claims")
    exact: dict[str, str] = Field(
        default_factory=dict, description="Reported amounts that are no whole minor units, as decimals of minor units"
    )
    change: CounterDelta


class ConversionReportMerged(DomainEvent):
    """A further report of the conversion added information."""

    NAME: ClassVar[str] = "conversion.report_merged"
    website_id: UUID
    reported: Reported
    key_kind: str = Field(description="Kind of the most trusted key that reported the conversion by now")
    conflicts: int = Field(default=0, description="Number of other amounts, payouts, click ids and coupons so far")
    approves_at: datetime | None = Field(default=None, description="When it is approved automatically; none: never")
    unread: tuple[str, ...] = Field(default=(), description="Fields that no report gives in a form that can be read")
    is_void: bool = Field(default=False, description="No report has it any more: the import that had it was undone")


class ConversionReportConflicted(DomainEvent):
    """A report contradicts the current values, which come from the most trusted report, then the first."""

    NAME: ClassVar[str] = "conversion.report_conflicted"
    website_id: UUID
    report_id: UUID
    report: LogPosition | None = Field(default=None, description="The report; none: it waited for an exchange rate")
    amount: Money | None = Field(default=None, description="The amount in the report")
    reported_by: str
    fields: tuple[str, ...] = Field(default=("amount",), description="Fields that contradict the current values")
    reported: Reported | None = Field(default=None, description="None: before reports were merged")
    key_kind: str = Field(default="", description="Kind of the most trusted key that reported the conversion by now")
    conflicts: int | None = Field(
        default=None, description="Number of other amounts, payouts, click ids and coupons so far; none: one more"
    )
    approves_at: datetime | None = Field(default=None, description="When it is approved automatically; none: never")
    unread: tuple[str, ...] = Field(default=(), description="Fields that no report gives in a form that can be read")
    is_void: bool = Field(default=False, description="No report has it any more: the import that had it was undone")


class ConversionAdjustmentProposed(DomainEvent):
    """A click that arrived after the approval would be attributed. Nothing changes until a person accepts."""

    NAME: ClassVar[str] = "conversion.adjustment_proposed"
    website_id: UUID
    proposed: Attribution | None = Field(default=None, description="None: no click qualifies any more")
    commission: Money | None = Field(default=None, description="The commission with that click")


class ConversionAdjustmentDismissed(DomainEvent):
    """A person decided that the conversion remains as approved."""

    NAME: ClassVar[str] = "conversion.adjustment_dismissed"
    website_id: UUID


class ConversionForgotten(DomainEvent):
    """The person behind the conversion was erased: its amounts, its order and what earned it stay, and nothing that
    leads to the person does. From now on no click replaces what earned it."""

    NAME: ClassVar[str] = "conversion.forgotten"
    website_id: UUID
    erasure_id: UUID = Field(description="The aggregate of `visitor.forgotten`")


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


class ConversionDecisionScheduled(DomainEvent):
    """A person decided many conversions. It is final at `due_at`, unless it is undone before; nothing counts yet."""

    NAME: ClassVar[str] = "conversion_decision.scheduled"
    website_id: UUID
    decision: str = Field(pattern="^(approve|reject)$")
    reason: str = ""
    conversion_ids: tuple[UUID, ...] = Field(min_length=1, max_length=500)
    commission: Money = Field(description="What approving earns, or rejecting loses, as of now")
    by_admin: bool = Field(default=False, description="Decided with an admin's permissions")
    due_at: datetime


class ConversionDecisionUndone(DomainEvent):
    """The decision was undone before it was final: no conversion changed."""

    NAME: ClassVar[str] = "conversion_decision.undone"
    website_id: UUID


class DecisionFailure(Frozen):
    """A conversion that could not be decided any more, and why."""

    conversion_id: UUID
    code: str


class ConversionDecisionApplied(DomainEvent):
    """The decision is final: stored together with the events of the conversions."""

    NAME: ClassVar[str] = "conversion_decision.applied"
    website_id: UUID
    changed: int = Field(ge=0, description="Conversions that it changed")
    failures: tuple[DecisionFailure, ...] = ()


class PayoutAllocation(Frozen):
    """The part of a payout that a person matched to a month."""

    month: str = Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$", description="In which the commissions became payable")
    amount: int = Field(gt=0, description="Minor units of the website's currency")


class PayoutFacts(Frozen):
    """What a partner paid."""

    amount: Money = Field(description="As it was paid")
    credited: Money = Field(description="What it settles, in the website's currency")
    paid_on: date
    reference: str = ""
    allocations: tuple[PayoutAllocation, ...] = Field(default=(), description="Empty: the oldest open months first")


class PayoutFile(Frozen):
    """A file with a payout, for example the partner's advice. Its content is stored apart, encrypted."""

    id: UUID
    name: str
    media_type: str
    size: int = Field(ge=1)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class PayoutRecorded(DomainEvent):
    """A partner paid a website."""

    NAME: ClassVar[str] = "payout.recorded"
    website_id: UUID
    partner_id: UUID
    facts: PayoutFacts


class PayoutCorrected(DomainEvent):
    """A payout was recorded wrongly; from now on these facts count. The earlier ones stay in its history."""

    NAME: ClassVar[str] = "payout.corrected"
    website_id: UUID
    partner_id: UUID
    facts: PayoutFacts
    reason: str


class PayoutVoided(DomainEvent):
    """A payout did not take place; it counts no more."""

    NAME: ClassVar[str] = "payout.voided"
    website_id: UUID
    partner_id: UUID
    reason: str


class PayoutFileAttached(DomainEvent):
    """A file was added to a payout; it replaces the one before."""

    NAME: ClassVar[str] = "payout.file_attached"
    website_id: UUID
    file: PayoutFile


class PayoutFileRemoved(DomainEvent):
    """The file of a payout was deleted: its website was sold, and the file can name the seller and a bank account."""

    NAME: ClassVar[str] = "payout.file_removed"
    website_id: UUID


class ReconciliationAccepted(DomainEvent):
    """The owner of a website accepted the open differences of a partner's month. It holds for what was seen: with other
    figures the month is open again, without a further event."""

    NAME: ClassVar[str] = "reconciliation.accepted"
    website_id: UUID
    partner_id: UUID
    month: str = Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$", description="Of the sales, in the website's time zone")
    fingerprint: str = Field(pattern="^[0-9a-f]{64}$", description="Of the figures that were accepted")


class ReconciliationReopened(DomainEvent):
    """The owner no longer accepts the differences."""

    NAME: ClassVar[str] = "reconciliation.reopened"
    website_id: UUID
