"""Decisions about a conversion: recorded, attributed, approved, rejected, reversed, restated, adjusted. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from command_api.conversions import model
from command_api.conversions.model import APPROVED, PENDING, REJECTED, REVERSED, Conversion, contribution, evolve
from command_api.conversions.money import CURRENCY_UNKNOWN, Rates, commission_of
from command_api.conversions.tiers import ZERO_TOTAL, MonthlyTotal, tier_of
from command_api.kernel.aggregates import first_event, next_event, state_after
from command_api.kernel.decision import CommandContext, conflict, invalid
from infra.domain.commissions import terms_of_tier
from infra.domain.report_merging import (
    Merged,
    contradictions,
    count_conflicts,
    is_part,
    merge,
    names_first,
    split_network_sale,
)
from schemas.base import DomainEvent, Money
from schemas.events import conversions
from schemas.events.conversions import Attribution, ConversionFacts, CounterDelta, LogPosition, Reported
from schemas.events.partners import Terms

IMPORT_UNDONE: Final = "The import that reported it was undone."
MAX_REPORTS: Final = 100
"""Reports of one conversion that are kept. Further ones count only if they win a field."""


@dataclass(frozen=True, slots=True)
class Basis:
    """The values, besides the facts, on which a commission depends. `monthly_total`: of the month of the facts, without
    this conversion. `seen`, `provisional`: as `conversion.recorded` has them."""

    rates: Rates = field(default_factory=dict)
    monthly_total: MonthlyTotal = ZERO_TOTAL
    seen: tuple[LogPosition, ...] = ()
    provisional: bool = False
    exact: Mapping[str, str] = field(default_factory=dict)
    """The exact values of amount and payout, where they are no whole minor units: `Merged.exact`."""


def record(
    conversion_id: UUID,
    facts: ConversionFacts,
    basis: Basis,
    *,
    received_at: datetime,
    reported_by: str,
    payout: Money | None,
    customer: str,
    currency: str,
    context: CommandContext,
    report: LogPosition | None = None,
    reported: Reported | None = None,
) -> conversions.ConversionRecorded:
    """Records the first report of a sale. Raises `CommandRejected` `currency_unknown`, also while no click is known."""
    commission, earned = commission_for(facts, payout, currency, basis)
    if commission is None and facts.amount.currency not in (currency, *basis.rates) and payout is None:
        message = f"There is no exchange rate from {facts.amount.currency} to {currency} for that day."
        raise invalid(CURRENCY_UNKNOWN, message)
    counted = {"pending": 1, "commission_pending": commission.amount} if commission is not None else {}
    return conversions.ConversionRecorded(
        **first_event(conversion_id, context),
        **earned,
        facts=facts,
        received_at=received_at,
        reported_by=reported_by,
        report=report,
        payout=payout,
        customer=customer,
        reported=reported,
        change=CounterDelta.model_validate({"currency": currency, **counted}),
    )


def attribute(
    conversion: Conversion, attribution: Attribution, basis: Basis, context: CommandContext
) -> list[DomainEvent]:
    """Attributes the conversion to a click that was found: from now on it counts, in the status that it has by now."""
    if conversion.is_attributed or not conversion.is_open:
        return []
    facts = conversion.facts.model_copy(update={"attribution": attribution})
    commission, earned = commission_for(facts, conversion.payout, conversion.currency, basis)
    whole = commission.amount if commission is not None else 0
    _, gone = conversion.reversal_of(facts.amount.amount, whole)
    after = replace(conversion, facts=facts, commission=whole, reversed_commission=gone)
    return [
        conversions.ConversionAttributed(
            **_next(after, context),
            **earned,
            reversed_amount=conversion.reversed_amount,
            change=contribution(after),
        )
    ]


def assign(
    conversion: Conversion, attribution: Attribution, basis: Basis, reason: str, context: CommandContext
) -> list[DomainEvent]:
    """Assigns the click or link that a person chose: the conversion counts as if that had been found. Raises
    `CommandRejected`."""
    require_assignable(conversion)
    assigned = conversions.ConversionAssigned(
        **_head(conversion, context),
        website_id=conversion.facts.website_id,
        link_id=attribution.link_id,
        click_id=attribution.click_id,
        reason=checked_reason(reason),
    )
    return [assigned, *attribute(evolve(conversion, assigned), attribution, basis, context)]


def require_assignable(conversion: Conversion) -> None:
    """Raises `CommandRejected` (already_attributed, already_rejected, already_reversed)."""
    if conversion.is_attributed:
        raise conflict("already_attributed", "This conversion already has a click.")
    _require_open(conversion)


def approve(conversion: Conversion, context: CommandContext, *, automatic: bool = False) -> list[DomainEvent]:
    if conversion.status is APPROVED:
        return []
    _require_open(conversion)
    change = _change(conversion, replace(conversion, status=APPROVED))
    return [conversions.ConversionApproved(**_next(conversion, context), automatic=automatic, change=change)]


def approve_automatically(conversion: Conversion, present: Terms, context: CommandContext) -> list[DomainEvent]:
    """Approves what has been pending for the days of its own terms, unless the partner's present terms say never."""
    due = conversion.approves_at
    if due is None or due > context.at or present.auto_approve_days is None:
        return []
    return approve(conversion, context, automatic=True)


def reject(conversion: Conversion, reason: str, context: CommandContext) -> list[DomainEvent]:
    if conversion.status is REJECTED:
        return []
    _require_open(conversion)
    change = _change(conversion, replace(conversion, status=REJECTED))
    head, reason = _next(conversion, context), checked_reason(reason)
    return [conversions.ConversionRejected(**head, reason=reason, change=change)]


def reverse(conversion: Conversion, reason: str, amount: int | None, context: CommandContext) -> list[DomainEvent]:
    """Reverses `amount` minor units of the sale, or all that is left of it; the commission follows in proportion."""
    _require_open(conversion)
    sale = conversion.facts.amount
    left = sale.amount - conversion.reversed_amount
    if amount is not None and not left:
        raise invalid("bad_amount", "This conversion has no amount. Leave the amount out to reverse it.", "amount")
    if amount is not None and not 1 <= amount <= left:
        raise invalid("bad_amount", f"Between 1 and {left} minor units of this sale can be reversed.", "amount")
    part = left if amount is None else amount
    by_hand, status = conversion.reversed_by_hand + part, REVERSED if part == left else conversion.status
    _, total = replace(conversion, reversed_by_hand=by_hand, status=status).reversal
    return [
        conversions.ConversionReversed(
            **_next(conversion, context),
            amount=Money(amount=part, currency=sale.currency),
            commission=Money(amount=total - conversion.reversed_commission, currency=conversion.currency),
            whole=part == left,
            reason=checked_reason(reason),
            change=_change(conversion, replace(conversion, status=status, reversed_commission=total)),
        )
    ]


def reverse_reported_part(conversion: Conversion, reason: str, context: CommandContext) -> list[DomainEvent]:
    """Reverses the part of an open sale that a report names; empty if no more than that is reversed already."""
    taken, back = conversion.reversal
    amount, commission = taken - conversion.reversed_amount, back - conversion.reversed_commission
    if not conversion.is_open or min(amount, commission) < 0 or not (amount or commission):
        return []
    return [
        conversions.ConversionReversed(
            **_next(conversion, context),
            amount=Money(amount=amount, currency=conversion.facts.amount.currency),
            commission=Money(amount=commission, currency=conversion.currency),
            whole=False,
            reason=reason,
            change=_change(conversion, replace(conversion, reversed_commission=back)),
        )
    ]


def merge_report(conversion: Conversion, reported: Reported, context: CommandContext) -> list[DomainEvent]:
    """Adds a further report to the conversion; empty when it adds no data. `restate` calculates the figures that follow
    from it. Old conversions accept further reports too."""
    if any(earlier.report_id == reported.report_id for earlier in conversion.reports):
        return []
    reports = (*conversion.reports, reported)
    if reported.network_sale is not None and split_network_sale(reports)[0] is not reported:
        return []  # the network has said otherwise since
    merged = merge(reports)
    contradicted = contradictions(reported, reports, merged)
    if reported.report_id not in merged.winners and not _tells_unread(reported, conversion, merged):
        beside = [each for each in conversion.reports if each.network_sale is None]  # the network's account may go
        adds = (
            contradicted
            or is_part(reported, reports)
            or names_first(reported, beside)
            or contradictions(reported, alone := [*beside, reported], merge(alone))
        )
        if not adds or len(conversion.reports) >= MAX_REPORTS:
            return []
        if any(_repeats(earlier, reported) for earlier in conversion.reports):
            return []
    head = _head(conversion, context)
    values: dict[str, Any] = {
        "website_id": conversion.facts.website_id,
        "reported": reported,
        "key_kind": merged.key_kind,
        "conflicts": count_conflicts(reports, merged),
        "approves_at": model.with_report(conversion, reported, merged.key_kind, head["timestamp"]).approves_at,
        "unread": merged.unread,
        "is_void": merged.is_void,
    }
    if not contradicted:
        return [conversions.ConversionReportMerged(**head, **values)]
    return [
        conversions.ConversionReportConflicted(
            **head,
            report_id=reported.report_id,
            report=reported.place,
            amount=reported.amount,
            reported_by=reported.reported_by,
            fields=contradicted,
            **values,
        )
    ]


def restate(
    conversion: Conversion,
    facts: ConversionFacts,
    basis: Basis,
    *,
    payout: Money | None,
    customer: str,
    cause: str,
    context: CommandContext,
) -> list[DomainEvent]:
    """Replaces figures and click in whatever status it has: out of every count as it was, into them as it is. Raises
    `CommandRejected` `currency_unknown`."""
    commission, earned = commission_for(facts, payout, conversion.currency, basis)
    events: list[DomainEvent] = []
    if conversion.is_attributed:
        left = max(0, conversion.facts.amount.amount - conversion.reversed_amount)
        events.append(
            conversions.ConversionWithdrawn(
                **_next(conversion, context),
                value=Money(amount=left, currency=conversion.facts.amount.currency),
                change=_difference(CounterDelta(currency=conversion.currency), contribution(conversion)),
            )
        )
    whole = commission.amount if commission else 0
    taken, back = conversion.reversal_of(facts.amount.amount, whole)
    head = _head(state_after(evolve, conversion, events), context)
    after = model.restated(conversion, head["timestamp"], facts, whole, taken, back)
    events.append(
        conversions.ConversionRestated(
            **head,
            **earned,
            cause=cause,
            before=conversion.facts,
            facts=facts,
            payout=payout,
            customer=customer,
            reversed_amount=taken,
            reversed_commission=back,
            key_kind=conversion.key_kind,
            approves_at=after.approves_at,
            payable_at=after.payable_at,
            change=contribution(after),
        )
    )
    return events


def reopen(conversion: Conversion, reason: str, context: CommandContext) -> list[DomainEvent]:
    """Makes a decided conversion pending again, with all that it was worth."""
    if conversion.status is PENDING:
        return []
    head, whole = _next(conversion, context), conversion.status is REVERSED
    pending = model.reopened(conversion, head["timestamp"], whole=whole)
    restored = Money(amount=conversion.reversed_amount, currency=conversion.facts.amount.currency)
    return [
        conversions.ConversionReopened(
            **head,
            reason=reason,
            restored=restored if whole else None,
            approves_at=pending.approves_at,
            change=_change(conversion, pending),
        )
    ]


def apply_reported_status(
    conversion: Conversion, status: str, reason: str, context: CommandContext
) -> list[DomainEvent]:
    """Applies the status of a trusted report; empty status: no report decides any more. A later report overrides
    an earlier one; a rejection or reversal by a person stays, unless that was a claim which is confirmed now."""
    if not status and not conversion.decided_by_person:
        return reopen(conversion, "no report decides it any more", context)
    if status not in ("approved", "rejected", "reversed") or status == conversion.status.value:
        return []
    events: list[DomainEvent] = []
    if not conversion.is_open:
        if conversion.decided_by_person:
            return []
        events = reopen(conversion, f"{reason}: {status}", context)
        conversion = evolve(conversion, events[0])
    if status == "approved":
        return events + approve(conversion, context)
    if status == "rejected":
        return events + reject(conversion, reason, context)
    return events + reverse(conversion, reason, None, context)


def end_void(conversion: Conversion, context: CommandContext) -> list[DomainEvent]:
    """Rejects a sale that no report names any more: the import that had it was undone."""
    if not conversion.merged.is_void or conversion.status is REJECTED:
        return []
    events = [] if conversion.is_open else reopen(conversion, IMPORT_UNDONE, context)
    return events + reject(state_after(evolve, conversion, events), IMPORT_UNDONE, context)


def confirm_claim(conversion: Conversion, context: CommandContext) -> list[DomainEvent]:
    """Makes a rejected or reversed claim pending again once a trusted report names the transaction."""
    if conversion.is_open or not conversion.was_claim or conversion.is_claim:
        return []
    return reopen(conversion, "reported with a secret", context)


def propose_adjustment(
    conversion: Conversion, attribution: Attribution | None, commission: Money | None, context: CommandContext
) -> list[DomainEvent]:
    """Proposes another click for an approved conversion; a person decides. Once for each click."""
    if conversion.status is not APPROVED or model.proposal_key(attribution) in conversion.dismissed:
        return []
    if conversion.proposed is not None and model.proposal_key(conversion.proposed.proposed) == model.proposal_key(
        attribution
    ):
        return []
    head, website_id = _head(conversion, context), conversion.facts.website_id
    return [
        conversions.ConversionAdjustmentProposed(
            **head, website_id=website_id, proposed=attribution, commission=commission
        )
    ]


def dismiss_adjustment(conversion: Conversion, context: CommandContext) -> list[DomainEvent]:
    """Dismisses the proposed adjustment: the conversion stays as it was approved. Raises `CommandRejected`
    (no_adjustment)."""
    require_proposed(conversion)
    head, website_id = _head(conversion, context), conversion.facts.website_id
    return [conversions.ConversionAdjustmentDismissed(**head, website_id=website_id)]


def require_proposed(conversion: Conversion) -> conversions.ConversionAdjustmentProposed:
    """The proposed adjustment. Raises `CommandRejected` (no_adjustment)."""
    if conversion.proposed is None:
        raise conflict("no_adjustment", "No adjustment is proposed for this conversion.")
    return conversion.proposed


def checked_reason(reason: str) -> str:
    reason = reason.strip()
    if not 1 <= len(reason) <= 500:
        raise invalid("bad_reason", "Please give a reason of at most 500 characters.", "reason")
    return reason


def commission_for(
    facts: ConversionFacts, payout: Money | None, currency: str, basis: Basis
) -> tuple[Money | None, dict[str, Any]]:
    """Returns the commission of a conversion of these facts, none without a click; and the fields of an event that say
    so. Raises `CommandRejected` `currency_unknown`."""
    commission = rate = tier = None
    if facts.attribution is not None:
        terms, rates = facts.attribution.terms, basis.rates
        tier = tier_of(terms, basis.monthly_total, facts.occurred_at, currency, rates) if payout is None else None
        paid = terms_of_tier(terms, tier)
        commission, rate = commission_of(
            facts.amount, payout, paid, currency, rates, kind=facts.kind, exact=basis.exact
        )
    inputs = {"seen": basis.seen, "provisional": basis.provisional, "exact": dict(basis.exact)}
    return commission, {"commission": commission, "exchange_rate": rate, "tier": tier, **inputs}


def _tells_unread(reported: Reported, conversion: Conversion, merged: Merged) -> bool:
    """Returns whether the report names a value that no report before has, though it could not be read."""
    earlier = {name for report in conversion.reports for name in report.unread}
    return len(conversion.reports) < MAX_REPORTS and any(
        name in merged.unread and name not in earlier for name in reported.unread
    )


def _repeats(one: Reported, other: Reported) -> bool:
    own = {"report_id", "received_at", "place", "occurred_at", "time_named", "address_class"}
    return one.model_dump(exclude=own) == other.model_dump(exclude=own)


def _head(conversion: Conversion, context: CommandContext) -> dict[str, Any]:
    """Returns the head of the next event. A clock that was set back must not book what is lost before it was earned."""
    return {**next_event(conversion, context), "timestamp": max(context.at, conversion.changed_at)}


def _next(conversion: Conversion, context: CommandContext) -> dict[str, Any]:
    """Returns the common fields of the next event, for one that changes a count."""
    return {**_head(conversion, context), "facts": conversion.facts, "key_kind": conversion.key_kind}


def _change(before: Conversion, after: Conversion) -> CounterDelta:
    return _difference(contribution(after), contribution(before))


def _difference(after: CounterDelta, before: CounterDelta) -> CounterDelta:
    counts = after.model_dump(exclude={"currency"})
    other = before.model_dump(exclude={"currency"})
    return CounterDelta(currency=after.currency, **{name: value - other[name] for name, value in counts.items()})


def _require_open(conversion: Conversion) -> None:
    if not conversion.is_open:
        status = conversion.status.value
        raise conflict(f"already_{status}", f"This conversion is already {status}.")
