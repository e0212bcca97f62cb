"""Conversions: leads and sales that were reported, what became of them and what they earn. Pure.

A conversion is the merge of its reports (`merging`). It counts only once it is attributed to a click. Every event
carries its signed differences (`Change`); their sum is always what the state says (`contribution`), in whatever order
steps are taken. Reports of the public site key alone are a claim: pending, and never approved by a timer.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from command_api.conversions.merging import CLAIM, Merged, conflicting_amounts, contradictions, merge
from command_api.conversions.money import CURRENCY_UNKNOWN, Rates, commission_of, share
from command_api.conversions.tiers import NOTHING, Standing, paying, tier_of
from command_api.decision import AnotherKind, Asked, Refused, begun, conflict, invalid, missing, step
from command_api.websites.model import Website
from schemas.base import DomainEvent, Money
from schemas.events.conversions import (
    Attribution,
    Change,
    ConversionAdjustmentDismissed,
    ConversionAdjustmentProposed,
    ConversionApproved,
    ConversionAttributed,
    ConversionFacts,
    ConversionRecorded,
    ConversionRejected,
    ConversionReopened,
    ConversionReportConflicted,
    ConversionReportMerged,
    ConversionRestated,
    ConversionReversed,
    ConversionStatus,
    ConversionWithdrawn,
    LogPlace,
    Reported,
    TierUsed,
)
from schemas.events.partners import Terms

MAX_REPORTS: Final = 100
"""Reports of one conversion that are kept. Further ones count only if they win a field."""

PENDING, APPROVED = ConversionStatus.PENDING, ConversionStatus.APPROVED
REJECTED, REVERSED = ConversionStatus.REJECTED, ConversionStatus.REVERSED


@dataclass(frozen=True, slots=True)
class Conversion:
    id: UUID
    version: int
    facts: ConversionFacts
    status: ConversionStatus
    currency: str
    """The website's, in which the commission is counted."""
    payout: Money | None
    commission: int
    """As first worked out; reversals are beside it."""
    reversed_amount: int
    reversed_commission: int
    recorded_at: datetime
    changed_at: datetime
    """When its last event happened: none is earlier than the one before, whatever a clock says."""
    decided_at: datetime | None = None
    reason: str | None = None
    tier: TierUsed | None = None
    counts_since: datetime | None = None
    """When it was attributed."""
    approved_at: datetime | None = None
    """When its commission was earned: approved, and attributed."""
    reports: tuple[Reported, ...] = ()
    """Those that say something of their own; see `merging`."""
    key_kind: str = ""
    """Of the most trusted report."""
    is_older: bool = False
    """Recorded before reports were merged: what led to its click is not known any more, so its click stays."""
    was_claim: bool = False
    """It was a claim when it was decided: the decision holds against the claim alone."""
    decided_by_person: bool = False
    proposed: ConversionAdjustmentProposed | None = None
    """A click that came after the approval and would have earned it, until somebody decides."""
    dismissed: frozenset[str] = field(default_factory=frozenset)
    """Proposals that were declined, by `proposal_key`."""

    @property
    def is_attributed(self) -> bool:
        return self.facts.attribution is not None

    @property
    def is_claim(self) -> bool:
        return self.key_kind == CLAIM

    @property
    def merged(self) -> Merged:
        return merge(self.reports)

    @property
    def net_commission(self) -> int:
        """What is still earned, or may be: nothing once rejected."""
        return 0 if self.status is REJECTED else self.commission - self.reversed_commission

    @property
    def is_open(self) -> bool:
        return self.status in (PENDING, APPROVED)

    @property
    def payable_at(self) -> datetime | None:
        """From when on what was earned may be paid out: approved, and past the hold, which runs from the sale."""
        found = self.facts.attribution
        if self.status is not APPROVED or found is None or self.approved_at is None:
            return None
        return max(self.approved_at, self.facts.occurred_at + timedelta(days=found.terms.hold_days))

    @property
    def approves_at(self) -> datetime | None:
        """When it is approved by itself, if nobody decides: days after it began to count. None: never."""
        found = self.facts.attribution
        if self.status is not PENDING or found is None or self.counts_since is None or self.is_claim:
            return None
        days = found.terms.auto_approve_days
        return None if days is None else self.counts_since + timedelta(days=days)


def record(
    conversion_id: UUID,
    facts: ConversionFacts,
    *,
    received_at: datetime,
    reported_by: str,
    payout: Money | None,
    customer: str,
    currency: str,
    rates: Rates,
    asked: Asked,
    standing: Standing = NOTHING,
    report: LogPlace | None = None,
    reported: Reported | None = None,
    seen: tuple[LogPlace, ...] = (),
    provisional: bool = False,
) -> ConversionRecorded:
    """The first report of a sale. Raises `Refused` `currency_unknown`, also while no click is known."""
    commission: Money | None = None
    rate: str | None = None
    tier: TierUsed | None = None
    if facts.attribution is not None:
        commission, rate, tier = _earned(facts, facts.attribution.terms, payout, currency, rates, standing)
    elif facts.amount.currency != currency and facts.amount.currency not in rates and payout is None:
        message = f"There is no exchange rate from {facts.amount.currency} to {currency} for that day."
        raise invalid(CURRENCY_UNKNOWN, message)
    return ConversionRecorded(
        **step(conversion_id, 0, asked),
        facts=facts,
        received_at=received_at,
        reported_by=reported_by,
        report=report,
        payout=payout,
        customer=customer,
        commission=commission,
        exchange_rate=rate,
        tier=tier,
        reported=reported,
        seen=seen,
        provisional=provisional,
        change=_nothing(currency)
        if commission is None
        else Change(currency=currency, pending=1, commission_pending=commission.amount),
    )


def attribute(
    conversion: Conversion,
    attribution: Attribution,
    *,
    rates: Rates,
    asked: Asked,
    standing: Standing = NOTHING,
    seen: tuple[LogPlace, ...] = (),
    provisional: bool = False,
) -> list[DomainEvent]:
    """The click came: from now on the conversion counts, in the status that it has by now."""
    if conversion.is_attributed or not conversion.is_open:
        return []
    facts = conversion.facts.model_copy(update={"attribution": attribution})
    commission, rate, tier = _earned(facts, attribution.terms, conversion.payout, conversion.currency, rates, standing)
    gone = (
        share(commission.amount, conversion.reversed_amount, facts.amount.amount) if conversion.reversed_amount else 0
    )
    status = conversion.status.value
    counted = {status: 1, f"commission_{status}": commission.amount - gone, "commission_reversed": gone}
    return [
        ConversionAttributed(
            **_next(conversion, asked),
            facts=facts,
            commission=commission,
            exchange_rate=rate,
            tier=tier,
            key_kind=conversion.key_kind,
            seen=seen,
            provisional=provisional,
            reversed_amount=conversion.reversed_amount,
            change=Change.model_validate({"currency": conversion.currency, **counted}),
        )
    ]


def approve(conversion: Conversion, asked: Asked, *, automatic: bool = False) -> list[DomainEvent]:
    if conversion.status is APPROVED:
        return []
    if not conversion.is_open:
        raise _closed(conversion)
    left = conversion.net_commission
    change = _nothing(conversion.currency)
    if conversion.is_attributed:
        change = Change(
            currency=conversion.currency,
            pending=-1,
            approved=1,
            commission_pending=-left,
            commission_approved=left,
        )
    head = _next(conversion, asked)
    return [
        ConversionApproved(
            **head, facts=conversion.facts, automatic=automatic, key_kind=conversion.key_kind, change=change
        )
    ]


def approve_in_time(conversion: Conversion, present: Terms, asked: Asked) -> list[DomainEvent]:
    """Approves what has been pending for the days of its own terms, unless the partner's present terms say never."""
    due = conversion.approves_at
    if due is None or due > asked.at or present.auto_approve_days is None:
        return []
    return approve(conversion, asked, automatic=True)


def reject(conversion: Conversion, reason: str, asked: Asked) -> list[DomainEvent]:
    if conversion.status is REJECTED:
        return []
    if not conversion.is_open:
        raise _closed(conversion)
    head = _next(conversion, asked)
    change = _leaving(conversion, "rejected", conversion.net_commission, 0)
    return [
        ConversionRejected(
            **head,
            facts=conversion.facts,
            reason=checked_reason(reason),
            key_kind=conversion.key_kind,
            change=change,
        )
    ]


def reverse(conversion: Conversion, reason: str, amount: int | None, asked: Asked) -> list[DomainEvent]:
    """Takes back `amount` minor units of the sale, or all that is left of it; the commission follows in proportion."""
    if not conversion.is_open:
        raise _closed(conversion)
    sale = conversion.facts.amount
    left = sale.amount - conversion.reversed_amount
    if amount is not None and not left:
        raise invalid("bad_amount", "There is no amount to take a part of: leave it out to take back all.", "amount")
    if amount is not None and not 1 <= amount <= left:
        raise invalid("bad_amount", f"Between 1 and {left} minor units of this sale can be taken back.", "amount")
    part = left if amount is None else amount
    whole = part == left
    until_now = conversion.reversed_commission
    total = share(conversion.commission, conversion.reversed_amount + part, sale.amount)
    back = total - until_now
    if whole:
        change = _leaving(conversion, "reversed", back, back)
    elif conversion.is_attributed:
        column = f"commission_{conversion.status.value}"
        change = Change.model_validate({"currency": conversion.currency, column: -back, "commission_reversed": back})
    else:
        change = _nothing(conversion.currency)
    return [
        ConversionReversed(
            **_next(conversion, asked),
            facts=conversion.facts,
            amount=Money(amount=part, currency=sale.currency),
            commission=Money(amount=back, currency=conversion.currency),
            whole=whole,
            reason=checked_reason(reason),
            key_kind=conversion.key_kind,
            change=change,
        )
    ]


def merge_report(conversion: Conversion, reported: Reported, asked: Asked) -> list[DomainEvent]:
    """Adds a further report to what is known; nothing when it says nothing of its own. The figures that follow from it
    are `restate`'s. Old conversions take further reports too."""
    if any(known.report_id == reported.report_id for known in conversion.reports):
        return []
    reports = (*conversion.reports, reported)
    merged = merge(reports)
    contradicted = contradictions(reported, merged)
    if reported.report_id not in merged.winners:
        if not contradicted or len(conversion.reports) >= MAX_REPORTS:
            return []
        if any(_says_the_same(known, reported) for known in conversion.reports):
            return []
    head = _next(conversion, asked)
    was = replace(conversion, reports=reports, key_kind=merged.key_kind)
    told: dict[str, Any] = {
        "website_id": conversion.facts.website_id,
        "reported": reported,
        "key_kind": merged.key_kind,
        "conflicts": conflicting_amounts(reports, merged),
        "approves_at": replace(was, counts_since=_since(conversion, was, head["timestamp"])).approves_at,
    }
    if not contradicted:
        return [ConversionReportMerged(**head, **told)]
    return [
        ConversionReportConflicted(
            **head,
            report_id=reported.report_id,
            report=reported.place,
            amount=reported.amount,
            reported_by=reported.reported_by,
            fields=contradicted,
            **told,
        )
    ]


def restate(
    conversion: Conversion,
    facts: ConversionFacts,
    *,
    payout: Money | None,
    customer: str,
    rates: Rates,
    cause: str,
    asked: Asked,
    standing: Standing = NOTHING,
    seen: tuple[LogPlace, ...] = (),
    provisional: bool = False,
) -> list[DomainEvent]:
    """Replaces figures and click in whatever status it has: out of every count as it was, into them as it is.

    `standing`: of the month of `facts`, without this conversion. Raises `Refused` `currency_unknown`.
    """
    commission: Money | None = None
    rate: str | None = None
    tier: TierUsed | None = None
    if facts.attribution is not None:
        commission, rate, tier = _earned(facts, facts.attribution.terms, payout, conversion.currency, rates, standing)
    events: list[DomainEvent] = []
    if conversion.is_attributed:
        left = max(0, conversion.facts.amount.amount - conversion.reversed_amount)
        events.append(
            ConversionWithdrawn(
                **_next(conversion, asked),
                facts=conversion.facts,
                value=Money(amount=left, currency=conversion.facts.amount.currency),
                key_kind=conversion.key_kind,
                change=_negated(contribution(conversion)),
            )
        )
    taken = min(conversion.reversed_amount, facts.amount.amount)
    if conversion.status is REVERSED:
        taken = facts.amount.amount
    earned = commission.amount if commission else 0
    back = earned if conversion.status is REVERSED else share(earned, taken, facts.amount.amount) if taken else 0
    head = _next(evolve(conversion, events[0]) if events else conversion, asked)
    approved_at = conversion.approved_at or (head["timestamp"] if conversion.status is APPROVED else None)
    after = replace(
        conversion,
        facts=facts,
        commission=earned,
        reversed_amount=taken,
        reversed_commission=back,
        counts_since=conversion.counts_since or head["timestamp"],
        approved_at=approved_at if facts.attribution else None,
    )
    events.append(
        ConversionRestated(
            **head,
            cause=cause,
            before=conversion.facts,
            facts=facts,
            payout=payout,
            customer=customer,
            commission=commission,
            exchange_rate=rate,
            tier=tier,
            reversed_amount=taken,
            reversed_commission=back,
            approves_at=after.approves_at,
            payable_at=after.payable_at,
            key_kind=conversion.key_kind,
            seen=seen,
            provisional=provisional,
            change=contribution(after),
        )
    )
    return events


def contribution(conversion: Conversion) -> Change:
    """What the conversion adds to the counts now: the sum of the changes of all its events."""
    if not conversion.is_attributed:
        return _nothing(conversion.currency)
    left = conversion.commission - conversion.reversed_commission
    counted = {conversion.status.value: 1, "commission_reversed": conversion.reversed_commission}
    if conversion.is_open:
        counted[f"commission_{conversion.status.value}"] = left
    return Change.model_validate({"currency": conversion.currency, **counted})


def reopen(conversion: Conversion, reason: str, asked: Asked) -> list[DomainEvent]:
    """A decided conversion is pending again, with all that it was worth."""
    if conversion.status is PENDING:
        return []
    head = _next(conversion, asked)
    whole = conversion.status is REVERSED
    pending = replace(
        conversion,
        status=PENDING,
        reversed_amount=0 if whole else conversion.reversed_amount,
        reversed_commission=0 if whole else conversion.reversed_commission,
        counts_since=head["timestamp"] if conversion.is_attributed else None,
    )
    restored = Money(amount=conversion.reversed_amount, currency=conversion.facts.amount.currency)
    return [
        ConversionReopened(
            **head,
            facts=conversion.facts,
            reason=reason,
            restored=restored if whole else None,
            approves_at=pending.approves_at,
            key_kind=conversion.key_kind,
            change=_difference(contribution(pending), contribution(conversion)),
        )
    ]


def report_status(conversion: Conversion, status: str, reason: str, asked: Asked) -> list[DomainEvent]:
    """What a trusted report says became of the sale; empty: no report decides any more. A later report overrides an
    earlier one; what a person rejected or took back stays so, unless that was a claim which is borne out now."""
    if not status and not conversion.decided_by_person:
        return reopen(conversion, "no report decides it any more", asked)
    if status not in ("approved", "rejected", "reversed") or status == conversion.status.value:
        return []
    events: list[DomainEvent] = []
    if not conversion.is_open:
        if conversion.decided_by_person:
            return []
        events = reopen(conversion, f"{reason}: {status}", asked)
        conversion = evolve(conversion, events[0])
    if status == "approved":
        return events + approve(conversion, asked)
    if status == "rejected":
        return events + reject(conversion, reason, asked)
    return events + reverse(conversion, reason, None, asked)


def bear_out(conversion: Conversion, asked: Asked) -> list[DomainEvent]:
    """A claim that was rejected or taken back is pending again once a trusted report names the transaction."""
    if conversion.is_open or not conversion.was_claim or conversion.is_claim:
        return []
    return reopen(conversion, "reported with a secret", asked)


def propose_adjustment(
    conversion: Conversion, attribution: Attribution | None, commission: Money | None, asked: Asked
) -> list[DomainEvent]:
    """After the approval a click is not exchanged: somebody decides. Once for each click."""
    if conversion.status is not APPROVED or proposal_key(attribution) in conversion.dismissed:
        return []
    if conversion.proposed is not None and proposal_key(conversion.proposed.proposed) == proposal_key(attribution):
        return []
    return [
        ConversionAdjustmentProposed(
            **_next(conversion, asked),
            website_id=conversion.facts.website_id,
            proposed=attribution,
            commission=commission,
        )
    ]


def dismiss_adjustment(conversion: Conversion, asked: Asked) -> list[DomainEvent]:
    """The conversion stays as it was approved. Raises `Refused` (no_adjustment)."""
    if conversion.proposed is None:
        raise conflict("no_adjustment", "No adjustment is proposed for this conversion.")
    return [ConversionAdjustmentDismissed(**_next(conversion, asked), website_id=conversion.facts.website_id)]


def proposal_key(attribution: Attribution | None) -> str:
    """Names the click that a proposal is about."""
    if attribution is None:
        return "none"
    return f"{attribution.by}:{attribution.partner_id}:{attribution.click_id}:{attribution.clicked_at.isoformat()}"


def owned(conversion: Conversion | None, website: Website | None, asked: Asked) -> Conversion:
    """The conversion, if its website's owner (or an admin) asks. Raises `Refused` (missing)."""
    if conversion is None or website is None or not asked.may_act_for(website.account_id):
        raise missing("conversion")
    return conversion


def checked_reason(reason: str) -> str:
    reason = reason.strip()
    if not 1 <= len(reason) <= 500:
        raise invalid("bad_reason", "Please give a reason of at most 500 characters.", "reason")
    return reason


def evolve(conversion: Conversion | None, event: DomainEvent) -> Conversion:
    if isinstance(event, ConversionRecorded):
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
            reports=(event.reported or _first_report(event),),
            key_kind=event.reported.key_kind if event.reported else "",
            is_older=event.reported is None,
        )
    conversion = replace(begun(conversion, event), version=event.originator_version, changed_at=event.timestamp)
    match event:
        case ConversionAttributed():
            return replace(
                conversion,
                facts=event.facts,
                commission=event.commission.amount,
                reversed_commission=event.change.commission_reversed,
                tier=event.tier,
                counts_since=event.timestamp,
                approved_at=event.timestamp if conversion.status is APPROVED else None,
            )
        case ConversionApproved():
            approved = replace(_decided(conversion, event), status=APPROVED, reason=None)
            return replace(approved, approved_at=event.timestamp if conversion.is_attributed else None)
        case ConversionRejected():
            return replace(_decided(conversion, event), status=REJECTED, reason=event.reason, proposed=None)
        case ConversionReversed():
            return replace(
                _decided(conversion, event),
                status=REVERSED if event.whole else conversion.status,
                reversed_amount=conversion.reversed_amount + event.amount.amount,
                reversed_commission=conversion.reversed_commission + event.commission.amount,
                reason=event.reason,
                proposed=None if event.whole else conversion.proposed,
            )
        case ConversionReopened():
            whole = event.restored is not None
            return replace(
                conversion,
                status=PENDING,
                reversed_amount=0 if whole else conversion.reversed_amount,
                reversed_commission=0 if whole else conversion.reversed_commission,
                counts_since=event.timestamp if conversion.is_attributed else None,
                approved_at=None,
                reason=None,
                was_claim=False,
                decided_by_person=False,
            )
        case ConversionWithdrawn():
            return conversion
        case ConversionRestated():
            is_earned = conversion.status is APPROVED and event.facts.attribution is not None
            return replace(
                conversion,
                facts=event.facts,
                payout=event.payout,
                commission=event.commission.amount if event.commission else 0,
                reversed_amount=event.reversed_amount,
                reversed_commission=event.reversed_commission,
                tier=event.tier,
                counts_since=(conversion.counts_since or event.timestamp) if event.facts.attribution else None,
                approved_at=(conversion.approved_at or event.timestamp) if is_earned else None,
                proposed=None,
            )
        case ConversionReportMerged():
            return _with_report(conversion, event, event.reported, event.key_kind)
        case ConversionReportConflicted():
            if event.reported is None:
                return conversion
            return _with_report(conversion, event, event.reported, event.key_kind)
        case ConversionAdjustmentProposed():
            return replace(conversion, proposed=event)
        case ConversionAdjustmentDismissed():
            key = proposal_key(conversion.proposed.proposed) if conversion.proposed else "none"
            return replace(conversion, proposed=None, dismissed=conversion.dismissed | {key})
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to conversions")


def _decided(conversion: Conversion, event: DomainEvent) -> Conversion:
    return replace(
        conversion,
        decided_at=event.timestamp,
        was_claim=conversion.is_claim,
        decided_by_person=event.actor_id is not None,
    )


def _with_report(conversion: Conversion, event: DomainEvent, reported: Reported, key_kind: str) -> Conversion:
    after = replace(conversion, reports=(*conversion.reports, reported), key_kind=key_kind)
    return replace(after, counts_since=_since(conversion, after, event.timestamp))


def _since(before: Conversion, after: Conversion, now: datetime) -> datetime | None:
    """The clock of the automatic approval of a claim begins when a trusted report bears it out."""
    borne_out = before.is_claim and not after.is_claim
    return now if borne_out and before.counts_since is not None else before.counts_since


def _first_report(event: ConversionRecorded) -> Reported:
    """What is known of the report behind a conversion that was recorded before reports were kept."""
    facts, click = event.facts, event.facts.attribution
    return Reported(
        report_id=event.originator_id,
        reported_by=event.reported_by,
        received_at=event.received_at,
        place=event.report,
        kind=facts.kind,
        amount=facts.amount if facts.amount.amount else None,
        payout=event.payout,
        occurred_at=facts.occurred_at,
        time_named=True,
        click_id=click.click_id if click else "",
        visitor=click.visitor if click else 0,
        customer=event.customer,
    )


def _says_the_same(one: Reported, other: Reported) -> bool:
    own = {"report_id", "received_at", "place", "occurred_at", "time_named", "address_class"}
    return one.model_dump(exclude=own) == other.model_dump(exclude=own)


def _next(conversion: Conversion, asked: Asked) -> dict[str, Any]:
    """The head of the next event. A clock that was set back must not book what is lost before it was earned."""
    head = step(conversion.id, conversion.version, asked)
    return {**head, "timestamp": max(asked.at, conversion.changed_at)}


def commission_for(
    facts: ConversionFacts, payout: Money | None, currency: str, rates: Rates, standing: Standing
) -> Money:
    """What a conversion of these facts, which name a click, earns. Raises `Refused` `currency_unknown`."""
    if facts.attribution is None:
        raise ValueError("a conversion without a click earns nothing")
    return _earned(facts, facts.attribution.terms, payout, currency, rates, standing)[0]


def _earned(
    facts: ConversionFacts, terms: Terms, payout: Money | None, currency: str, rates: Rates, standing: Standing
) -> tuple[Money, str | None, TierUsed | None]:
    tier = tier_of(terms, standing, facts.occurred_at, currency, rates) if payout is None else None
    terms = paying(terms, tier)
    commission, rate = commission_of(facts.amount, payout, terms, currency, rates, kind=facts.kind)
    return commission, rate, tier


def _leaving(conversion: Conversion, to: str, commission: int, reversed_commission: int) -> Change:
    """The count moves to status `to`, and `commission` leaves the column of the status before."""
    if not conversion.is_attributed:
        return _nothing(conversion.currency)
    before = conversion.status.value
    return Change.model_validate(
        {
            "currency": conversion.currency,
            before: -1,
            to: 1,
            f"commission_{before}": -commission,
            "commission_reversed": reversed_commission,
        }
    )


def _negated(change: Change) -> Change:
    return _difference(_nothing(change.currency), change)


def _difference(after: Change, before: Change) -> Change:
    counts = after.model_dump(exclude={"currency"})
    other = before.model_dump(exclude={"currency"})
    return Change(currency=after.currency, **{name: value - other[name] for name, value in counts.items()})


def _nothing(currency: str) -> Change:
    return Change(currency=currency)


def _closed(conversion: Conversion) -> Refused:
    return conflict(f"already_{conversion.status.value}", f"This conversion is {conversion.status.value} already.")
