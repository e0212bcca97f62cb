"""Decides one report of a conversion. Pure but for the `BatchLookup`, which only reads.

report -> merge with the reports before it (`command_api.conversions.merging`) -> amounts and click -> status. The same
reports give the same result in any order: amounts, click and status are functions of all reports.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Final

from command_api.conversions import decisions, model
from command_api.conversions.attribution.held import Place
from command_api.conversions.attribution.lookup import BatchLookup
from command_api.conversions.attribution.rules import click_of
from command_api.conversions.lookups import hour_of
from command_api.conversions.merging import CLAIM, Merged, merge
from command_api.conversions.money import CURRENCY_UNKNOWN, NOTHING, exchange
from command_api.kernel.aggregates import require_found, shared_fields, state_after
from command_api.kernel.decision import CommandContext, CommandRejected, invalid
from command_api.websites.model import Website
from schemas.base import DomainEvent, Money
from schemas.events.conversions import Attribution, ConversionFacts, LogPosition, Reported
from schemas.tracking import NO_ID, ConversionReported, from_log_time

REPORTED_BY_PARTNER: Final = "reported by the partner"


class PoisonMessage(Exception):
    """A report that can never be decided."""


@dataclass(frozen=True, slots=True)
class ReportRejection:
    """The report is not counted; its sender gets the reason."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ReportDecision:
    """Events to store (maybe none); whether the conversion's click is looked for again; or the refusal."""

    events: tuple[DomainEvent, ...] = ()
    waits: bool = False
    rejection: ReportRejection | None = None
    is_new_claim: bool = False
    """It counts against the limits of claims."""
    refused_claim: Reported | None = None
    """What a rejected claim says: it counts once a report with a secret names the transaction."""
    passed_over: frozenset[Place] = frozenset()
    """Bots' clicks that earn nothing by it, also if they are called genuine later."""

    @property
    def needs_rate(self) -> bool:
        """Rejected for now: decided again when an exchange rate is recorded."""
        return self.rejection is not None and self.rejection.code == CURRENCY_UNKNOWN


def decide(
    report: ConversionReported, lookup: BatchLookup, now: datetime, place: LogPosition | None = None
) -> ReportDecision:
    """Records the sale, or merges the report into the recorded one. Raises `PoisonMessage`."""
    website = lookup.website(report.website_id)
    if website is None:
        raise PoisonMessage(f"there is no website {report.website_id}")
    context = CommandContext(now)
    before = lookup.conversion(report.conversion_id)
    reported = to_reported(report, place)
    is_new_claim = reported.key_kind == CLAIM and before is None
    lookup.passed_over.clear()
    try:
        if before is None:
            events, state = _decide_first_report(report, reported, website, lookup, context)
        else:
            events, state = _decide_further_report(before, reported, website, lookup, context)
    except CommandRejected as rejected:
        claim = reported if reported.key_kind == CLAIM else None
        outcome = ReportDecision(rejection=ReportRejection(rejected.code, rejected.message), refused_claim=claim)
        if outcome.needs_rate:
            lookup.awaiting_rate.add(report.conversion_id)
        if claim is not None:
            lookup.add_refused_claim(report.conversion_id, claim)
        return outcome
    if not state.is_claim and (before is None or before.is_claim):
        more, state = _decide_refused_claims(state, website, lookup, context)
        events += more
    lookup.changed(report.conversion_id, events)
    held = lookup.held(before) if before is not None else None
    passed_over = frozenset(lookup.passed_over) | (held.passed_over if held is not None else frozenset())
    if events:
        lookup.set_passed_over(report.conversion_id, passed_over)
    waits = bool(events) and may_change(state)
    return ReportDecision(tuple(events), waits, is_new_claim=is_new_claim, passed_over=passed_over)


def reattribute(
    state: model.Conversion, website: Website, lookup: BatchLookup, context: CommandContext
) -> tuple[list[DomainEvent], bool]:
    """Searches for the click again: clicks may arrive after their sale. Returns the events, and whether the attribution
    may still change. After the approval nothing changes: an adjustment is proposed. A click that a person chose stays;
    its details may still come."""
    if not may_change(state):
        return [], False
    merged, held = state.merged, lookup.held(state)
    if held is not None and state.is_assigned:
        found: Attribution | None = lookup.with_details(website.id, held)
    else:
        found = lookup.attribution(website, merged.traces, state.facts.occurred_at, held)
    events: list[DomainEvent] = []
    if not _is_same(found, state.facts.attribution):
        if _is_settled(state) and not _is_same_click(found, state):
            return _proposal(state, found, website, lookup, context), True
        events = _restatement(state, merged, website, lookup, context, found)
    return events, may_change(state_after(model.evolve, state, events))


def accept_adjustment(state: model.Conversion, lookup: BatchLookup, context: CommandContext) -> list[DomainEvent]:
    """Exchanges the click of an approved conversion for the proposed one. Raises `CommandRejected` (no_adjustment)."""
    found = decisions.require_proposed(state).proposed
    website = require_found(lookup.website(state.facts.website_id), "website")
    facts = state.facts.model_copy(update={"attribution": found})
    return decisions.restate(
        state,
        facts,
        basis_of(facts, state.payout, website, lookup, without=state, exact=state.merged.exact),
        payout=state.payout,
        customer=state.merged.customer,
        cause="adjustment",
        context=context,
    )


def may_change(state: model.Conversion) -> bool:
    """Whether a click that arrives later may still earn the conversion. Applies to rejected and reversed conversions,
    too: they count as such for the partner of their click."""
    if state.predates_reports and state.is_attributed:
        return False
    return any(traces.click_id or traces.visitor for traces in state.traces)


def to_reported(report: ConversionReported, place: LogPosition | None) -> Reported:
    """The report as events store it."""
    predates_reports = not report.key_kind
    return Reported(
        **shared_fields(report, Reported, but=("received_at", "amount", "occurred_at", "time_named", "partner_id")),
        received_at=from_log_time(report.received_at),
        place=place,
        # Before key kinds were recorded, ingest wrote 0 for a missing amount.
        amount=None if predates_reports and report.amount is not None and not report.amount.amount else report.amount,
        occurred_at=from_log_time(report.occurred_at),
        time_named=report.time_named or (predates_reports and report.occurred_at != report.received_at),
        partner_id=None if report.partner_id == NO_ID else report.partner_id,
    )


def basis_of(
    facts: ConversionFacts,
    payout: Money | None,
    website: Website,
    lookup: BatchLookup,
    without: model.Conversion | None = None,
    *,
    exact: Mapping[str, str] = NOTHING,
) -> decisions.Basis:
    """What a commission of these facts depends on. `without`: the conversion to leave out of its month's total;
    `exact`: of its reports."""
    attribution, occurred_at = facts.attribution, facts.occurred_at
    currencies = (
        facts.amount.currency,
        payout.currency if payout else None,
        attribution.terms.flat_currency if attribution else None,
        attribution.terms.tiers_currency if attribution else None,
    )
    rates = lookup.rates(currencies, website, occurred_at)
    monthly_total = lookup.monthly_total(website.id, attribution, occurred_at, without)
    return decisions.Basis(rates, monthly_total, lookup.seen, lookup.is_provisional, exact)


def _decide_first_report(
    report: ConversionReported, reported: Reported, website: Website, lookup: BatchLookup, context: CommandContext
) -> tuple[list[DomainEvent], model.Conversion]:
    if reported.amount is None and reported.payout is None and report.conversion_id in lookup.awaiting_rate:
        raise invalid(CURRENCY_UNKNOWN, "This transaction is awaiting an exchange rate.")
    merged = merge([reported])
    amount = _amount(merged, website)
    if reported.key_kind == CLAIM:
        _check_claim(reported, amount, website, lookup)
    attribution = lookup.attribution(website, merged.traces, merged.occurred_at)
    facts = ConversionFacts(
        website_id=report.website_id,
        kind=merged.kind,
        event=report.event,
        txid=report.txid,
        amount=amount,
        occurred_at=merged.occurred_at,
        attribution=attribution,
    )
    recorded = decisions.record(
        report.conversion_id,
        facts,
        basis_of(facts, merged.payout, website, lookup, exact=merged.exact),
        received_at=reported.received_at,
        reported_by=reported.reported_by,
        payout=merged.payout,
        customer=merged.customer,
        currency=website.currency,
        context=context,
        report=reported.place,
        reported=reported,
    )
    return _with_status([recorded], model.evolve(None, recorded), None, merged, context)


def _decide_refused_claims(
    state: model.Conversion, website: Website, lookup: BatchLookup, context: CommandContext
) -> tuple[list[DomainEvent], model.Conversion]:
    """Merges the claims that were refused before a report with a secret named the transaction: the limits of claims
    apply no more, and what leads to the click is kept."""
    events: list[DomainEvent] = []
    for claim in lookup.refused_claims(state.id):
        try:
            more, state = _decide_further_report(state, claim, website, lookup, context)
        except CommandRejected:
            continue  # in a currency without a rate: it waits for one
        events += more
    return events, state


def _decide_further_report(
    state: model.Conversion, reported: Reported, website: Website, lookup: BatchLookup, context: CommandContext
) -> tuple[list[DomainEvent], model.Conversion]:
    before = state.merged
    if reported.key_kind == CLAIM and reported.amount is not None:
        if state.is_claim:
            _check_claim(reported, reported.amount, website, lookup, counts=False)
        reported = _with_limit(reported, reported.amount, website, lookup)
    events = decisions.merge_report(state, reported, context)
    if not events:
        return [], state
    earlier, state = state, state_after(model.evolve, state, events)
    merged = state.merged
    held = found = state.facts.attribution
    if not (state.is_assigned or (state.predates_reports and state.is_attributed)):
        found = lookup.attribution(website, merged.traces, merged.occurred_at, lookup.held(earlier))
    settled = _is_settled(earlier) and not _is_same_click(found, earlier)
    is_late = settled and _is_late_click(found, earlier, website, lookup)
    borne_out = before.is_claim and not merged.is_claim and state.is_attributed
    steps = _restatement(state, merged, website, lookup, context, held if is_late else found, recount=borne_out)
    if is_late:
        steps += _proposal(state_after(model.evolve, state, steps), found, website, lookup, context)
    events += steps
    state = state_after(model.evolve, state, steps)
    events += (steps := decisions.confirm_claim(state, context))
    events, state = _with_status(events, state_after(model.evolve, state, steps), before, merged, context)
    steps = _returned(state, website, lookup, context)
    return events + steps, state_after(model.evolve, state, steps)


def _check_claim(
    reported: Reported, amount: Money, website: Website, lookup: BatchLookup, *, counts: bool = True
) -> None:
    """Checks the limits of a claim: anybody can read the public site key in a page's source. Raises `CommandRejected`
    (claim_too_large, too_many_claims, currency_unknown). `counts`: it is a further transaction."""
    if _exceeds_limit(reported, amount, website, lookup):
        message = (
            "This amount is above what the public site key may claim. Report the sale with a secret key,"
            " or raise the website's limit."
        )
        raise invalid("claim_too_large", message, "amount")
    limit = website.max_claims_per_click
    if counts and lookup.claim_count(website.id, reported.click_id, hour_of(reported.received_at)) >= limit:
        message = f"One click may claim {limit} conversions an hour with the public site key."
        raise invalid("too_many_claims", message, "click_id")


def _exceeds_limit(reported: Reported, amount: Money, website: Website, lookup: BatchLookup) -> bool:
    """Whether a claim is above the website's limit. Raises `CommandRejected` (currency_unknown)."""
    rates = lookup.rates((amount.currency,), website, reported.occurred_at)
    claimed, _ = exchange(Fraction(amount.amount), amount.currency, website.currency, rates)
    return abs(claimed) > website.max_claim_amount


def _with_limit(reported: Reported, amount: Money, website: Website, lookup: BatchLookup) -> Reported:
    """A claim of a sale that was reported with a secret, too: its amount never counts above the limit. Without a rate
    it is not known whether it is above, nor can it count."""
    try:
        is_refused = _exceeds_limit(reported, amount, website, lookup)
    except CommandRejected:
        return reported
    return reported.model_copy(update={"amount_refused": is_refused})


def _is_settled(state: model.Conversion) -> bool:
    """Only a report with another click, or the owner, replaces its click."""
    return state.status is model.APPROVED and state.is_attributed


def _is_late_click(found: Attribution | None, earlier: model.Conversion, website: Website, lookup: BatchLookup) -> bool:
    """Whether the earlier reports already lead to that click: it arrived after the approval, independently of
    the new report."""
    without = lookup.attribution(website, earlier.merged.traces, earlier.facts.occurred_at, lookup.held(earlier))
    return click_of(found) == click_of(without)


def restated_by(
    state: model.Conversion, website: Website, lookup: BatchLookup, context: CommandContext
) -> list[DomainEvent]:
    """The events that bring the amounts in line with the reports; the click stays."""
    return _restatement(state, state.merged, website, lookup, context, state.facts.attribution)


def with_reported_status(
    events: list[DomainEvent], state: model.Conversion, before: Merged, context: CommandContext
) -> tuple[list[DomainEvent], model.Conversion]:
    """Adds the events of the reported status, if the reports name another one than `before`."""
    return _with_status(events, state, before, state.merged, context)


def _with_status(
    events: list[DomainEvent], state: model.Conversion, before: Merged | None, merged: Merged, context: CommandContext
) -> tuple[list[DomainEvent], model.Conversion]:
    """Adds the events of the reported status, if it has changed."""
    decided = before.status if before is not None else None
    if merged.status == decided:
        return events, state
    steps = decisions.apply_reported_status(
        state, merged.status.status if merged.status else "", REPORTED_BY_PARTNER, context
    )
    return events + steps, state_after(model.evolve, state, steps)


def _returned(
    state: model.Conversion, website: Website, lookup: BatchLookup, context: CommandContext
) -> list[DomainEvent]:
    """The events that take back the part of the sale that the reports name by now."""
    if (state.reversed_amount, state.reversed_commission) == state.reversal:
        return []
    steps = decisions.reverse_reported_part(state, REPORTED_BY_PARTNER, context)
    held = state.facts.attribution
    return steps or _restatement(state, state.merged, website, lookup, context, held, recount=True)


def _restatement(
    state: model.Conversion,
    merged: Merged,
    website: Website,
    lookup: BatchLookup,
    context: CommandContext,
    found: Attribution | None,
    *,
    recount: bool = False,
) -> list[DomainEvent]:
    """The events that bring the conversion in line with its reports and its click; none when it is. `recount`: count it
    again in any case, because it is no longer a claim, or less of it is reversed."""
    if found is not None and _is_same_click(found, state) and state.facts.attribution is not None:
        found = found.model_copy(update={"terms": state.facts.attribution.terms})
    facts = state.facts
    occurred_at = facts.occurred_at if state.predates_reports else merged.occurred_at
    amount = facts.amount if merged.amount is None and state.predates_reports else _amount(merged, website)
    wanted = facts.model_copy(
        update={"kind": merged.kind, "amount": amount, "occurred_at": occurred_at, "attribution": found}
    )
    known = wanted.kind, wanted.amount, wanted.occurred_at, merged.payout
    is_same_money = (facts.kind, facts.amount, facts.occurred_at, state.payout) == known
    if is_same_money and _is_same(found, facts.attribution) and not recount:
        return []
    basis = basis_of(wanted, merged.payout, website, lookup, without=state, exact=merged.exact)
    if is_same_money and found is not None and not state.is_attributed and state.is_open:
        return decisions.attribute(state, found, basis, context)
    cause = "report" if recount or not is_same_money else "details" if _is_same_click(found, state) else "click"
    return decisions.restate(
        state, wanted, basis, payout=merged.payout, customer=merged.customer, cause=cause, context=context
    )


def _proposal(
    state: model.Conversion, found: Attribution | None, website: Website, lookup: BatchLookup, context: CommandContext
) -> list[DomainEvent]:
    facts = state.facts.model_copy(update={"attribution": found})
    basis = basis_of(facts, state.payout, website, lookup, without=state, exact=state.merged.exact)
    commission, _ = decisions.commission_for(facts, state.payout, state.currency, basis)
    return decisions.propose_adjustment(state, found, commission, context)


def _amount(merged: Merged, website: Website) -> Money:
    """A lead, or a sale that reports only the payout (or nothing: flat terms), has no amount to count."""
    return merged.amount or Money(amount=0, currency=merged.payout.currency if merged.payout else website.currency)


def _is_same(found: Attribution | None, held: Attribution | None) -> bool:
    """Ignores the terms: they are those of the click's time."""
    if found is None or held is None:
        return found is held
    return found.model_copy(update={"terms": held.terms, "model": held.model}) == held


def _is_same_click(found: Attribution | None, state: model.Conversion) -> bool:
    held = state.facts.attribution
    return found is not None and held is not None and click_of(found) == click_of(held)
