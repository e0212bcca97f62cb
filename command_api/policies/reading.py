"""What a batch of reports needs to know, each thing read once: websites, partners, links, rates, clicks, conversions.

A `Reading` lives for one batch. Conversions that the batch itself changes are kept in it, so that two reports of one
sale in one batch meet each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from command_api.conversions import model, tally
from command_api.conversions.tiers import Standing, month_of
from command_api.core import Core
from command_api.links.model import normal_coupon
from command_api.operations import model as operations
from command_api.partners import model as partners
from command_api.policies.attribution import AFTER_SALE, LinkOf, Traces, attribute
from command_api.policies.clicks import ClickRow, Clicks, Visit
from command_api.websites import model as websites
from schemas.base import DomainEvent
from schemas.click_id import Click, ForgedClickId, event_id
from schemas.click_id import read as read_click_id
from schemas.events.conversions import Attribution
from schemas.identity import exchange_rate_id
from schemas.tracking import ConversionReported, from_log_time


@dataclass
class Reading:
    """One batch's view of the world. Not thread-safe."""

    core: Core
    clicks: Clicks
    click_key: bytes
    held: set[UUID] = field(default_factory=set)
    """Conversions of which a report is kept until there is a rate for it: what only tells their status waits behind."""
    _websites: dict[UUID, websites.Website | None] = field(default_factory=dict)
    _partners: dict[UUID, partners.Partner | None] = field(default_factory=dict)
    _rates: dict[UUID, operations.ExchangeRates | None] = field(default_factory=dict)
    _conversions: dict[UUID, model.Conversion | None] = field(default_factory=dict)
    _opened: dict[str, Click | None] = field(default_factory=dict)
    _click_rows: dict[UUID, ClickRow] = field(default_factory=dict)
    _visits: dict[tuple[UUID, int], list[ClickRow]] = field(default_factory=dict)
    _links: dict[int, LinkOf] = field(default_factory=dict)
    _coupons: dict[tuple[UUID, str], tuple[LinkOf, datetime]] = field(default_factory=dict)
    _standings: dict[tally.Account, Standing] = field(default_factory=dict)

    def look_up(self, reports: Sequence[ConversionReported]) -> None:
        """Reads links, coupons and clicks of all `reports` at once. Call it before `attribution`."""
        opened = [self.click_of(report) for report in reports]
        self._read_links({click.link_code for click in opened if click is not None})
        self._read_coupons({(r.website_id, normal_coupon(r.coupon)) for r in reports if r.coupon})
        self.look_up_clicks(reports)
        unseen = [r for r in reports if r.visitor and self.click_of(r) is None]
        visits = [Visit(r.website_id, r.visitor, from_log_time(r.occurred_at)) for r in unseen]
        self._visits.update(self.clicks.of_visitors(visits))

    def look_up_held(self, reports: Iterable[ConversionReported]) -> None:
        """Reads which of the conversions wait for an exchange rate."""
        wanted = sorted({report.conversion_id for report in reports if not (report.amount or report.payout)})
        sql = "SELECT DISTINCT conversion_id FROM policy.without_rate WHERE conversion_id = ANY(%s)"
        self.held.update(found for (found,) in self._rows(sql, (wanted,), wanted))

    def look_up_clicks(self, reports: Iterable[ConversionReported]) -> list[Click]:
        """Reads the clicks behind click ids; gives those that are not there (yet)."""
        wanted = {
            (report.website_id, event_id(report.click_id), click.at.astimezone(UTC).date()): click
            for report in reports
            if (click := self.click_of(report)) is not None and event_id(report.click_id) not in self._click_rows
        }
        self._click_rows.update(self.clicks.by_event(wanted))
        return [click for (_, wanted_id, _), click in wanted.items() if wanted_id not in self._click_rows]

    def attribution(self, report: ConversionReported, website: websites.Website) -> Attribution | None:
        occurred_at = from_log_time(report.occurred_at)
        click = self.click_of(report)
        if click is not None and self._is_useless(click, report):
            self._look_up_visit(report)
        coupon = self._coupons.get((report.website_id, normal_coupon(report.coupon))) if report.coupon else None
        traces = Traces(
            click_id=report.click_id,
            click=click,
            click_link=self._links.get(click.link_code) if click else None,
            click_row=self._click_rows.get(event_id(report.click_id)) if click else None,
            coupon_link=coupon[0] if coupon and coupon[1] <= occurred_at + AFTER_SALE else None,
            visitor_clicks=self._visits.get((report.website_id, report.visitor), ()) if report.visitor else (),
            partner_hint=report.partner_id,
        )
        return attribute(report.website_id, occurred_at, traces, website.attribution_model, self.partner)

    def click_of(self, report: ConversionReported) -> Click | None:
        """What the report's click id says; none without one, or when it is forged or another website's."""
        text = report.click_id
        if not text:
            return None
        if text not in self._opened:
            try:
                self._opened[text] = read_click_id(self.click_key, text)
            except ForgedClickId:
                self._opened[text] = None
        click = self._opened[text]
        return click if click is not None and click.is_of(report.website_id) else None

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

    def standing(self, website_id: UUID, attribution: Attribution | None, occurred_at: datetime) -> Standing:
        """What the month of a sale has brought with its partner so far; nothing unless the terms have tiers."""
        if attribution is None or not attribution.terms.tiers:
            return Standing()
        account = (website_id, attribution.partner_id, month_of(occurred_at))
        if account not in self._standings:
            with self.core.pool.connection() as connection:
                self._standings[account] = tally.standing(connection, account)
        return self._standings[account]

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

    def _is_useless(self, click: Click, report: ConversionReported) -> bool:
        """Whether a genuine click id cannot earn this conversion, so that the visitor's clicks are asked after all."""
        link = self._links.get(click.link_code)
        partner = self.partner(link.partner_id) if link else None
        occurred_at = from_log_time(report.occurred_at)
        in_time = click.at <= occurred_at + AFTER_SALE
        return partner is None or not in_time or not partner.covers(click.at, occurred_at)

    def _look_up_visit(self, report: ConversionReported) -> None:
        key = (report.website_id, report.visitor)
        if report.visitor and key not in self._visits:
            self._visits.update(self.clicks.of_visitors([Visit(*key, from_log_time(report.occurred_at))]))

    def _read_links(self, codes: set[int]) -> None:
        missing = [code for code in codes if code not in self._links]
        for code, *link in self._rows(
            "SELECT code, link_id, website_id, partner_id FROM policy.link WHERE code = ANY(%s)", (missing,), missing
        ):
            self._links[code] = LinkOf(*link)

    def _read_coupons(self, wanted: set[tuple[UUID, str]]) -> None:
        sites, coupons = [site for site, _ in wanted], [coupon for _, coupon in wanted]
        rows = self._rows(
            "SELECT c.website_id, c.coupon, c.since, l.link_id, l.website_id, l.partner_id FROM policy.coupon c"
            " JOIN policy.link l USING (link_id) WHERE c.website_id = ANY(%s) AND c.coupon = ANY(%s)",
            (sites, coupons),
            wanted,
        )
        for website_id, coupon, since, *link in rows:
            self._coupons[(website_id, coupon)] = (LinkOf(*link), since)

    def _rows(self, sql: str, values: tuple[Any, ...], wanted: Any) -> list[tuple[Any, ...]]:
        if not wanted:
            return []
        with self.core.pool.connection() as connection:
            rows: list[tuple[Any, ...]] = connection.execute(sql.encode(), values).fetchall()
            return rows
