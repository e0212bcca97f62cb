"""What a batch of reports needs to know, each thing read once: websites, partners, links, rates, clicks, conversions.

A `Reading` lives for one batch. Conversions that the batch itself changes are kept in it, so that two reports of one
sale in one batch meet each other. `look_up` reads for the whole batch at once; what it did not foresee is read when it
is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from command_api.conversions import model, tally
from command_api.conversions.merging import Traces as Named
from command_api.conversions.tiers import Standing, month_of
from command_api.core import Core
from command_api.links.model import normal_coupon
from command_api.operations import model as operations
from command_api.partners import model as partners
from command_api.policies.attribution import AFTER_SALE, LinkOf, Traces, attribute
from command_api.policies.claims import ClaimCount, read_count
from command_api.policies.clicks import MAX_PAGES, PAGE, ClickRow, Clicks, Visit
from command_api.websites import model as websites
from schemas.base import DomainEvent
from schemas.click_id import Click, ForgedClickId, event_id
from schemas.click_id import read as read_click_id
from schemas.events.conversions import Attribution, LogPlace
from schemas.events.websites import AttributionModel
from schemas.identity import exchange_rate_id
from schemas.tracking import NO_ID, ConversionReported


@dataclass(frozen=True, slots=True)
class Wanted:
    """What leads to the click of one conversion: traces of one level of trust."""

    website_id: UUID
    traces: Named
    occurred_at: datetime


@dataclass
class _VisitorClicks:
    """A visitor's clicks in one order, as far as they were read."""

    visit: Visit
    rows: list[ClickRow]
    is_whole: bool


@dataclass
class Reading:
    """One batch's view of the world. Not thread-safe."""

    core: Core
    clicks: Clicks
    click_key: bytes
    seen: tuple[LogPlace, ...] = ()
    """Up to where the clicks are known to this batch."""
    is_provisional: bool = False
    """Clicks that were received before the batch's reports may be missing."""
    held: set[UUID] = field(default_factory=set)
    """Conversions of which a report is kept until there is a rate for it: what only tells their status waits behind."""
    _websites: dict[UUID, websites.Website | None] = field(default_factory=dict)
    _partners: dict[UUID, partners.Partner | None] = field(default_factory=dict)
    _rates: dict[UUID, operations.ExchangeRates | None] = field(default_factory=dict)
    _conversions: dict[UUID, model.Conversion | None] = field(default_factory=dict)
    _opened: dict[tuple[UUID, str], Click | None] = field(default_factory=dict)
    _click_rows: dict[UUID, ClickRow | None] = field(default_factory=dict)
    _visitors: dict[tuple[UUID, int, bool], _VisitorClicks] = field(default_factory=dict)
    _links: dict[int, LinkOf | None] = field(default_factory=dict)
    _coupons: dict[tuple[UUID, str], tuple[LinkOf, datetime] | None] = field(default_factory=dict)
    _standings: dict[tally.Account, Standing] = field(default_factory=dict)
    _claims: dict[ClaimCount, int] = field(default_factory=dict)

    def look_up(self, wanted: Sequence[Wanted]) -> None:
        """Reads links, coupons and clicks of all of them at once."""
        opened = {
            (each.website_id, each.traces.click_id): self.click_of(each.website_id, each.traces) for each in wanted
        }
        self._read_links({click.link_code for click in opened.values() if click is not None})
        self._read_coupons({(w.website_id, normal_coupon(w.traces.coupon)) for w in wanted if w.traces.coupon})
        self._read_click_rows({key: click for key, click in opened.items() if click is not None})
        for oldest_first in (False, True):
            visits = {
                (each.website_id, each.traces.visitor): Visit(each.website_id, each.traces.visitor, each.occurred_at)
                for each in wanted
                if each.traces.visitor
                and opened[each.website_id, each.traces.click_id] is None
                and self._is_first_click(each.website_id) is oldest_first
            }
            self._read_visitors(list(visits.values()), oldest_first)

    def look_up_held(self, reports: Iterable[ConversionReported]) -> None:
        """Reads which of the conversions wait for an exchange rate."""
        wanted = sorted({report.conversion_id for report in reports if not (report.amount or report.payout)})
        sql = "SELECT DISTINCT conversion_id FROM policy.without_rate WHERE conversion_id = ANY(%s)"
        self.held.update(found for (found,) in self._rows(sql, (wanted,), wanted))

    def attribution(
        self,
        website: websites.Website,
        named: Iterable[Named],
        occurred_at: datetime,
        held: Attribution | None = None,
    ) -> Attribution | None:
        """The click that earns a conversion: that of the most trusted traces which lead to one.

        `held`: what it is attributed to now. The model by which that was chosen still holds, and so do the terms of a
        click that stays the same.
        """
        attribution_model = website.attribution_model
        if held is not None and held.model:
            attribution_model = AttributionModel(held.model)
        for each in named:
            traces = self._traces(website.id, each, occurred_at, attribution_model)
            found = attribute(website.id, occurred_at, traces, attribution_model, self.partner)
            if found is not None:
                return found
        return None

    def click_of(self, website_id: UUID, named: Named) -> Click | None:
        """What the click id says; none without one, or when it is forged or another website's."""
        if not named.click_id:
            return None
        key = website_id, named.click_id
        if key not in self._opened:
            try:
                click = read_click_id(self.click_key, named.click_id)
                self._opened[key] = click if click.is_of(website_id) else None
            except ForgedClickId:
                self._opened[key] = None
        return self._opened[key]

    def claims_of(self, website_id: UUID, click_id: str, hour: datetime) -> int:
        """How many claims of that click and hour are recorded, those of this batch included."""
        count = website_id, click_id, hour
        if count not in self._claims:
            with self.core.pool.connection() as connection:
                self._claims[count] = read_count(connection, count)
        return self._claims[count]

    def claimed(self, count: ClaimCount) -> None:
        """A claim is going to be recorded."""
        self._claims[count] = self.claims_of(*count) + 1

    def website(self, website_id: UUID) -> websites.Website | None:
        if website_id not in self._websites:
            self._websites[website_id] = self.core.store.load(website_id, websites.evolve)
        return self._websites[website_id]

    def partner(self, partner_id: UUID) -> partners.Partner | None:
        if partner_id not in self._partners:
            self._partners[partner_id] = self.core.store.load(partner_id, partners.evolve)
        return self._partners[partner_id]

    def conversion(self, conversion_id: UUID) -> model.Conversion | None:
        if conversion_id not in self._conversions:
            self._conversions[conversion_id] = self.core.store.load(conversion_id, model.evolve)
        return self._conversions[conversion_id]

    def changed(self, conversion_id: UUID, events: Iterable[DomainEvent]) -> None:
        """`events` are going to be stored: later reports of the batch build on them."""
        state = self.conversion(conversion_id)
        for event in events:
            state = model.evolve(state, event)
            if (moved := tally.movement(event)) is not None and moved[0] in self._standings:
                self._standings[moved[0]] += moved[1]
        self._conversions[conversion_id] = state

    def standing(
        self,
        website_id: UUID,
        attribution: Attribution | None,
        occurred_at: datetime,
        without: model.Conversion | None = None,
    ) -> Standing:
        """What the month of a sale has brought with its partner so far; nothing unless the terms have tiers. `without`:
        the conversion that is withdrawn first."""
        if attribution is None or not attribution.terms.tiers:
            return Standing()
        account = (website_id, attribution.partner_id, month_of(occurred_at))
        if account not in self._standings:
            with self.core.pool.connection() as connection:
                self._standings[account] = tally.standing(connection, account)
        found = self._standings[account]
        if without is not None and tally.account_of(without.facts) == account:
            found = found - tally.counted_in(model.contribution(without))
        return found

    def rates(self, currencies: Iterable[str | None], to: str, day: date) -> dict[str, str]:
        """The latest rates on or before `day`, for those of `currencies` that have one."""
        found: dict[str, str] = {}
        for currency in {currency for currency in currencies if currency is not None and currency != to}:
            pair = exchange_rate_id(currency, to)
            if pair not in self._rates:
                self._rates[pair] = self.core.store.load(pair, operations.evolve)
            table = self._rates[pair]
            rate = table.on(day) if table is not None else None
            if rate is not None:
                found[currency] = rate
        return found

    def _traces(
        self, website_id: UUID, named: Named, occurred_at: datetime, attribution_model: AttributionModel
    ) -> Traces:
        click = self.click_of(website_id, named)
        if click is not None:
            self._read_links({click.link_code})
            self._read_click_rows({(website_id, named.click_id): click})
        coupon: tuple[LinkOf, datetime] | None = None
        if named.coupon:
            key = website_id, normal_coupon(named.coupon)
            self._read_coupons({key})
            coupon = self._coupons[key]
        visit = Visit(website_id, named.visitor, occurred_at)
        return Traces(
            click_id=named.click_id,
            click=click,
            click_link=self._links[click.link_code] if click else None,
            click_row=self._click_rows[event_id(named.click_id)] if click else None,
            coupon_link=coupon[0] if coupon and coupon[1] <= occurred_at + AFTER_SALE else None,
            visitor_clicks=self._clicks_of(visit, attribution_model is AttributionModel.FIRST_CLICK),
            partner_hint=named.partner_id or NO_ID,
            is_claim=named.is_claim,
        )

    def _is_first_click(self, website_id: UUID) -> bool:
        website = self.website(website_id)
        return website is not None and website.attribution_model is AttributionModel.FIRST_CLICK

    def _clicks_of(self, visit: Visit, oldest_first: bool) -> Iterator[ClickRow]:
        """All clicks of the visitor, page by page."""
        if not visit.visitor:
            return
        key = visit.website_id, visit.visitor, oldest_first
        if key not in self._visitors or self._visitors[key].visit.occurred_at != visit.occurred_at:
            self._read_visitors([visit], oldest_first)
        known = self._visitors[key]
        place = 0
        while True:
            while place < len(known.rows):
                yield known.rows[place]
                place += 1
            if known.is_whole or len(known.rows) >= MAX_PAGES * PAGE:
                return
            more = self.clicks.more_of(known.visit, known.rows[-1], oldest_first=oldest_first)
            known.rows.extend(more)
            known.is_whole = len(more) < PAGE

    def _read_visitors(self, visits: Sequence[Visit], oldest_first: bool) -> None:
        if not visits:
            return
        found = self.clicks.of_visitors(visits, oldest_first=oldest_first)
        for visit in visits:
            rows = found.get((visit.website_id, visit.visitor), [])
            known = _VisitorClicks(visit, rows, is_whole=len(rows) < PAGE)
            self._visitors[visit.website_id, visit.visitor, oldest_first] = known

    def _read_click_rows(self, opened: dict[tuple[UUID, str], Click]) -> None:
        wanted = {
            (website_id, event_id(text), click.at.astimezone(UTC).date())
            for (website_id, text), click in opened.items()
            if event_id(text) not in self._click_rows
        }
        found = self.clicks.by_event(wanted)
        for _, wanted_id, _ in wanted:
            self._click_rows[wanted_id] = found.get(wanted_id)

    def _read_links(self, codes: set[int]) -> None:
        missing = [code for code in codes if code not in self._links]
        self._links.update(dict.fromkeys(missing))
        for code, *link in self._rows(
            "SELECT code, link_id, website_id, partner_id FROM policy.link WHERE code = ANY(%s)", (missing,), missing
        ):
            self._links[code] = LinkOf(*link)

    def _read_coupons(self, wanted: set[tuple[UUID, str]]) -> None:
        missing = [key for key in wanted if key not in self._coupons]
        self._coupons.update(dict.fromkeys(missing))
        sites, coupons = [site for site, _ in missing], [coupon for _, coupon in missing]
        rows = self._rows(
            "SELECT c.website_id, c.coupon, c.since, l.link_id, l.website_id, l.partner_id FROM policy.coupon c"
            " JOIN policy.link l USING (link_id) WHERE c.website_id = ANY(%s) AND c.coupon = ANY(%s)",
            (sites, coupons),
            missing,
        )
        for website_id, coupon, since, *link in rows:
            if (website_id, coupon) in self._coupons:
                self._coupons[(website_id, coupon)] = (LinkOf(*link), since)

    def _rows(self, sql: str, values: tuple[Any, ...], wanted: Any) -> list[tuple[Any, ...]]:
        if not wanted:
            return []
        with self.core.pool.connection() as connection:
            rows: list[tuple[Any, ...]] = connection.execute(sql.encode(), values).fetchall()
            return rows
