"""What one report of a conversion comes to. Pure but for the `Reading`, which only reads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from command_api.conversions import model
from command_api.conversions.money import CURRENCY_UNKNOWN
from command_api.decision import Asked, Refused, invalid
from command_api.policies.reading import Reading
from command_api.websites.model import Website
from schemas.base import DomainEvent, Money
from schemas.events.conversions import Attribution, ConversionFacts, LogPlace
from schemas.tracking import ConversionReported, from_log_time

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
    """Events to store (maybe none); whether the conversion goes on waiting for its click; or the refusal."""

    events: tuple[DomainEvent, ...] = ()
    waits: bool = False
    refusal: Refusal | None = None

    @property
    def needs_rate(self) -> bool:
        """Refused for now: decided again when an exchange rate is recorded."""
        return self.refusal is not None and self.refusal.code == CURRENCY_UNKNOWN


def decide(report: ConversionReported, reading: Reading, now: datetime, place: LogPlace | None = None) -> Outcome:
    """Records the sale, or adds to what is known of it. Raises `Poison`.

    A report that names another amount than the first one did is on record, and changes nothing: the edge refuses it
    (409), unless it could not look.
    """
    website = reading.website(report.website_id)
    if website is None:
        raise Poison(f"there is no website {report.website_id}")
    asked = Asked(now)
    before = reading.conversion(report.conversion_id)
    try:
        if before is None:
            events, state = _first(report, website, reading, asked, place)
        else:
            events, state = _again(before, report, website, reading, asked, place)
        agrees = _agrees(report, state)
        if agrees:
            for event in model.report_status(state, report.status, BY_PARTNER, asked):
                events.append(event)
                state = model.evolve(state, event)
    except Refused as refused:
        outcome = Outcome(refusal=Refusal(refused.code, refused.message))
        if outcome.needs_rate:
            reading.held.add(report.conversion_id)
        return outcome
    reading.changed(report.conversion_id, events)
    waits = agrees and not state.is_attributed and state.is_open and report.visitor != 0
    return Outcome(tuple(events), waits)


def attribute_late(
    state: model.Conversion, report: ConversionReported, website: Website, reading: Reading, asked: Asked
) -> list[DomainEvent]:
    """The attribution of a conversion that waits, if a trace of `report` leads to a click by now."""
    attribution = reading.attribution(report, website)
    if attribution is None:
        return []
    facts = state.facts
    rates = _rates(facts.amount, state.payout, attribution, website, facts.occurred_at, reading)
    standing = reading.standing(website.id, attribution, facts.occurred_at)
    return model.attribute(state, attribution, rates=rates, asked=asked, standing=standing)


def _first(
    report: ConversionReported, website: Website, reading: Reading, asked: Asked, place: LogPlace | None
) -> tuple[list[DomainEvent], model.Conversion]:
    amount = report.amount
    if amount is None:
        if report.payout is None and report.conversion_id in reading.held:
            raise invalid(CURRENCY_UNKNOWN, "This transaction waits for an exchange rate.")
        if report.status in ("rejected", "reversed"):
            raise Refused("invalid", "unknown_transaction", "This transaction was never reported.")
        # A lead, or a sale of which only the payout is told (or nothing: flat terms): there is no amount to count.
        amount = Money(amount=0, currency=report.payout.currency if report.payout else website.currency)
    occurred_at = from_log_time(report.occurred_at)
    attribution = reading.attribution(report, website)
    recorded = model.record(
        report.conversion_id,
        ConversionFacts(
            website_id=report.website_id,
            kind=report.kind,
            event=report.event,
            txid=report.txid,
            amount=amount,
            occurred_at=occurred_at,
            attribution=attribution,
        ),
        received_at=from_log_time(report.received_at),
        reported_by=report.reported_by,
        payout=report.payout,
        customer=report.customer,
        currency=website.currency,
        rates=_rates(amount, report.payout, attribution, website, occurred_at, reading),
        asked=asked,
        standing=reading.standing(website.id, attribution, occurred_at),
        report=place,
    )
    return [recorded], model.evolve(None, recorded)


def _again(
    state: model.Conversion,
    report: ConversionReported,
    website: Website,
    reading: Reading,
    asked: Asked,
    place: LogPlace | None,
) -> tuple[list[DomainEvent], model.Conversion]:
    events = model.report_again(
        state,
        report_id=report.report_id,
        amount=report.amount,
        reported_by=report.reported_by,
        asked=asked,
        report=place,
    )
    for event in events:
        state = model.evolve(state, event)
    if _agrees(report, state) and not state.is_attributed and state.is_open:
        for event in attribute_late(state, report, website, reading, asked):
            events.append(event)
            state = model.evolve(state, event)
    return events, state


def _agrees(report: ConversionReported, state: model.Conversion) -> bool:
    """Whether it names the amount that stands, or none."""
    return report.amount in (None, state.facts.amount)


def _rates(
    amount: Money,
    payout: Money | None,
    attribution: Attribution | None,
    website: Website,
    occurred_at: datetime,
    reading: Reading,
) -> dict[str, str]:
    currencies = (
        amount.currency,
        payout.currency if payout else None,
        attribution.terms.flat_currency if attribution else None,
        attribution.terms.tiers_currency if attribution else None,
    )
    return reading.rates(currencies, website.currency, occurred_at.date())
