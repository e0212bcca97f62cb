"""What one report of a conversion comes to. Pure but for the `Reading`, which only reads.

report -> merge with the reports before it (`command_api.conversions.merging`) -> figures and click -> status. The same
reports end alike in any order: figures, click and status are functions of all of them, not of the last one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from command_api.conversions import model
from command_api.conversions.merging import CLAIM, Merged, merge
from command_api.conversions.money import CURRENCY_UNKNOWN
from command_api.decision import Asked, Refused, conflict, invalid
from command_api.policies.claims import check_claim
from command_api.policies.reading import Reading
from command_api.websites.model import Website
from schemas.base import DomainEvent, Money
from schemas.days import local_day
from schemas.events.conversions import Attribution, ConversionFacts, LogPlace, Reported
from schemas.tracking import NO_ID, ConversionReported, from_log_time
from schemas.zones import ZoneInfo

BY_PARTNER: Final = "reported by the partner"


class Poison(Exception):
    """A report that can never be decided."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The report counts nothing, and its sender is told why."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Events to store (maybe none); whether the conversion's click is looked for again; or the refusal."""

    events: tuple[DomainEvent, ...] = ()
    waits: bool = False
    refusal: Refusal | None = None
    is_new_claim: bool = False
    """It counts against the limits of claims."""

    @property
    def needs_rate(self) -> bool:
        """Refused for now: decided again when an exchange rate is recorded."""
        return self.refusal is not None and self.refusal.code == CURRENCY_UNKNOWN


def decide(report: ConversionReported, reading: Reading, now: datetime, place: LogPlace | None = None) -> Outcome:
    """Records the sale, or merges the report into what is known of it. Raises `Poison`."""
    website = reading.website(report.website_id)
    if website is None:
        raise Poison(f"there is no website {report.website_id}")
    asked = Asked(now)
    before = reading.conversion(report.conversion_id)
    said = reported_of(report, place)
    is_new_claim = said.key_kind == CLAIM and before is None
    try:
        if before is None:
            events, state = _first(report, said, website, reading, asked)
        else:
            events, state = _again(before, said, website, reading, asked)
    except Refused as refused:
        outcome = Outcome(refusal=Refusal(refused.code, refused.message))
        if outcome.needs_rate:
            reading.held.add(report.conversion_id)
        return outcome
    reading.changed(report.conversion_id, events)
    return Outcome(tuple(events), bool(events) and may_change(state), is_new_claim=is_new_claim)


def reconsider(
    state: model.Conversion, website: Website, reading: Reading, asked: Asked
) -> tuple[list[DomainEvent], bool]:
    """Looks for the click again: clicks may come later than their sale. Gives the events, and whether it may still
    change. After the approval nothing changes: an adjustment is proposed."""
    if not may_change(state):
        return [], False
    merged = state.merged
    found = reading.attribution(website, merged.traces, state.facts.occurred_at, state.facts.attribution)
    events: list[DomainEvent] = []
    if not _is_same(found, state.facts.attribution):
        if _is_settled(state) and not _is_same_click(found, state):
            return _proposal(state, found, website, reading, asked), True
        events = _figures(state, merged, website, reading, asked, found)
    for event in events:
        state = model.evolve(state, event)
    return events, may_change(state)


def accept_adjustment(state: model.Conversion, website: Website, reading: Reading, asked: Asked) -> list[DomainEvent]:
    """Exchanges the click of an approved conversion for the proposed one. Raises `Refused` (no_adjustment)."""
    if state.proposed is None:
        raise conflict("no_adjustment", "No adjustment is proposed for this conversion.")
    found = state.proposed.proposed
    facts = state.facts.model_copy(update={"attribution": found})
    merged = state.merged
    return model.restate(
        state,
        facts,
        payout=state.payout,
        customer=merged.customer,
        rates=_rates((facts.amount, state.payout), found, website, facts.occurred_at, reading),
        cause="adjustment",
        asked=asked,
        standing=reading.standing(website.id, found, facts.occurred_at, without=state),
    )


def may_change(state: model.Conversion) -> bool:
    """Whether a click that is not known yet could still be its own. Also of one that is rejected or reversed already:
    it counts as such for the partner of its click, whichever came first."""
    if state.is_older and state.is_attributed:
        return False
    return any(traces.click_id or traces.visitor for traces in state.merged.traces)


def reported_of(report: ConversionReported, place: LogPlace | None) -> Reported:
    """The report as the conversion's history keeps it."""
    is_older = not report.key_kind
    return Reported(
        report_id=report.report_id,
        key_kind=report.key_kind,
        reported_by=report.reported_by,
        received_at=from_log_time(report.received_at),
        place=place,
        kind=report.kind,
        # Before kinds of keys were recorded, the edge wrote 0 where nothing was named.
        amount=None if is_older and report.amount is not None and not report.amount.amount else report.amount,
        payout=report.payout,
        status=report.status,
        occurred_at=from_log_time(report.occurred_at),
        time_named=report.time_named or (is_older and report.occurred_at != report.received_at),
        click_id=report.click_id,
        coupon=report.coupon,
        visitor=report.visitor,
        partner_id=None if report.partner_id == NO_ID else report.partner_id,
        customer=report.customer,
        address_class=report.address_class,
    )


def _first(
    report: ConversionReported, said: Reported, website: Website, reading: Reading, asked: Asked
) -> tuple[list[DomainEvent], model.Conversion]:
    if said.amount is None and said.payout is None and report.conversion_id in reading.held:
        raise invalid(CURRENCY_UNKNOWN, "This transaction waits for an exchange rate.")
    merged = merge([said])
    amount = _amount(merged, website)
    if said.key_kind == CLAIM:
        check_claim(said, amount, website, reading)
    attribution = reading.attribution(website, merged.traces, merged.occurred_at)
    recorded = model.record(
        report.conversion_id,
        ConversionFacts(
            website_id=report.website_id,
            kind=merged.kind,
            event=report.event,
            txid=report.txid,
            amount=amount,
            occurred_at=merged.occurred_at,
            attribution=attribution,
        ),
        received_at=said.received_at,
        reported_by=said.reported_by,
        payout=merged.payout,
        customer=merged.customer,
        currency=website.currency,
        rates=_rates((amount, merged.payout), attribution, website, merged.occurred_at, reading),
        asked=asked,
        standing=reading.standing(website.id, attribution, merged.occurred_at),
        report=said.place,
        reported=said,
        seen=reading.seen,
        provisional=reading.is_provisional,
    )
    return _with_status([recorded], model.evolve(None, recorded), None, merged, asked)


def _again(
    state: model.Conversion, said: Reported, website: Website, reading: Reading, asked: Asked
) -> tuple[list[DomainEvent], model.Conversion]:
    before = state.merged
    if said.key_kind == CLAIM and state.is_claim and said.amount is not None:
        check_claim(said, said.amount, website, reading, counts=False)
    events = model.merge_report(state, said, asked)
    if not events:
        return [], state
    earlier, state = state, _evolved(state, events)
    merged = state.merged
    held = found = state.facts.attribution
    if not (state.is_older and state.is_attributed):
        found = reading.attribution(website, merged.traces, merged.occurred_at, held)
    settled = _is_settled(earlier) and not _is_same_click(found, earlier)
    is_late = settled and _was_late(found, earlier, website, reading)
    borne_out = before.is_claim and not merged.is_claim and state.is_attributed
    steps = _figures(state, merged, website, reading, asked, held if is_late else found, anew=borne_out)
    if is_late:
        steps += _proposal(_evolved(state, steps), found, website, reading, asked)
    events += steps
    state = _evolved(state, steps)
    steps = model.bear_out(state, asked)
    return _with_status(events + steps, _evolved(state, steps), before, merged, asked)


def _is_settled(state: model.Conversion) -> bool:
    """Its click is exchanged by a report that leads to another one, and else by its owner only."""
    return state.status is model.APPROVED and state.is_attributed


def _was_late(found: Attribution | None, earlier: model.Conversion, website: Website, reading: Reading) -> bool:
    """Whether the reports before already lead to that click, which only came after the approval: the new report has
    not brought it."""
    held = earlier.facts.attribution
    without = reading.attribution(website, earlier.merged.traces, earlier.facts.occurred_at, held)
    return _click_of(found) == _click_of(without)


def _with_status(
    events: list[DomainEvent], state: model.Conversion, before: Merged | None, merged: Merged, asked: Asked
) -> tuple[list[DomainEvent], model.Conversion]:
    """The status of the report that decides, if it is another one than before."""
    decided = before.status if before is not None else None
    if merged.status == decided:
        return events, state
    steps = model.report_status(state, merged.status.status if merged.status else "", BY_PARTNER, asked)
    return events + steps, _evolved(state, steps)


def _figures(
    state: model.Conversion,
    merged: Merged,
    website: Website,
    reading: Reading,
    asked: Asked,
    found: Attribution | None,
    *,
    anew: bool = False,
) -> list[DomainEvent]:
    """What makes the conversion say what its reports and its click say together; nothing when it does. `anew`: count it
    anew all the same, for it is no claim any more."""
    if found is not None and _is_same_click(found, state) and state.facts.attribution is not None:
        found = found.model_copy(update={"terms": state.facts.attribution.terms})
    facts = state.facts
    occurred_at = facts.occurred_at if state.is_older else merged.occurred_at
    amount = facts.amount if merged.amount is None and state.is_older else _amount(merged, website)
    wanted = facts.model_copy(
        update={"kind": merged.kind, "amount": amount, "occurred_at": occurred_at, "attribution": found}
    )
    is_same_money = (facts.kind, facts.amount, facts.occurred_at, state.payout) == (
        wanted.kind,
        wanted.amount,
        wanted.occurred_at,
        merged.payout,
    )
    if is_same_money and _is_same(found, facts.attribution) and not anew:
        return []
    rates = _rates((amount, merged.payout), found, website, occurred_at, reading)
    standing = reading.standing(website.id, found, occurred_at, without=state)
    seen, provisional = reading.seen, reading.is_provisional
    if is_same_money and found is not None and not state.is_attributed and state.is_open:
        return model.attribute(
            state, found, rates=rates, asked=asked, standing=standing, seen=seen, provisional=provisional
        )
    cause = "report" if anew or not is_same_money else "details" if _is_same_click(found, state) else "click"
    return model.restate(
        state,
        wanted,
        payout=merged.payout,
        customer=merged.customer,
        rates=rates,
        cause=cause,
        asked=asked,
        standing=standing,
        seen=seen,
        provisional=provisional,
    )


def _proposal(
    state: model.Conversion, found: Attribution | None, website: Website, reading: Reading, asked: Asked
) -> list[DomainEvent]:
    facts = state.facts.model_copy(update={"attribution": found})
    commission: Money | None = None
    if found is not None:
        rates = _rates((facts.amount, state.payout), found, website, facts.occurred_at, reading)
        standing = reading.standing(website.id, found, facts.occurred_at, without=state)
        commission = model.commission_for(facts, state.payout, state.currency, rates, standing)
    return model.propose_adjustment(state, found, commission, asked)


def _amount(merged: Merged, website: Website) -> Money:
    """A lead, or a sale that reports only the payout (or nothing: flat terms), has no amount to count."""
    return merged.amount or Money(amount=0, currency=merged.payout.currency if merged.payout else website.currency)


def _is_same(found: Attribution | None, held: Attribution | None) -> bool:
    """Terms do not count: they are those of the click's time, whatever was announced since."""
    if found is None or held is None:
        return found is held
    return found.model_copy(update={"terms": held.terms, "model": held.model}) == held


def _is_same_click(found: Attribution | None, state: model.Conversion) -> bool:
    held = state.facts.attribution
    return found is not None and held is not None and _click_of(found) == _click_of(held)


def _click_of(found: Attribution | None) -> tuple[object, ...] | None:
    return None if found is None else (found.partner_id, found.link_id, found.click_id, found.clicked_at)


def _evolved(state: model.Conversion, events: Iterable[DomainEvent]) -> model.Conversion:
    for event in events:
        state = model.evolve(state, event)
    return state


def _rates(
    amounts: Iterable[Money | None],
    attribution: Attribution | None,
    website: Website,
    occurred_at: datetime,
    reading: Reading,
) -> dict[str, str]:
    currencies = (
        *(amount.currency for amount in amounts if amount is not None),
        attribution.terms.flat_currency if attribution else None,
        attribution.terms.tiers_currency if attribution else None,
    )
    return reading.rates(currencies, website.currency, local_day(ZoneInfo(website.timezone), occurred_at))
