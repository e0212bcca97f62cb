"""Decides one report of a conversion, by facts that were gathered before. Pure.

report, `Facts` -> merge with the reports before it (`infra.domain.report_merging`) -> amounts and click -> status.
The same reports give the same result in any order: amounts, click and status are functions of all reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Final
from uuid import UUID

from command_api.conversions import decisions, model, monthly_totals
from command_api.conversions.attribution.facts import Facts, WebsiteOf, added
from command_api.conversions.attribution.held import Place
from command_api.conversions.attribution.identity import identified
from command_api.conversions.attribution.rules import click_of
from command_api.conversions.attribution.search import AttributionResult, held_by, search, with_details
from command_api.conversions.claim_counts import ClaimCount, hour_of
from command_api.conversions.money import CURRENCY_UNKNOWN, NOTHING, exchange
from command_api.conversions.tiers import ZERO_TOTAL
from command_api.kernel.aggregates import shared_fields, state_after
from command_api.kernel.decision import CommandContext, CommandRejected, invalid
from command_api.websites.model import Website
from infra.domain.conversion_identity import AmbiguousTxid
from infra.domain.report_merging import CLAIM, Merged, merge
from schemas.base import DomainEvent, Money
from schemas.events.conversions import AttributedBy, Attribution, ConversionFacts, LogPosition, Reported
from schemas.tracking import NO_ID, ConversionReported, from_log_time

AMBIGUOUS_TXID: Final = "ambiguous_txid"
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

    report: ConversionReported
    """The report, with the id of the conversion that it belongs to."""
    events: tuple[DomainEvent, ...] = ()
    waits: bool = False
    rejection: ReportRejection | None = None
    claim: tuple[ClaimCount, int] | None = None
    """The key under which a recorded claim is counted, and the website's limit for it."""
    refused_claim: Reported | None = None
    """A rejected claim: it counts once a report with a secret names the transaction."""
    passed_over: frozenset[Place] = frozenset()
    """Bots' clicks that earn nothing by it, also if they are called genuine later."""
    has_awaiting: bool = False
    """Another report of the conversion awaits an exchange rate; beside this one it may need none."""

    @property
    def needs_rate(self) -> bool:
        """Returns whether it is rejected only until an exchange rate is recorded; it is then decided again."""
        return self.rejection is not None and self.rejection.code == CURRENCY_UNKNOWN


@dataclass(frozen=True, slots=True)
class Reattribution:
    """The result of a further search."""

    steps: Steps
    may_change: bool
    """A click that arrives later may still earn the conversion."""
    postponed: CommandRejected | None = None
    """Why its commission cannot be calculated now."""


@dataclass(frozen=True, slots=True)
class Case:
    """The input of a decision about a conversion of the website."""

    website: Website
    facts: Facts
    context: CommandContext


@dataclass(frozen=True, slots=True)
class Steps:
    """The events of a decision so far, and the conversion after them."""

    state: model.Conversion
    events: tuple[DomainEvent, ...] = ()
    passed_over: frozenset[Place] = frozenset()
    """Bots' clicks that its searches passed over."""

    def then(self, events: Sequence[DomainEvent], passed_over: frozenset[Place] = frozenset()) -> Steps:
        state = state_after(model.evolve, self.state, events)
        return Steps(state, (*self.events, *events), self.passed_over | passed_over)


def decide(
    report: ConversionReported,
    facts: Facts,
    now: datetime,
    place: LogPosition | None = None,
    alias_id: UUID | None = None,
) -> ReportDecision:
    """Records the sale, or merges the report into the recorded one. `alias_id`: the id that the report alone would give
    the conversion. Raises `PoisonMessage`."""
    website = facts[WebsiteOf(report.website_id)]
    if website is None:
        raise PoisonMessage(f"there is no website {report.website_id}")
    case = Case(website, facts, CommandContext(now))
    current = facts.conversion(report.conversion_id)
    reported = to_reported(report, place).model_copy(update={"alias_id": alias_id})
    if current is None and reported.network_sale is not None and reported.network_sale.is_gone:
        return ReportDecision(report)
    try:
        steps = _first_report(report, reported, case) if current is None else _further_report(current, reported, case)
    except CommandRejected as rejected:
        claim = reported if reported.key_kind == CLAIM else None
        return ReportDecision(report, rejection=ReportRejection(rejected.code, rejected.message), refused_claim=claim)
    if not steps.state.is_claim and (current is None or current.is_claim):
        steps = _refused_claims(steps, case)
    held = held_by(current, facts) if current is not None else None
    is_new_claim = reported.key_kind == CLAIM and current is None
    return ReportDecision(
        report,
        steps.events,
        waits=bool(steps.events) and may_change(steps.state),
        claim=(claim_of(report), website.max_claims_per_click) if is_new_claim and steps.events else None,
        passed_over=steps.passed_over | (held.passed_over if held is not None else frozenset()),
        has_awaiting=bool(steps.events) and facts.awaits_rate(report.conversion_id),
    )


def decide_received(report: ConversionReported, facts: Facts, now: datetime, place: LogPosition) -> ReportDecision:
    """Decides a report of the conversion that it belongs to, which may have another id. Raises `PoisonMessage`."""
    try:
        conversion_id = identified(report, facts)
    except AmbiguousTxid as error:
        return ReportDecision(report, rejection=ReportRejection(AMBIGUOUS_TXID, f"{error}."))
    if conversion_id == report.conversion_id:
        return decide(report, facts, now, place)
    alias_id, report = report.conversion_id, report.model_copy(update={"conversion_id": conversion_id})
    return decide(report, facts, now, place, alias_id)


def facts_after(facts: Facts, decision: ReportDecision) -> Facts:
    """Returns the facts for the next report of the batch."""
    conversion_id, decided = decision.report.conversion_id, facts.decided
    if decision.needs_rate:
        facts = replace(facts, decided=replace(decided, awaiting_rate=decided.awaiting_rate | {conversion_id}))
    if (claim := decision.refused_claim) is not None:
        claims = added(decided.refused_claims, conversion_id, (*decided.refused_claims.get(conversion_id, ()), claim))
        facts = replace(facts, decided=replace(facts.decided, refused_claims=claims))
    if not decision.events:
        return facts
    facts = facts.after(conversion_id, decision.events)
    decided = replace(facts.decided, passed_over=added(decided.passed_over, conversion_id, decision.passed_over))
    if decision.claim is not None:
        count, _ = decision.claim
        decided = replace(decided, claims=added(decided.claims, count, decided.claims.get(count, 0) + 1))
    return replace(facts, decided=decided)


def reattribute(case: Case, state: model.Conversion) -> Reattribution:
    """Searches for the click again: clicks may arrive after their sale. After the approval nothing changes: an
    adjustment is proposed. A click that a person chose stays; its details may still come."""
    if not may_change(state):
        return Reattribution(Steps(state), may_change=False)
    held = held_by(state, case.facts)
    if held is not None and state.is_assigned:
        result = AttributionResult(with_details(case.facts, case.website.id, held))
    else:
        result = search(case.facts, case.website, state.merged.traces, state.facts.occurred_at, held)
    steps = Steps(state, passed_over=result.passed_over)
    if _is_same(result.attribution, state.facts.attribution):
        return Reattribution(steps, may_change=True)
    try:
        if _is_settled(state) and not _is_same_click(result.attribution, state):
            return Reattribution(steps.then(_proposal(state, result.attribution, case)), may_change=True)
        steps = steps.then(_restatement(state, state.merged, case, result.attribution))
    except CommandRejected as rejected:
        return Reattribution(steps, may_change=True, postponed=rejected)
    return Reattribution(steps, may_change(steps.state))


def accept_adjustment(case: Case, state: model.Conversion) -> list[DomainEvent]:
    """Exchanges the click of an approved conversion for the proposed one. Raises `CommandRejected` (no_adjustment)."""
    facts = state.facts.model_copy(update={"attribution": decisions.require_proposed(state).proposed})
    return decisions.restate(
        state,
        facts,
        basis_of(facts, state.payout, case, without=state, exact=state.merged.exact),
        payout=state.payout,
        customer=state.merged.customer,
        cause="adjustment",
        context=case.context,
    )


def may_change(state: model.Conversion) -> bool:
    """Returns whether a click that arrives later may still earn the conversion. Applies to rejected and reversed
    conversions, too: they count as such for the partner of their click."""
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


def claim_of(report: ConversionReported) -> ClaimCount:
    """Returns the key under which a recorded claim is counted."""
    return report.website_id, report.click_id, hour_of(from_log_time(report.received_at))


def basis_of(
    facts: ConversionFacts,
    payout: Money | None,
    case: Case,
    without: model.Conversion | None = None,
    *,
    exact: Mapping[str, str] = NOTHING,
) -> decisions.Basis:
    """Returns the values on which a commission of these facts depends. `without`: the conversion to leave out of its
    month's total; `exact`: of its reports."""
    terms = facts.attribution.terms if facts.attribution is not None else None
    currencies = (
        facts.amount.currency,
        payout.currency if payout else None,
        terms.flat_currency if terms else None,
        terms.tiers_currency if terms else None,
    )
    rates = case.facts.rates(currencies, case.website, facts.occurred_at)
    total, key = ZERO_TOTAL, monthly_totals.key_of(facts)
    if key is not None and terms is not None and terms.tiers:
        total = case.facts.total(key)
        if without is not None and monthly_totals.key_of(without.facts) == key:
            total -= monthly_totals.total_of(model.contribution(without))
    return decisions.Basis(rates, total, case.facts.seen, case.facts.is_provisional, exact)


def restated_by(state: model.Conversion, case: Case) -> list[DomainEvent]:
    """The events that bring the amounts in line with the reports; the click stays."""
    return _restatement(state, state.merged, case, state.facts.attribution)


def with_reported_status(steps: Steps, earlier: Merged | None, context: CommandContext) -> Steps:
    """Adds the events of the reported status, if the reports name another one than `earlier`."""
    status = steps.state.merged.status
    if status == (earlier.status if earlier is not None else None):
        return steps
    name = status.status if status else ""
    return steps.then(decisions.apply_reported_status(steps.state, name, REPORTED_BY_PARTNER, context))


def _first_report(report: ConversionReported, reported: Reported, case: Case) -> Steps:
    if reported.amount is None and reported.payout is None and case.facts.awaits_rate(report.conversion_id):
        raise invalid(CURRENCY_UNKNOWN, "This transaction is awaiting an exchange rate.")
    merged = merge([reported])
    amount = _amount(merged, case.website)
    if reported.key_kind == CLAIM:
        _check_claim(reported, amount, case)
    result = search(case.facts, case.website, merged.traces, merged.occurred_at)
    facts = ConversionFacts(
        website_id=report.website_id,
        kind=merged.kind,
        event=report.event,
        txid=report.txid,
        amount=amount,
        occurred_at=merged.occurred_at,
        attribution=result.attribution,
    )
    recorded = decisions.record(
        report.conversion_id,
        facts,
        basis_of(facts, merged.payout, case, exact=merged.exact),
        received_at=reported.received_at,
        reported_by=reported.reported_by,
        payout=merged.payout,
        customer=merged.customer,
        currency=case.website.currency,
        context=case.context,
        report=reported.place,
        reported=reported,
    )
    steps = Steps(model.evolve(None, recorded), (recorded,), result.passed_over)
    return with_reported_status(steps, None, case.context)


def _refused_claims(steps: Steps, case: Case) -> Steps:
    """Merges the claims that were refused before a report with a secret named the transaction: the limits of claims
    apply no more, and what leads to the click is kept."""
    for claim in case.facts.refused_claims(steps.state.id):
        try:
            further = _further_report(steps.state, claim, case)
        except CommandRejected:
            continue  # in a currency without a rate: it waits for one
        steps = steps.then(further.events, further.passed_over)
    return steps


def _further_report(earlier: model.Conversion, reported: Reported, case: Case) -> Steps:
    earlier_merged: Merged | None = earlier.merged
    if reported.key_kind == CLAIM and reported.amount is not None:
        if earlier.is_claim:
            _check_claim(reported, reported.amount, case, counts=False)
        reported = _with_limit(reported, reported.amount, case)
    steps = Steps(earlier).then(decisions.merge_report(earlier, reported, case.context))
    if not steps.events:
        return steps
    state = steps.state
    merged, held = state.merged, state.facts.attribution
    if merged.is_void:
        result = AttributionResult(None)
    elif state.is_assigned or (state.predates_reports and state.is_attributed):
        result = AttributionResult(held)
    else:
        result = search(case.facts, case.website, merged.traces, merged.occurred_at, held_by(earlier, case.facts))
    is_late, passed_over = False, result.passed_over
    if _is_settled(earlier) and not _is_same_click(result.attribution, earlier):
        # The earlier reports may already lead to that click: it arrived after the approval, independently of this one.
        traces, occurred_at = earlier.merged.traces, earlier.facts.occurred_at
        without = search(case.facts, case.website, traces, occurred_at, held_by(earlier, case.facts))
        is_late, passed_over = (
            click_of(result.attribution) == click_of(without.attribution),
            passed_over | without.passed_over,
        )
    borne_out = earlier.merged.is_claim and not merged.is_claim and state.is_attributed
    attribution = held if is_late else result.attribution
    steps = steps.then(_restatement(state, merged, case, attribution, recount=borne_out), passed_over)
    if is_late:
        steps = steps.then(_proposal(steps.state, result.attribution, case))
    steps = steps.then(decisions.confirm_claim(steps.state, case.context))
    if merged.is_void:
        return steps.then(decisions.end_void(steps.state, case.context))
    if earlier.merged.is_void and not steps.state.decided_by_person:
        steps = steps.then(decisions.reopen(steps.state, "reported again", case.context))
        earlier_merged = None
    steps = with_reported_status(steps, earlier_merged, case.context)
    return steps.then(_returned(steps.state, case))


def _check_claim(reported: Reported, amount: Money, case: Case, *, counts: bool = True) -> None:
    """Checks the limits of a claim: anybody can read the public site key in a page's source. Raises `CommandRejected`
    (claim_too_large, too_many_claims, currency_unknown). `counts`: it is a further transaction."""
    if _exceeds_limit(reported, amount, case):
        message = (
            "This amount is above what the public site key may claim. Report the sale with a secret key,"
            " or raise the website's limit."
        )
        raise invalid("claim_too_large", message, "amount")
    limit = case.website.max_claims_per_click
    if counts and case.facts.claims((case.website.id, reported.click_id, hour_of(reported.received_at))) >= limit:
        message = f"One click may claim {limit} conversions an hour with the public site key."
        raise invalid("too_many_claims", message, "click_id")


def _exceeds_limit(reported: Reported, amount: Money, case: Case) -> bool:
    """Returns whether a claim is above the website's limit. Raises `CommandRejected` (currency_unknown)."""
    rates = case.facts.rates((amount.currency,), case.website, reported.occurred_at)
    claimed, _ = exchange(Fraction(amount.amount), amount.currency, case.website.currency, rates)
    return abs(claimed) > case.website.max_claim_amount


def _with_limit(reported: Reported, amount: Money, case: Case) -> Reported:
    """Checks a claim of a sale that was reported with a secret, too: its amount never counts above the limit. Without a
    rate it is not known whether it is above, nor can it count."""
    try:
        is_refused = _exceeds_limit(reported, amount, case)
    except CommandRejected:
        return reported
    return reported.model_copy(update={"amount_refused": is_refused})


def _is_settled(state: model.Conversion) -> bool:
    """Returns whether it is approved with a click, which only a report with another click, or the owner, replaces."""
    attribution = state.facts.attribution
    return state.status is model.APPROVED and attribution is not None and attribution.by is not AttributedBy.NETWORK


def _returned(state: model.Conversion, case: Case) -> list[DomainEvent]:
    """The events that reverse the part of the sale that the reports name by now."""
    if (state.reversed_amount, state.reversed_commission) == state.reversal:
        return []
    steps = decisions.reverse_reported_part(state, REPORTED_BY_PARTNER, case.context)
    return steps or _restatement(state, state.merged, case, state.facts.attribution, recount=True)


def _restatement(
    state: model.Conversion, merged: Merged, case: Case, found: Attribution | None, *, recount: bool = False
) -> list[DomainEvent]:
    """The events that bring the conversion in line with its reports and its click; none when it is. `recount`: count it
    again in any case, because it is no longer a claim, or less of it is reversed."""
    if found is not None and _is_same_click(found, state) and state.facts.attribution is not None:
        found = found.model_copy(update={"terms": state.facts.attribution.terms})
    facts = state.facts
    occurred_at = facts.occurred_at if state.predates_reports else merged.occurred_at
    amount = facts.amount if merged.amount is None and state.predates_reports else _amount(merged, case.website)
    restated = facts.model_copy(
        update={"kind": merged.kind, "amount": amount, "occurred_at": occurred_at, "attribution": found}
    )
    money = restated.kind, restated.amount, restated.occurred_at, merged.payout
    is_same_money = (facts.kind, facts.amount, facts.occurred_at, state.payout) == money
    if is_same_money and _is_same(found, facts.attribution) and not recount:
        return []
    basis = basis_of(restated, merged.payout, case, without=state, exact=merged.exact)
    if is_same_money and found is not None and not state.is_attributed and state.is_open:
        return decisions.attribute(state, found, basis, case.context)
    cause = "report" if recount or not is_same_money else "details" if _is_same_click(found, state) else "click"
    return decisions.restate(
        state, restated, basis, payout=merged.payout, customer=merged.customer, cause=cause, context=case.context
    )


def _proposal(state: model.Conversion, found: Attribution | None, case: Case) -> list[DomainEvent]:
    facts = state.facts.model_copy(update={"attribution": found})
    basis = basis_of(facts, state.payout, case, without=state, exact=state.merged.exact)
    commission, _ = decisions.commission_for(facts, state.payout, state.currency, basis)
    return decisions.propose_adjustment(state, found, commission, case.context)


def _amount(merged: Merged, website: Website) -> Money:
    """Returns the amount to count: 0 for a lead, and for a sale that reports only the payout (or nothing: flat
    terms)."""
    return merged.amount or Money(amount=0, currency=merged.payout.currency if merged.payout else website.currency)


def _is_same(found: Attribution | None, held: Attribution | None) -> bool:
    """Returns whether both are the same but for the terms, which are those of the click's time."""
    if found is None or held is None:
        return found is held
    return found.model_copy(update={"terms": held.terms, "model": held.model}) == held


def _is_same_click(found: Attribution | None, state: model.Conversion) -> bool:
    held = state.facts.attribution
    return found is not None and held is not None and click_of(found) == click_of(held)
