"""Conversion aggregate: the state of a reported lead or sale, and what its events make of it. Pure.

A conversion is the merge of its reports (`infra.domain.report_merging`). It counts only once it is attributed to a
click. Every event carries its signed differences (`CounterDelta`); their sum always equals the state (`contribution`),
in any order. Reports of the public site key alone are a claim: pending, and never approved by a timer. Neither is a
sale whose transaction id was a placeholder: it is identified by what its report says, and may be a repetition of
another one.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from uuid import UUID

from command_api.conversions.money import reversal
from command_api.kernel.decision import CommandContext, not_found, require_existing
from command_api.websites.model import Website
from infra.domain.report_merging import CLAIM, Merged, ReportedTraces, first_report, merge
from schemas.base import ERASED, DomainEvent, Money
from schemas.events import conversions
from schemas.events.conversions import (
    AttributedBy,
    Attribution,
    ConversionFacts,
    ConversionStatus,
    CounterDelta,
    Reported,
)
from schemas.evolution import UnexpectedEvent

PENDING, APPROVED = ConversionStatus.PENDING, ConversionStatus.APPROVED
REJECTED, REVERSED = ConversionStatus.REJECTED, ConversionStatus.REVERSED


@dataclass(frozen=True)
class Conversion:
    """State of one conversion. Amounts are in minor units; sale and commission may differ in currency."""

    id: UUID
    version: int
    facts: ConversionFacts
    status: ConversionStatus
    currency: str
    """The website's, in which the commission is counted."""
    payout: Money | None
    commission: int
    """Before reversals."""
    reversed_amount: int
    reversed_commission: int
    recorded_at: datetime
    changed_at: datetime
    """Time of the last event; never decreases, even if a clock is set back."""
    decided_at: datetime | None = None
    reason: str | None = None
    tier: conversions.TierUsed | None = None
    counts_since: datetime | None = None
    """The time of its attribution."""
    approved_at: datetime | None = None
    """The time at which its commission was earned: approved, and attributed."""
    reports: tuple[Reported, ...] = ()
    """Reports that win a field or contradict; see `report_merging`."""
    key_kind: str = ""
    """The key kind of the most trusted report."""
    predates_reports: bool = False
    """Recorded before reports were merged: its traces are unknown, so its click stays."""
    was_claim: bool = False
    """It was a claim when it was decided: the decision is about the claim alone."""
    decided_by_person: bool = False
    proposed: conversions.ConversionAdjustmentProposed | None = None
    """A click that arrived after the approval and would earn it; awaits a decision."""
    reversed_by_hand: int = 0
    """The part of the sale that persons reversed; the rest of `reversed_amount` follows from the reports."""
    seen: tuple[conversions.LogPosition, ...] = ()
    """Up to where clicks were known to the last decision that names it."""
    dismissed: frozenset[str] = field(default_factory=frozenset)
    """Proposals that were declined, by `proposal_key`."""
    is_forgotten: bool = False
    """The person behind it was erased: what earned it stays, and nothing replaces it."""

    @property
    def is_attributed(self) -> bool:
        return self.facts.attribution is not None

    @property
    def is_assigned(self) -> bool:
        """Returns whether a person chose its click or link, or was forgotten: neither reports nor later clicks replace
        it."""
        attribution = self.facts.attribution
        return attribution is not None and (attribution.by is AttributedBy.MANUAL or self.is_forgotten)

    @property
    def is_claim(self) -> bool:
        return self.key_kind == CLAIM

    @property
    def has_identity(self) -> bool:
        """Returns whether no report named a transaction id that is none. One that names nothing is identified by its
        click."""
        return not any("txid" in report.unread for report in self.reports)

    @property
    def traces(self) -> tuple[ReportedTraces, ...]:
        """Returns the traces that lead to its click, the most trusted first; once it is assigned, the chosen click
        alone."""
        chosen = self.facts.attribution
        if chosen is None or not self.is_assigned:
            return self.merged.traces
        return (ReportedTraces(click_id=chosen.click_id),)

    @cached_property
    def merged(self) -> Merged:
        return merge(self.reports)

    @property
    def reversal(self) -> tuple[int, int]:
        """Returns the minor units of the sale and of the commission that are reversed, as persons and reports say by
        now."""
        return self.reversal_of(self.facts.amount.amount, self.commission)

    def reversal_of(self, sale: int, commission: int) -> tuple[int, int]:
        """Returns the reversal, as `reversal` does, of another amount and commission."""
        if self.status is REVERSED:
            return sale, commission
        return reversal(commission, sale, self.reversed_by_hand, self.merged.returned)

    @property
    def net_commission(self) -> int:
        """Returns what is still earned, or may be: nothing once rejected."""
        return 0 if self.status is REJECTED else self.commission - self.reversed_commission

    @property
    def is_open(self) -> bool:
        return self.status in (PENDING, APPROVED)

    @property
    def payable_at(self) -> datetime | None:
        """Returns when the commission becomes payable: approved, and past the hold, which runs from the sale. `None`:
        it is not approved."""
        attribution = self.facts.attribution
        if self.status is not APPROVED or attribution is None or self.approved_at is None:
            return None
        return max(self.approved_at, self.facts.occurred_at + timedelta(days=attribution.terms.hold_days))

    @property
    def approves_at(self) -> datetime | None:
        """Returns when it is approved automatically. `None`: never."""
        attribution = self.facts.attribution
        if self.status is not PENDING or attribution is None or self.counts_since is None:
            return None
        days = attribution.terms.auto_approve_days
        if days is None or self.is_claim or not self.has_identity:
            return None
        return self.counts_since + timedelta(days=days)


def contribution(conversion: Conversion) -> CounterDelta:
    """Returns what the conversion adds to the counts now: the sum of the changes of all its events."""
    if not conversion.is_attributed:
        return CounterDelta(currency=conversion.currency)
    left = conversion.commission - conversion.reversed_commission
    counted = {conversion.status.value: 1, "commission_reversed": conversion.reversed_commission}
    if conversion.is_open:
        counted[f"commission_{conversion.status.value}"] = left
    return CounterDelta.model_validate({"currency": conversion.currency, **counted})


def proposal_key(attribution: Attribution | None) -> str:
    """Names the click that a proposal is about."""
    if attribution is None:
        return "none"
    return f"{attribution.by}:{attribution.partner_id}:{attribution.click_id}:{attribution.clicked_at.isoformat()}"


def require_owned(conversion: Conversion | None, website: Website | None, context: CommandContext) -> Conversion:
    """The conversion, if its website's owner (or an admin) asks. Raises `CommandRejected` (missing)."""
    if conversion is None or website is None or not context.may_act_for(website.account_id):
        raise not_found("conversion")
    return conversion


def evolve(conversion: Conversion | None, event: DomainEvent) -> Conversion:
    if isinstance(event, conversions.ConversionRecorded):
        return _recorded(event)
    conversion = replace(
        require_existing(conversion, event), version=event.originator_version, changed_at=event.timestamp
    )
    match event:
        case conversions.ConversionAttributed():
            return _attributed(conversion, event)
        case conversions.ConversionApproved() | conversions.ConversionRejected() | conversions.ConversionReversed():
            return _decided(conversion, event)
        case conversions.ConversionReopened():
            pending = reopened(conversion, event.timestamp, whole=event.restored is not None)
            return replace(pending, approved_at=None, reason=None, was_claim=False, decided_by_person=False)
        case conversions.ConversionWithdrawn() | conversions.ConversionAssigned():
            return conversion
        case conversions.ConversionRestated():
            earned, gone = event.commission.amount if event.commission else 0, event.reversed_commission
            after = restated(conversion, event.timestamp, event.facts, earned, event.reversed_amount, gone)
            seen = event.seen or conversion.seen
            return replace(after, payout=event.payout, tier=event.tier, proposed=None, seen=seen)
        case conversions.ConversionReportMerged() | conversions.ConversionReportConflicted():
            return with_report(conversion, event.reported, event.key_kind, event.timestamp)
        case conversions.ConversionForgotten():
            return forgotten(conversion)
        case conversions.ConversionAdjustmentProposed() | conversions.ConversionAdjustmentDismissed():
            return _adjusted(conversion, event)
        case _:
            raise UnexpectedEvent(f"{event.NAME} does not happen to conversions")


def _adjusted(
    conversion: Conversion,
    event: conversions.ConversionAdjustmentProposed | conversions.ConversionAdjustmentDismissed,
) -> Conversion:
    if isinstance(event, conversions.ConversionAdjustmentProposed):
        return replace(conversion, proposed=event)
    key = proposal_key(conversion.proposed.proposed) if conversion.proposed else "none"
    return replace(conversion, proposed=None, dismissed=conversion.dismissed | {key})


def reopened(conversion: Conversion, at: datetime, *, whole: bool) -> Conversion:
    """Returns the conversion as pending again; `whole`: with the reversed part of the sale."""
    return replace(
        conversion,
        status=PENDING,
        reversed_amount=0 if whole else conversion.reversed_amount,
        reversed_by_hand=0 if whole else conversion.reversed_by_hand,
        reversed_commission=0 if whole else conversion.reversed_commission,
        counts_since=at if conversion.is_attributed else None,
    )


def restated(
    conversion: Conversion,
    at: datetime,
    facts: ConversionFacts,
    commission: int,
    reversed_amount: int,
    reversed_commission: int,
) -> Conversion:
    """Returns the conversion with other figures or another click, in the status that it has."""
    is_attributed, is_approved = facts.attribution is not None, conversion.status is APPROVED
    return replace(
        conversion,
        facts=facts,
        commission=commission,
        reversed_amount=reversed_amount,
        reversed_commission=reversed_commission,
        counts_since=(conversion.counts_since or at) if is_attributed else None,
        approved_at=(conversion.approved_at or at) if is_attributed and is_approved else None,
    )


def with_report(conversion: Conversion, reported: Reported | None, key_kind: str, at: datetime) -> Conversion:
    """Returns the conversion with a further report; none: it was not stored then. The clock of the automatic approval
    of a claim begins when a trusted report bears it out."""
    if reported is None:
        return conversion
    kept = conversion.reports
    if reported.network_sale is not None:  # it replaces the account before
        kept = tuple(report for report in kept if report.network_sale is None)
    after = replace(conversion, reports=(*kept, reported), key_kind=key_kind)
    borne_out = conversion.is_claim and not after.is_claim and conversion.counts_since is not None
    return replace(after, counts_since=at) if borne_out else after


def forgotten(conversion: Conversion) -> Conversion:
    """Returns the conversion without what leads to the person: amounts, order, link and terms stay, and which fields
    could not be read."""
    attribution = conversion.facts.attribution
    if attribution is not None:
        visit = attribution.visit.model_copy(update={"region": "", "city": ""})
        attribution = attribution.model_copy(update={"click_id": "", "visitor": 0, "subs": {}, "visit": visit})
    return replace(
        conversion,
        facts=conversion.facts.model_copy(update={"attribution": attribution}),
        reports=tuple(
            reported.model_copy(
                update={"click_id": "", "visitor": 0, "customer": "", "unread": dict.fromkeys(reported.unread, ERASED)}
            )
            for reported in conversion.reports
        ),
        proposed=None,
        dismissed=frozenset(),
        is_forgotten=True,
    )


def _recorded(event: conversions.ConversionRecorded) -> Conversion:
    return Conversion(
        id=event.originator_id,
        version=1,
        facts=event.facts,
        status=PENDING,
        currency=event.change.currency,
        payout=event.payout,
        commission=event.commission.amount if event.commission else 0,
        reversed_amount=0,
        reversed_commission=0,
        recorded_at=event.timestamp,
        changed_at=event.timestamp,
        tier=event.tier,
        counts_since=event.timestamp if event.facts.attribution else None,
        reports=(event.reported or first_report(event),),
        key_kind=event.reported.key_kind if event.reported else "",
        predates_reports=event.reported is None,
        seen=event.seen,
    )


def _attributed(conversion: Conversion, event: conversions.ConversionAttributed) -> Conversion:
    return replace(
        conversion,
        facts=event.facts,
        commission=event.commission.amount,
        reversed_commission=event.change.commission_reversed,
        tier=event.tier,
        counts_since=event.timestamp,
        approved_at=event.timestamp if conversion.status is APPROVED else None,
        seen=event.seen or conversion.seen,
    )


def _decided(
    conversion: Conversion,
    event: conversions.ConversionApproved | conversions.ConversionRejected | conversions.ConversionReversed,
) -> Conversion:
    is_part = isinstance(event, conversions.ConversionReversed) and not event.whole
    decided = replace(
        conversion,
        decided_at=event.timestamp,
        was_claim=conversion.is_claim,
        decided_by_person=event.actor_id is not None or (is_part and conversion.decided_by_person),
    )
    match event:
        case conversions.ConversionApproved():
            approved_at = event.timestamp if conversion.is_attributed else None
            return replace(decided, status=APPROVED, reason=None, approved_at=approved_at)
        case conversions.ConversionRejected():
            return replace(decided, status=REJECTED, reason=event.reason, proposed=None)
        case conversions.ConversionReversed():
            return replace(
                decided,
                status=REVERSED if event.whole else conversion.status,
                reversed_amount=conversion.reversed_amount + event.amount.amount,
                reversed_by_hand=_by_hand(conversion, conversion.reversed_amount + event.amount.amount),
                reversed_commission=conversion.reversed_commission + event.commission.amount,
                reason=event.reason,
                proposed=None if event.whole else conversion.proposed,
            )


def _by_hand(conversion: Conversion, reversed_amount: int) -> int:
    """Returns the part of the reversed amount that follows from no report."""
    reported = round(conversion.facts.amount.amount * conversion.merged.returned)
    return max(0, reversed_amount - reported)
