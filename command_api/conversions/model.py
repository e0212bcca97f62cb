"""Conversions: leads and sales that were reported, what became of them and what they earn. Pure.

A conversion counts only once it is attributed to a click. Every event carries its signed differences (`Change`); their
sum is always what the state says, in whatever order steps are taken.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from command_api.conversions.money import CURRENCY_UNKNOWN, Rates, commission_of, share
from command_api.conversions.tiers import NOTHING, Standing, paying, tier_of
from command_api.decision import AnotherKind, Asked, Refused, begun, conflict, invalid, missing, step
from command_api.websites.model import Website
from schemas.base import DomainEvent, Money
from schemas.events.conversions import (
    Attribution,
    Change,
    ConversionApproved,
    ConversionAttributed,
    ConversionFacts,
    ConversionRecorded,
    ConversionRejected,
    ConversionReportConflicted,
    ConversionReversed,
    ConversionStatus,
    LogPlace,
    TierUsed,
)
from schemas.events.partners import Terms

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
    conflicts: frozenset[UUID] = field(default_factory=frozenset)

    @property
    def is_attributed(self) -> bool:
        return self.facts.attribution is not None

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
        if self.status is not PENDING or found is None or self.counts_since is None:
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
        change=_nothing(currency)
        if commission is None
        else Change(currency=currency, pending=1, commission_pending=commission.amount),
    )


def attribute(
    conversion: Conversion, attribution: Attribution, *, rates: Rates, asked: Asked, standing: Standing = NOTHING
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
    return [ConversionApproved(**head, facts=conversion.facts, automatic=automatic, change=change)]


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
    return [ConversionRejected(**head, facts=conversion.facts, reason=checked_reason(reason), change=change)]


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
            change=change,
        )
    ]


def report_again(
    conversion: Conversion,
    *,
    report_id: UUID,
    amount: Money | None,
    reported_by: str,
    asked: Asked,
    report: LogPlace | None = None,
) -> list[DomainEvent]:
    """The same sale was reported again: nothing, or a conflict (once per report) when it names another amount."""
    if amount is None or amount == conversion.facts.amount or report_id in conversion.conflicts:
        return []
    return [
        ConversionReportConflicted(
            **_next(conversion, asked),
            website_id=conversion.facts.website_id,
            report_id=report_id,
            report=report,
            amount=amount,
            reported_by=reported_by,
        )
    ]


def report_status(conversion: Conversion, status: str, reason: str, asked: Asked) -> list[DomainEvent]:
    """What a partner says became of the sale; what is decided already stays."""
    if not conversion.is_open:
        return []
    if status == "approved":
        return approve(conversion, asked)
    if status == "rejected":
        return reject(conversion, reason, asked)
    if status == "reversed":
        return reverse(conversion, reason, None, asked)
    return []


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
            approved = replace(conversion, status=APPROVED, decided_at=event.timestamp, reason=None)
            return replace(approved, approved_at=event.timestamp if conversion.is_attributed else None)
        case ConversionRejected():
            return replace(conversion, status=REJECTED, decided_at=event.timestamp, reason=event.reason)
        case ConversionReversed():
            return replace(
                conversion,
                status=REVERSED if event.whole else conversion.status,
                reversed_amount=conversion.reversed_amount + event.amount.amount,
                reversed_commission=conversion.reversed_commission + event.commission.amount,
                decided_at=event.timestamp,
                reason=event.reason,
            )
        case ConversionReportConflicted():
            return replace(conversion, conflicts=conversion.conflicts | {event.report_id})
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to conversions")


def _next(conversion: Conversion, asked: Asked) -> dict[str, Any]:
    """The head of the next event. A clock that was set back must not book what is lost before it was earned."""
    head = step(conversion.id, conversion.version, asked)
    return {**head, "timestamp": max(asked.at, conversion.changed_at)}


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


def _nothing(currency: str) -> Change:
    return Change(currency=currency)


def _closed(conversion: Conversion) -> Refused:
    return conflict(f"already_{conversion.status.value}", f"This conversion is {conversion.status.value} already.")
