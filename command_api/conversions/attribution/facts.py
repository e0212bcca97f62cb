"""The questions that a decision about a conversion has, and their answers. Pure.

`gathering` answers the questions of a batch, each kind at once -> `Facts` -> `decision`. A decision whose question was
not read raises `Unanswered`; `gathering` then reads it and the decision is made again. What was read never changes:
what the batch itself decides (`BatchDecisions`) is added to it, so that later decisions build on both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from command_api.conversions import model, monthly_totals
from command_api.conversions.attribution.clicks import ClickQuery, ClickRow, ClickVisit
from command_api.conversions.attribution.held import Place
from command_api.conversions.attribution.rules import ReferencedLink
from command_api.conversions.claim_counts import ClaimCount
from command_api.conversions.monthly_totals import TotalKey
from command_api.conversions.tiers import ZERO_TOTAL, MonthlyTotal
from command_api.conversions.transaction_names import names_of
from command_api.kernel.aggregates import state_after
from command_api.partners.model import Partner
from command_api.websites.model import Website
from infra.domain.exchange_rates import DatedRate
from schemas import identity
from schemas.base import DomainEvent
from schemas.click_id import Click
from schemas.days import local_day
from schemas.events.conversions import (
    ConversionRecorded,
    ConversionReportConflicted,
    ConversionReportMerged,
    LogPosition,
    Reported,
)
from schemas.zones import ZoneInfo

Answer = TypeVar("Answer")
Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class FactQuestion(Generic[Answer]):
    """A question of a decision; subclasses name the type of the answer."""


@dataclass(frozen=True, slots=True)
class WebsiteOf(FactQuestion[Website | None]):
    """The website as its events make it."""

    website_id: UUID


@dataclass(frozen=True, slots=True)
class PartnerOf(FactQuestion[Partner | None]):
    """The partner as its events make it."""

    partner_id: UUID


@dataclass(frozen=True, slots=True)
class ConversionOf(FactQuestion[model.Conversion | None]):
    """The conversion as its stored events make it."""

    conversion_id: UUID


@dataclass(frozen=True, slots=True)
class OpenedClick(FactQuestion[Click | None]):
    """The contents of a click id of any website; none if it is forged."""

    click_id: str


@dataclass(frozen=True, slots=True)
class LinkOfCode(FactQuestion[ReferencedLink | None]):
    """The link that a click id names."""

    code: int


@dataclass(frozen=True, slots=True)
class LinkOf(FactQuestion[ReferencedLink | None]):
    """A link by its id, deleted ones included."""

    link_id: UUID


@dataclass(frozen=True, slots=True)
class LinkOfCoupon(FactQuestion[tuple[ReferencedLink, datetime] | None]):
    """The link of a coupon in its usual form, and since when it has it."""

    website_id: UUID
    coupon: str


@dataclass(frozen=True, slots=True)
class RowOfClick(FactQuestion[ClickRow | None]):
    """The projected event of a click id."""

    website_id: UUID
    click_id: str
    click: Click = field(compare=False)


@dataclass(frozen=True, slots=True)
class ClicksOfVisitor(FactQuestion[Sequence[ClickRow]]):
    """A page of the visitor's clicks: the first, or that behind the click `after`."""

    visit: ClickQuery
    oldest_first: bool
    page: int = 0
    after: ClickRow | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class VisitOf(FactQuestion[ClickVisit | None]):
    """The visit of a click."""

    event_id: UUID
    row: ClickRow = field(compare=False)


@dataclass(frozen=True, slots=True)
class RateOn(FactQuestion[DatedRate | None]):
    """The latest rate on or before the day."""

    base: str
    currency: str
    day: date


@dataclass(frozen=True, slots=True)
class TotalOf(FactQuestion[MonthlyTotal]):
    """The stored total of a website's month with a partner."""

    key: TotalKey


@dataclass(frozen=True, slots=True)
class ClaimsOf(FactQuestion[int]):
    """The recorded claims of a click and hour."""

    count: ClaimCount


@dataclass(frozen=True, slots=True)
class RefusedClaimsOf(FactQuestion[tuple[Reported, ...]]):
    """The claims of a conversion that were refused, the first received first."""

    conversion_id: UUID


@dataclass(frozen=True, slots=True)
class PassedOverBy(FactQuestion[frozenset[Place] | None]):
    """Bots' clicks that the search of a conversion passed over. None: no click is searched for."""

    conversion_id: UUID


@dataclass(frozen=True, slots=True)
class AwaitsRate(FactQuestion[bool]):
    """Asks whether a report of the conversion awaits an exchange rate: reports of its status wait, too."""

    conversion_id: UUID


@dataclass(frozen=True, slots=True)
class SalesOfClicks(FactQuestion[tuple[UUID, ...]]):
    """The sales of single clicks that share a transaction id (`schemas.identity`)."""

    shared_id: UUID


@dataclass(frozen=True, slots=True)
class SalesNamed(FactQuestion[tuple[UUID, ...]]):
    """The sales of a website that a report called so: by a transaction id, or by an order id that a network names."""

    website_id: UUID
    name: str


Answers = Mapping[FactQuestion[Any], Any]


class Unanswered(Exception):
    """The decision needs an answer that was not read."""

    def __init__(self, question: FactQuestion[Any]) -> None:
        super().__init__(f"unanswered: {question}")
        self.question = question


@dataclass(frozen=True, slots=True)
class BatchDecisions:
    """The decisions of the batch so far; its transaction stores them."""

    conversions: Mapping[UUID, model.Conversion] = field(default_factory=dict)
    totals: Mapping[TotalKey, MonthlyTotal] = field(default_factory=dict)
    """The changes of the totals by its events."""
    scoped: Mapping[UUID, tuple[UUID, ...]] = field(default_factory=dict)
    """Recorded sales of single clicks by the id that they share."""
    named: Mapping[tuple[UUID, str], tuple[UUID, ...]] = field(default_factory=dict)
    """Sales by what reports call them."""
    claims: Mapping[ClaimCount, int] = field(default_factory=dict)
    refused_claims: Mapping[UUID, tuple[Reported, ...]] = field(default_factory=dict)
    passed_over: Mapping[UUID, frozenset[Place]] = field(default_factory=dict)
    awaiting_rate: frozenset[UUID] = frozenset()


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a decision. Each answer is of the reading's time, plus what the batch has decided since."""

    answers: Answers = field(default_factory=dict)
    decided: BatchDecisions = BatchDecisions()
    seen: tuple[LogPosition, ...] = ()
    """The click positions of the batch."""
    is_provisional: bool = False
    """Clicks that were received before the batch's reports may be missing."""

    def __getitem__(self, question: FactQuestion[Answer]) -> Answer:
        """The answer as it was read. Raises `Unanswered`."""
        try:
            answer: Answer = self.answers[question]
        except KeyError:
            raise Unanswered(question) from None
        return answer

    def conversion(self, conversion_id: UUID) -> model.Conversion | None:
        return self.decided.conversions.get(conversion_id) or self[ConversionOf(conversion_id)]

    def total(self, key: TotalKey) -> MonthlyTotal:
        return self[TotalOf(key)] + self.decided.totals.get(key, ZERO_TOTAL)

    def claims(self, count: ClaimCount) -> int:
        return self[ClaimsOf(count)] + self.decided.claims.get(count, 0)

    def refused_claims(self, conversion_id: UUID) -> tuple[Reported, ...]:
        return self[RefusedClaimsOf(conversion_id)] + self.decided.refused_claims.get(conversion_id, ())

    def passed_over(self, conversion_id: UUID) -> frozenset[Place] | None:
        decided = self.decided.passed_over.get(conversion_id)
        return self[PassedOverBy(conversion_id)] if decided is None else decided

    def awaits_rate(self, conversion_id: UUID) -> bool:
        return conversion_id in self.decided.awaiting_rate or self[AwaitsRate(conversion_id)]

    def sales_of_clicks(self, shared_id: UUID) -> tuple[UUID, ...]:
        return tuple(dict.fromkeys((*self[SalesOfClicks(shared_id)], *self.decided.scoped.get(shared_id, ()))))

    def sales_named(self, website_id: UUID, name: str) -> tuple[UUID, ...]:
        decided = self.decided.named.get((website_id, name), ())
        return tuple(dict.fromkeys((*self[SalesNamed(website_id, name)], *decided)))

    def recorded_names(self) -> dict[tuple[UUID, str], tuple[UUID, ...]]:
        """Returns the sales by website and name, as they were read."""
        return {
            (question.website_id, question.name): sales
            for question, sales in self.answers.items()
            if isinstance(question, SalesNamed)
        }

    def rates(self, currencies: Iterable[str | None], website: Website, occurred_at: datetime) -> dict[str, str]:
        """The rates to the website's currency on its day of a sale, for those of `currencies` that have one."""
        day = local_day(ZoneInfo(website.timezone), occurred_at)
        foreign = {currency for currency in currencies if currency not in (None, website.currency)}
        rates = {currency: self[RateOn(currency, website.currency, day)] for currency in foreign}
        return {currency: rate.rate for currency, rate in rates.items() if rate is not None}

    def answering(self, answers: Answers) -> Facts:
        """Returns the facts with further answers."""
        return replace(self, answers={**self.answers, **answers})

    def after(self, conversion_id: UUID, events: Sequence[DomainEvent]) -> Facts:
        """Returns the facts once `events` of the conversion are stored."""
        state = state_after(model.evolve, self.conversion(conversion_id), events)
        totals, scoped, named = dict(self.decided.totals), dict(self.decided.scoped), dict(self.decided.named)
        for event in events:
            if (moved := monthly_totals.delta(event)) is not None:
                totals[moved[0]] = totals.get(moved[0], ZERO_TOTAL) + moved[1]
            if isinstance(event, ConversionRecorded):
                shared_id = identity.conversion_id(event.facts.website_id, event.facts.event, event.facts.txid)
                if shared_id != event.originator_id:
                    scoped[shared_id] = (*scoped.get(shared_id, ()), event.originator_id)
            if isinstance(event, ConversionRecorded | ConversionReportMerged | ConversionReportConflicted) and state:
                for name in names_of(event):
                    key = (state.facts.website_id, name)
                    named[key] = (*named.get(key, ()), event.originator_id)
        conversions = added(self.decided.conversions, conversion_id, state) if state else self.decided.conversions
        decided = replace(self.decided, conversions=conversions, totals=totals, scoped=scoped, named=named)
        return replace(self, decided=decided)


def added(known: Mapping[Key, Value], key: Key, value: Value) -> dict[Key, Value]:
    """Returns `known` with one more entry."""
    return {**known, key: value}
