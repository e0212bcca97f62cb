"""Reads the facts that decisions about conversions need: each kind of question for a whole batch at once.

reports of a batch -> `Gathering` (event store, lookups, ClickHouse) -> `Facts` -> `decision`
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final, LiteralString, TypeVar
from uuid import UUID

from command_api.conversions import model
from command_api.conversions.attribution.click_reader import Clicks
from command_api.conversions.attribution.clicks import ClickQuery, ClickRow
from command_api.conversions.attribution.facts import (
    Answers,
    AwaitsRate,
    ClaimsOf,
    ClicksOfVisitor,
    ConversionOf,
    FactQuestion,
    Facts,
    LinkOf,
    LinkOfCode,
    LinkOfCoupon,
    OpenedClick,
    PartnerOf,
    PassedOverBy,
    RateOn,
    RefusedClaimsOf,
    RowOfClick,
    SalesNamed,
    SalesOfClicks,
    TotalOf,
    Unanswered,
    VisitOf,
    WebsiteOf,
)
from command_api.conversions.attribution.held import read_places
from command_api.conversions.attribution.rules import ReferencedLink
from command_api.conversions.attribution.search import opened
from command_api.conversions.lookups import read_count, read_total, sales_named
from command_api.kernel.reader import AggregateReader
from command_api.links.model import normal_coupon
from command_api.operations.exchange_rates.lookup import rate_on
from command_api.partners import model as partners
from command_api.websites import model as websites
from infra.domain.report_merging import ReportedTraces
from schemas.click_id import IN_PAGE, Click, ForgedClickId, event_id, read
from schemas.events.conversions import Reported
from schemas.events.websites import AttributionModel

Result = TypeVar("Result")

MAX_REFUSED_CLAIMS: Final = 100
"""The limit for one conversion, the first received: as many as it keeps reports."""


@dataclass(frozen=True, slots=True)
class Traced:
    """The reported traces of one conversion, of one trust level."""

    website_id: UUID
    traces: ReportedTraces
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class Gathering:
    """The sources of facts. `click_key` opens click ids."""

    reader: AggregateReader
    clicks: Clicks
    click_key: bytes

    def decide(self, facts: Facts, decision: Callable[[Facts], Result]) -> tuple[Result, Facts]:
        """Decides by `facts`, and reads what the decision needs beyond them; returns the decision and all facts."""
        while True:
            try:
                return decision(facts), facts
            except Unanswered as asked:
                facts = self.ask(facts, asked.question)

    def ask(self, facts: Facts, *questions: FactQuestion[Any]) -> Facts:
        """Returns the facts with the answers to those of `questions` that have none."""
        return facts.answering(self.answer(each for each in questions if each not in facts.answers))

    def answer(self, questions: Iterable[FactQuestion[Any]]) -> Answers:
        """Reads the answers, those of one kind by one reading where there is one."""
        kinds: dict[type[FactQuestion[Any]], list[Any]] = {}
        for question in dict.fromkeys(questions):
            kinds.setdefault(type(question), []).append(question)
        answers: dict[FactQuestion[Any], Any] = {}
        for kind, asked in kinds.items():
            answers |= zip(asked, _READINGS[kind](self, asked), strict=True)
        return answers

    def stored_of(self, facts: Facts, conversion_ids: Iterable[UUID]) -> Facts:
        """Returns the facts with what is stored beside the conversions: clicks that their searches passed over, reports
        that await an exchange rate, refused claims."""
        ids = sorted(set(conversion_ids))
        kinds = (PassedOverBy, AwaitsRate, RefusedClaimsOf)
        return facts.answering(self.answer(kind(conversion_id) for kind in kinds for conversion_id in ids))

    def clicks_of(self, facts: Facts, wanted: Sequence[Traced]) -> Facts:
        """Returns the facts with the links, coupons and clicks that the traces lead to, and the visits of those that
        probably count."""
        facts = facts.answering(
            self.answer(OpenedClick(each.traces.click_id) for each in wanted if each.traces.click_id)
        )
        clicks = [(each, opened(facts, each.website_id, each.traces.click_id)) for each in wanted]
        questions: list[FactQuestion[Any]] = []
        for each, click in clicks:
            if click is not None:
                questions.append(RowOfClick(each.website_id, each.traces.click_id, click))
                questions += [LinkOfCode(click.link_code)] if click.link_code != IN_PAGE else []
            elif each.traces.visitor:
                website = facts[WebsiteOf(each.website_id)]
                first = website is not None and website.attribution_model is AttributionModel.FIRST_CLICK
                questions.append(
                    ClicksOfVisitor(ClickQuery(each.website_id, each.traces.visitor, each.occurred_at), first)
                )
            if each.traces.coupon:
                questions.append(LinkOfCoupon(each.website_id, normal_coupon(each.traces.coupon)))
        answers = self.answer(questions)
        rows = [row for question, row in answers.items() if isinstance(question, RowOfClick) and row is not None]
        pages = [page for question, page in answers.items() if isinstance(question, ClicksOfVisitor)]
        people = [[row for row in page if not row.bot_reason] for page in pages]
        likely = [*rows, *(page[0] for page in people if page)]
        return self.ask(facts.answering(answers), *(VisitOf(row.event_id, row) for row in likely))


Reading = Callable[[Gathering, Sequence[Any]], Sequence[Any]]
"""The answers to questions of one kind, in their order."""


def _websites(gathering: Gathering, asked: Sequence[WebsiteOf]) -> Sequence[Any]:
    return [gathering.reader.load(each.website_id, websites.evolve) for each in asked]


def _partners(gathering: Gathering, asked: Sequence[PartnerOf]) -> Sequence[Any]:
    return [gathering.reader.load(each.partner_id, partners.evolve) for each in asked]


def _conversions(gathering: Gathering, asked: Sequence[ConversionOf]) -> Sequence[Any]:
    return [gathering.reader.load(each.conversion_id, model.evolve) for each in asked]


def _opened(gathering: Gathering, asked: Sequence[OpenedClick]) -> Sequence[Any]:
    return [_read(gathering.click_key, each.click_id) for each in asked]


def _read(key: bytes, click_id: str) -> Click | None:
    try:
        return read(key, click_id)
    except ForgedClickId:
        return None


def _links_of_codes(gathering: Gathering, asked: Sequence[LinkOfCode]) -> Sequence[Any]:
    rows = gathering.reader.select(_LINKS_OF_CODES, [each.code for each in asked])
    links = {code: _link(*link) for code, *link in rows}
    return [links.get(each.code) for each in asked]


def _links(gathering: Gathering, asked: Sequence[LinkOf]) -> Sequence[Any]:
    links = [_link(*row) for row in gathering.reader.select(_LINKS, [each.link_id for each in asked])]
    by_id = {link.link_id: link for link in links}
    return [by_id.get(each.link_id) for each in asked]


def _links_of_coupons(gathering: Gathering, asked: Sequence[LinkOfCoupon]) -> Sequence[Any]:
    sites, coupons = [each.website_id for each in asked], [each.coupon for each in asked]
    rows = gathering.reader.select(_LINKS_OF_COUPONS, sites, coupons)
    links = {(site, coupon): (_link(*link), since) for site, coupon, since, *link in rows}
    return [links.get((each.website_id, each.coupon)) for each in asked]


def _link(
    link_id: UUID,
    website_id: UUID,
    partner_id: UUID,
    former: Sequence[UUID],
    until: Sequence[datetime],
    variant_partners: Sequence[UUID],
) -> ReferencedLink:
    former_partners = tuple(zip(former, until, strict=True))
    return ReferencedLink(link_id, website_id, partner_id, former_partners, tuple(variant_partners))


def _rows_of_clicks(gathering: Gathering, asked: Sequence[RowOfClick]) -> Sequence[Any]:
    keys = {(each.website_id, event_id(each.click_id), day) for each in asked for day in _days_of(each.click)}
    rows = gathering.clicks.by_event(keys)
    return [rows.get(event_id(each.click_id)) for each in asked]


def _clicks_of_visitors(gathering: Gathering, asked: Sequence[ClicksOfVisitor]) -> Sequence[Any]:
    pages: dict[tuple[Any, ...], Sequence[ClickRow]] = {}
    for oldest_first in (False, True):
        first = [each.visit for each in asked if each.after is None and each.oldest_first is oldest_first]
        by_visitor = gathering.clicks.by_visitor(first, oldest_first=oldest_first) if first else {}
        pages |= {(oldest_first, *visitor): page for visitor, page in by_visitor.items()}
    return [
        pages.get((each.oldest_first, each.visit.website_id, each.visit.visitor), [])
        if each.after is None
        else gathering.clicks.next_page(each.visit, each.after, oldest_first=each.oldest_first)
        for each in asked
    ]


def _visits(gathering: Gathering, asked: Sequence[VisitOf]) -> Sequence[Any]:
    visits = gathering.clicks.visits([each.row for each in asked])
    return [visits.get(each.event_id) for each in asked]


def _rates(gathering: Gathering, asked: Sequence[RateOn]) -> Sequence[Any]:
    return [rate_on(gathering.reader, each.base, each.currency, each.day) for each in asked]


def _totals(gathering: Gathering, asked: Sequence[TotalOf]) -> Sequence[Any]:
    return [read_total(gathering.reader, each.key) for each in asked]


def _claims(gathering: Gathering, asked: Sequence[ClaimsOf]) -> Sequence[Any]:
    return [read_count(gathering.reader, each.count) for each in asked]


def _refused_claims(gathering: Gathering, asked: Sequence[RefusedClaimsOf]) -> Sequence[Any]:
    claims: dict[UUID, list[Reported]] = {each.conversion_id: [] for each in asked}
    for conversion_id, claim in gathering.reader.select(_REFUSED_CLAIMS, list(claims), MAX_REFUSED_CLAIMS):
        claims[conversion_id].append(Reported.model_validate(claim))
    return [tuple(claims[each.conversion_id]) for each in asked]


def _passed_over(gathering: Gathering, asked: Sequence[PassedOverBy]) -> Sequence[Any]:
    rows = gathering.reader.select(_PASSED_OVER, [each.conversion_id for each in asked])
    places = {conversion_id: read_places(stored) for conversion_id, stored in rows}
    return [places.get(each.conversion_id) for each in asked]


def _awaits_rate(gathering: Gathering, asked: Sequence[AwaitsRate]) -> Sequence[Any]:
    waiting = {row[0] for row in gathering.reader.select(_AWAITING_RATE, [each.conversion_id for each in asked])}
    return [each.conversion_id in waiting for each in asked]


def _sales_of_clicks(gathering: Gathering, asked: Sequence[SalesOfClicks]) -> Sequence[Any]:
    return [tuple(row[0] for row in gathering.reader.select(_SALES_OF_CLICKS, each.shared_id)) for each in asked]


def _sales_named(gathering: Gathering, asked: Sequence[SalesNamed]) -> Sequence[Any]:
    found = sales_named(gathering.reader, [(each.website_id, each.name) for each in asked])
    return [found[each.website_id, each.name] for each in asked]


def _days_of(click: Click) -> Iterator[date]:
    """Days on which the click's event can be. The id of a click in a page is as old as the answer that brought it, and
    its event has the time of the visitor's clock."""
    day = click.at.astimezone(UTC).date()
    yield day
    if click.link_code == IN_PAGE:
        yield from (day - timedelta(days=1), day + timedelta(days=1))


_READINGS: Final[dict[type[FactQuestion[Any]], Reading]] = {
    WebsiteOf: _websites,
    PartnerOf: _partners,
    ConversionOf: _conversions,
    OpenedClick: _opened,
    LinkOfCode: _links_of_codes,
    LinkOf: _links,
    LinkOfCoupon: _links_of_coupons,
    RowOfClick: _rows_of_clicks,
    ClicksOfVisitor: _clicks_of_visitors,
    VisitOf: _visits,
    RateOn: _rates,
    TotalOf: _totals,
    ClaimsOf: _claims,
    RefusedClaimsOf: _refused_claims,
    PassedOverBy: _passed_over,
    AwaitsRate: _awaits_rate,
    SalesOfClicks: _sales_of_clicks,
    SalesNamed: _sales_named,
}
_LINK: Final[LiteralString] = (
    "l.link_id, l.website_id, l.partner_id,"
    " ARRAY(SELECT f.partner_id FROM lookup.link_former_partner AS f WHERE f.link_id = l.link_id ORDER BY f.version),"
    " ARRAY(SELECT f.until FROM lookup.link_former_partner AS f WHERE f.link_id = l.link_id ORDER BY f.version),"
    " l.variant_partners"
)
_LINKS_OF_CODES: Final[LiteralString] = f"SELECT l.code, {_LINK} FROM lookup.link AS l WHERE l.code = ANY(%s)"  # noqa: S608 - own text
_LINKS: Final[LiteralString] = f"SELECT {_LINK} FROM lookup.link AS l WHERE l.link_id = ANY(%s)"  # noqa: S608 - own text
_LINKS_OF_COUPONS: Final[LiteralString] = (
    f"SELECT c.website_id, c.coupon, c.since, {_LINK} FROM lookup.coupon AS c"  # noqa: S608 - own text
    " JOIN lookup.link AS l USING (link_id) WHERE c.website_id = ANY(%s) AND c.coupon = ANY(%s)"
)
_PASSED_OVER: Final[LiteralString] = (
    "SELECT conversion_id, passed_over FROM conversions.pending_attribution WHERE conversion_id = ANY(%s)"
)
_REFUSED_CLAIMS: Final[LiteralString] = (
    "SELECT conversion_id, claim FROM (SELECT conversion_id, claim, at, report_id,"
    " row_number() OVER (PARTITION BY conversion_id ORDER BY at, report_id) AS place FROM conversions.rejected_report"
    " WHERE conversion_id = ANY(%s) AND claim IS NOT NULL) AS refused WHERE place <= %s ORDER BY at, report_id"
)
_SALES_OF_CLICKS: Final[LiteralString] = (
    "SELECT conversion_id FROM lookup.scoped_transaction WHERE shared_id = %s LIMIT 10"
)
_AWAITING_RATE: Final[LiteralString] = (
    "SELECT DISTINCT conversion_id FROM conversions.awaiting_exchange_rate WHERE conversion_id = ANY(%s)"
)
