"""Searches for the click that earns a conversion, among the facts. Pure.

The traces of the reports, the most trusted first -> candidates (`ResolvedTraces`) -> the rules (`rules.attribute`) ->
what was attributed before stays (`held`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from command_api.conversions import model
from command_api.conversions.attribution.clicks import MAX_PAGES, PAGE_SIZE, ClickQuery, ClickRow, ClickVisit
from command_api.conversions.attribution.facts import (
    ClicksOfVisitor,
    Facts,
    LinkOfCode,
    LinkOfCoupon,
    OpenedClick,
    PartnerOf,
    RowOfClick,
    VisitOf,
)
from command_api.conversions.attribution.held import NOT_PROJECTED, Held, Place, VisitorClicks
from command_api.conversions.attribution.rules import (
    CLOCK_TOLERANCE,
    ReferencedLink,
    ResolvedTraces,
    attribute,
    click_of,
    details_of,
    of_click,
)
from command_api.links.model import normal_coupon
from command_api.partners.model import Partner
from command_api.websites.model import Website
from infra.domain.report_merging import ReportedTraces
from schemas.click_id import IN_PAGE, Click
from schemas.events.conversions import AttributedBy, Attribution
from schemas.events.websites import AttributionModel
from schemas.tracking import NO_ID


@dataclass(frozen=True, slots=True)
class AttributionResult:
    """The result of a search."""

    attribution: Attribution | None = None
    passed_over: frozenset[Place] = frozenset()
    """Bots' clicks that the search passed over."""


@dataclass(frozen=True, slots=True)
class _Lead:
    """The traces of one trust level, and the clicks that they lead to."""

    traces: ResolvedTraces
    clicks: VisitorClicks
    is_row_as_held: bool
    """The row of the named click is not there, or was marked otherwise: nothing of the attribution changes."""


def search(
    facts: Facts,
    website: Website,
    named: Iterable[ReportedTraces],
    occurred_at: datetime,
    held: Held | None = None,
) -> AttributionResult:
    """The click that earns a conversion: the one of the most trusted traces that lead to a click.

    `held`: the attribution so far. Its attribution model stays, and so do the terms of an unchanged click; and all
    details, while the click's row is not there (`events` is built again) or marked otherwise than it was.
    """

    def partner_of(partner_id: UUID) -> Partner | None:
        """Returns the partner; none for a private partner of another account: a click that names it earns nothing by
        its terms."""
        partner = facts[PartnerOf(partner_id)]
        return partner if partner is not None and partner.is_for(website.account_id) else None

    named, attribution_model = tuple(named), website.attribution_model
    if held is not None and held.is_final and (named, occurred_at) == (held.traces, held.occurred_at):
        return AttributionResult(held.attribution)
    if held is not None and held.attribution.model:
        attribution_model = AttributionModel(held.attribution.model)
    passed_over = frozenset[Place]()
    for each in named:
        lead = _lead(facts, website.id, each, occurred_at, attribution_model, held)
        if held is not None and _is_row_missing(lead.traces, held.attribution):
            return AttributionResult(held.attribution, passed_over)
        attribution = attribute(
            website.id, occurred_at, lead.traces, attribution_model, partner_of, lambda click: visit(facts, click)
        )
        passed_over |= lead.clicks.passed_over
        if attribution is not None:
            return AttributionResult(
                attribution if held is None else _unless_as_held(attribution, lead, held), passed_over
            )
    return AttributionResult(None, passed_over)


def held_by(state: model.Conversion, facts: Facts) -> Held | None:
    """The attribution of a conversion, and what led to it."""
    if state.facts.attribution is None:
        return None
    stored = facts.passed_over(state.id)
    passed_over, is_final = stored or frozenset(), stored is None
    traces, occurred_at = state.merged.traces, state.facts.occurred_at
    return Held(state.facts.attribution, state.seen, passed_over, traces, occurred_at, is_final=is_final)


def opened(facts: Facts, website_id: UUID, click_id: str) -> Click | None:
    """The click that a click id of the website names; none if it is missing, forged or another website's."""
    click = facts[OpenedClick(click_id)] if click_id else None
    return click if click is not None and click.is_of(website_id) else None


def chosen_click(facts: Facts, link: ReferencedLink, partner: Partner, click_id: str, click: Click) -> Attribution:
    """The attribution to a click that a person chose."""
    row = facts[RowOfClick(link.website_id, click_id, click)]
    traces = ResolvedTraces(click_id=click_id, click_row=row)
    return of_click(traces, click, link, partner, lambda click: visit(facts, click), AttributedBy.MANUAL)


def with_details(facts: Facts, website_id: UUID, held: Held) -> Attribution:
    """The attribution that a person chose, with the details of its click as far as they are projected."""
    chosen = held.attribution
    click = facts[OpenedClick(chosen.click_id)] if chosen.click_id else None
    row = facts[RowOfClick(website_id, chosen.click_id, click)] if click is not None else None
    if row is None or held.is_remarked(row):
        return chosen
    details = details_of(row, lambda click: visit(facts, click))
    return chosen.model_copy(update={**details, "bot_reason": row.bot_reason})


def visit(facts: Facts, row: ClickRow) -> ClickVisit | None:
    """The visit of a click."""
    return None if row.event_id == NOT_PROJECTED else facts[VisitOf(row.event_id, row)]


def _lead(
    facts: Facts,
    website_id: UUID,
    named: ReportedTraces,
    occurred_at: datetime,
    attribution_model: AttributionModel,
    held: Held | None,
) -> _Lead:
    click = opened(facts, website_id, named.click_id)
    row = facts[RowOfClick(website_id, named.click_id, click)] if click is not None else None
    is_remarked = row is not None and held is not None and held.is_remarked(row)
    coupon = normal_coupon(named.coupon) if named.coupon else ""
    of_coupon = facts[LinkOfCoupon(website_id, coupon)] if coupon else None
    oldest_first = attribution_model is AttributionModel.FIRST_CLICK
    rows = _clicks_of(facts, ClickQuery(website_id, named.visitor, occurred_at), oldest_first=oldest_first)
    is_repeated = held is not None and held.repeats(named, occurred_at)
    clicks = VisitorClicks(website_id, named.visitor, rows, held, is_repeated, oldest_first)
    marked = row
    if row is not None and held is not None and is_remarked and held.attribution.click_id == named.click_id:
        marked = replace(row, bot_reason=held.attribution.bot_reason)
    link = facts[LinkOfCode(click.link_code)] if click is not None and click.link_code != IN_PAGE else None
    if link is not None and click is not None:
        is_held = held is not None and held.attribution.click_id == named.click_id
        link = link.of_click(click, row, held.attribution.partner_id if held is not None and is_held else None)
    traces = ResolvedTraces(
        click_id=named.click_id,
        click=click,
        click_link=link,
        click_row=marked,
        coupon=coupon,
        coupon_link=of_coupon[0].at(occurred_at)
        if of_coupon and of_coupon[1] <= occurred_at + CLOCK_TOLERANCE
        else None,
        visitor_clicks=clicks,
        partner_hint=named.partner_id or NO_ID,
        network_partner=named.network_partner_id or NO_ID,
        is_claim=named.is_claim,
    )
    return _Lead(traces, clicks, is_row_as_held=row is None or is_remarked)


def _clicks_of(facts: Facts, visits: ClickQuery, *, oldest_first: bool) -> Iterator[ClickRow]:
    """Yields the clicks of the visitor, page by page."""
    after: ClickRow | None = None
    for page in range(MAX_PAGES if visits.visitor else 0):
        rows = facts[ClicksOfVisitor(visits, oldest_first, page, after)]
        yield from rows
        if len(rows) < PAGE_SIZE:
            return
        after = rows[-1]


def _unless_as_held(found: Attribution, lead: _Lead, held: Held) -> Attribution:
    """Returns the found attribution; of the held click, only if its row is there and marked as it was, else the held
    one."""
    if click_of(found) != click_of(held.attribution):
        return found
    is_as_held = found.by is AttributedBy.VISITOR and lead.clicks.is_as_held
    is_as_held |= found.by is AttributedBy.CLICK_ID and bool(found.click_id) and lead.is_row_as_held
    return held.attribution.model_copy(update={"terms": found.terms}) if is_as_held else found


def _is_row_missing(traces: ResolvedTraces, current: Attribution) -> bool:
    """Returns whether `current` depends on the row of a click in a page alone, and that row is not there at the
    moment."""
    is_in_page = traces.click is not None and traces.click.link_code == IN_PAGE
    return is_in_page and traces.click_row is None and current.click_id == traces.click_id
