"""Attribution rules: choose the click that earns a conversion. Pure.

The order is click id, coupon, visitor, and at last the partner that the network's own report names; within it the last
click in its partner's window, or the first one if the website chose that model. A click more than a minute after the
conversion earns nothing. The click of a trusted report counts even if it is excluded from analytics as a bot's; the
attribution records the reason. The click of a claim does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from command_api.conversions.attribution.clicks import ClickRow, ClickVisit
from command_api.partners.model import Partner
from schemas.click_id import IN_PAGE, Click
from schemas.events.conversions import AttributedBy, Attribution
from schemas.events.websites import AttributionModel
from schemas.tracking import NO_ID

CLOCK_TOLERANCE: Final = timedelta(seconds=60)
"""Allowed clock difference between website and tracking."""

FindPartner = Callable[[UUID], Partner | None]
FindVisit = Callable[[ClickRow], ClickVisit | None]


@dataclass(frozen=True, slots=True)
class ReferencedLink:
    """The link of a click id's code or of a coupon. `former_partners`: those before the present one, the first first,
    and until when it led to each; `variant_partners`: those to which variants of it lead or led, as click ids count
    them."""

    link_id: UUID
    website_id: UUID
    partner_id: UUID
    former_partners: tuple[tuple[UUID, datetime], ...] = ()
    variant_partners: tuple[UUID, ...] = ()

    def at(self, moment: datetime) -> ReferencedLink:
        """The link with the partner to which it led at that moment, but for its variants."""
        led_to = next((partner for partner, until in self.former_partners if moment < until), self.partner_id)
        return replace(self, partner_id=led_to)

    def of_click(self, click: Click, row: ClickRow | None, held: UUID | None = None) -> ReferencedLink | None:
        """The link with the partner to which it led the click: that of the click's event. Without an event the one that
        a conversion of the click already has (`held`), else the one that the click id names, else the one of the time:
        ingest learns of a change a moment later. None while only the event can tell to which variant it led: the id is
        of a version that does not name it."""
        known = {self.partner_id, *(partner for partner, _ in self.former_partners), *self.variant_partners}
        named = row.partner_id if row is not None else held
        if named in known:
            return replace(self, partner_id=named)
        place = click.partner_place
        if named is None and place and place <= len(self.variant_partners):
            return replace(self, partner_id=self.variant_partners[place - 1])
        is_open = named is None and place != 0 and bool(self.variant_partners)
        return None if is_open else self.at(click.at)


@dataclass(frozen=True, slots=True)
class ResolvedTraces:
    """The candidates for the click of one conversion."""

    click_id: str = ""
    click: Click | None = None
    """The decoded click id; none: there is no click id, or it is invalid."""
    click_link: ReferencedLink | None = None
    click_row: ClickRow | None = None
    coupon_link: ReferencedLink | None = None
    visitor_clicks: Iterable[ClickRow] = ()
    """The clicks in the order of the model: the newest first for the last click, the oldest first for the first. Read
    lazily."""
    partner_hint: UUID = NO_ID
    """The partner that a postback named: visitors' clicks on others then do not count."""
    is_claim: bool = False
    """Reported with the public site key only."""
    coupon: str = ""
    """The coupon in its usual form; with `coupon_link`."""
    network_partner: UUID = NO_ID
    """The partner that pays the sale, by the network's own account."""


def attribute(
    website_id: UUID,
    occurred_at: datetime,
    traces: ResolvedTraces,
    model: AttributionModel,
    partner_of: FindPartner,
    find_visit: FindVisit = lambda _: None,
) -> Attribution | None:
    """The attribution, with the terms at the time of the click; none while no click is found."""
    if traces.is_claim and traces.click_row is not None and traces.click_row.bot_reason:
        return None
    return (
        _by_click_id(website_id, occurred_at, traces, partner_of, find_visit)
        or _by_coupon(website_id, occurred_at, traces, partner_of)
        or _by_visitor(website_id, occurred_at, traces, model, partner_of, find_visit)
        or _by_network(occurred_at, traces, partner_of)
    )


def click_of(found: Attribution | None) -> tuple[object, ...] | None:
    """Returns the values that distinguish an attribution's click from another click."""
    return None if found is None else (found.partner_id, found.link_id, found.click_id, found.clicked_at)


def is_within_window(partner: Partner, clicked_at: datetime, occurred_at: datetime) -> bool:
    """Returns whether a click of that time may earn a conversion of that time."""
    return clicked_at <= occurred_at + CLOCK_TOLERANCE and partner.is_within_window(clicked_at, occurred_at)


def of_click(
    traces: ResolvedTraces,
    click: Click,
    link: ReferencedLink,
    partner: Partner,
    find_visit: FindVisit,
    by: AttributedBy,
) -> Attribution:
    """The attribution to the click of a click id; without its row, with what the id itself says."""
    row = traces.click_row
    details = {"country": click.country, "device": click.device} if row is None else details_of(row, find_visit)
    return Attribution(
        **details,
        by=by,
        partner_id=partner.id,
        link_id=link.link_id,
        click_id=traces.click_id,
        clicked_at=click.at,
        terms=partner.terms_at(click.at).terms,
        bot_reason=row.bot_reason if row else "",
    )


def details_of(row: ClickRow, find_visit: FindVisit) -> dict[str, Any]:
    """The fields of an attribution that come from the click's row and its visit."""
    of_click = {name: getattr(row, name) for name in ("visitor", "country", "device", "source", "subs", "route")}
    visit = find_visit(row)
    return of_click if visit is None else {**of_click, "source": visit.source, "visit": visit.details}


def of_link(link: ReferencedLink, partner: Partner, occurred_at: datetime) -> Attribution:
    """The attribution to a link that a person chose: as by a coupon, with the terms at the time of the sale."""
    return Attribution(
        by=AttributedBy.MANUAL,
        partner_id=partner.id,
        link_id=link.link_id,
        clicked_at=occurred_at,
        terms=partner.terms_at(occurred_at).terms,
    )


def _by_click_id(
    website_id: UUID, occurred_at: datetime, traces: ResolvedTraces, partner_of: FindPartner, find_visit: FindVisit
) -> Attribution | None:
    click, link = traces.click, traces.click_link
    if click is not None and click.link_code == IN_PAGE and click.is_of(website_id):
        return _by_click_in_page(website_id, occurred_at, traces, partner_of, find_visit)
    if click is None or link is None or not click.is_of(website_id) or link.website_id != website_id:
        return None
    partner = partner_of(link.partner_id)
    if partner is None or not is_within_window(partner, click.at, occurred_at):
        return None
    return of_click(traces, click, link, partner, find_visit, AttributedBy.CLICK_ID)


def _by_click_in_page(
    website_id: UUID, occurred_at: datetime, traces: ResolvedTraces, partner_of: FindPartner, find_visit: FindVisit
) -> Attribution | None:
    """The click on a link that is no tracked link: its event alone knows the partner, or the postback's address."""
    row = traces.click_row
    if row is None or row.website_id != website_id:
        return None
    partner = partner_of(row.partner_id or (NO_ID if traces.is_claim else traces.partner_hint))
    if partner is None or not is_within_window(partner, row.occurred_at, occurred_at):
        return None
    return Attribution(
        **details_of(row, find_visit),
        by=AttributedBy.CLICK_ID,
        partner_id=partner.id,
        click_id=traces.click_id,
        clicked_at=row.occurred_at,
        terms=partner.terms_at(row.occurred_at).terms,
        bot_reason=row.bot_reason,
    )


def _by_coupon(
    website_id: UUID, occurred_at: datetime, traces: ResolvedTraces, partner_of: FindPartner
) -> Attribution | None:
    link = traces.coupon_link
    if link is None or link.website_id != website_id:
        return None
    partner = partner_of(link.partner_id)
    if partner is None:
        return None
    return Attribution(
        by=AttributedBy.COUPON,
        partner_id=partner.id,
        link_id=link.link_id,
        clicked_at=occurred_at,
        terms=partner.terms_at(occurred_at).terms,
        coupon=traces.coupon,
    )


def _by_visitor(
    website_id: UUID,
    occurred_at: datetime,
    traces: ResolvedTraces,
    model: AttributionModel,
    partner_of: FindPartner,
    find_visit: FindVisit,
) -> Attribution | None:
    for row in traces.visitor_clicks:
        if row.partner_id is None or row.website_id != website_id:
            continue
        if traces.partner_hint not in (NO_ID, row.partner_id):
            continue
        partner = partner_of(row.partner_id)
        if partner is None or not is_within_window(partner, row.occurred_at, occurred_at):
            continue
        return Attribution(
            **details_of(row, find_visit),
            by=AttributedBy.VISITOR,
            partner_id=partner.id,
            link_id=row.link_id,
            click_id=row.click_id,
            clicked_at=row.occurred_at,
            terms=partner.terms_at(row.occurred_at).terms,
            model=model.value,
        )
    return None


def _by_network(occurred_at: datetime, traces: ResolvedTraces, partner_of: FindPartner) -> Attribution | None:
    """The sale of a partner that no click, coupon or visitor leads to: the network itself says that it is paid."""
    partner = partner_of(traces.network_partner) if traces.network_partner != NO_ID else None
    if partner is None:
        return None
    return Attribution(
        by=AttributedBy.NETWORK,
        partner_id=partner.id,
        clicked_at=occurred_at,
        terms=partner.terms_at(occurred_at).terms,
    )
