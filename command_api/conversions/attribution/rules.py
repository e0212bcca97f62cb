"""Which click earns a conversion. Pure: what is known of clicks, links and partners comes in, the answer goes out.

By click id first, then by coupon, then by visitor; the last click within its partner's window, unless the website
chose the first. A click more than a minute after the conversion earned nothing. A trusted report's click counts also if
figures leave it out as a bot's, and says so: the shop vouches for the sale. A claim's does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from command_api.partners.model import Partner
from command_api.policies.clicks import ClickRow
from schemas.click_id import Click
from schemas.events.conversions import AttributedBy, Attribution
from schemas.events.websites import AttributionModel
from schemas.tracking import NO_ID

AFTER_SALE: Final = timedelta(seconds=60)
"""Clocks of website and tracking differ; a click that seems this much later may still have come first."""

FindPartner = Callable[[UUID], Partner | None]


@dataclass(frozen=True, slots=True)
class LinkOf:
    """The link that a click id's code or a coupon stands for."""

    link_id: UUID
    website_id: UUID
    partner_id: UUID


@dataclass(frozen=True, slots=True)
class Traces:
    """All that may lead from one conversion to its click."""

    click_id: str = ""
    click: Click | None = None
    """What the click id says; none: there is no click id, or it is not one of ours."""
    click_link: LinkOf | None = None
    click_row: ClickRow | None = None
    coupon_link: LinkOf | None = None
    visitor_clicks: Iterable[ClickRow] = ()
    """In the order of the model: the newest first for the last click, the oldest first for the first. Read lazily."""
    partner_hint: UUID = NO_ID
    """The partner that a postback named: visitors' clicks on others then do not count."""
    is_claim: bool = False
    """Nothing but the public site key names them."""


def attribute(
    website_id: UUID, occurred_at: datetime, traces: Traces, model: AttributionModel, partner_of: FindPartner
) -> Attribution | None:
    """The attribution, with the terms at the time of the click; none while no trace leads to a click."""
    if traces.is_claim and traces.click_row is not None and traces.click_row.bot_reason:
        return None
    return (
        _by_click_id(website_id, occurred_at, traces, partner_of)
        or _by_coupon(website_id, occurred_at, traces, partner_of)
        or _by_visitor(website_id, occurred_at, traces, model, partner_of)
    )


def in_time(partner: Partner, clicked_at: datetime, occurred_at: datetime) -> bool:
    """Whether a click of that time may earn a conversion of that time."""
    return clicked_at <= occurred_at + AFTER_SALE and partner.covers(clicked_at, occurred_at)


def _by_click_id(
    website_id: UUID, occurred_at: datetime, traces: Traces, partner_of: FindPartner
) -> Attribution | None:
    click, link = traces.click, traces.click_link
    if click is None or link is None or not click.is_of(website_id) or link.website_id != website_id:
        return None
    partner = partner_of(link.partner_id)
    if partner is None or not in_time(partner, click.at, occurred_at):
        return None
    row = traces.click_row
    return Attribution(
        by=AttributedBy.CLICK_ID,
        partner_id=partner.id,
        link_id=link.link_id,
        click_id=traces.click_id,
        clicked_at=click.at,
        terms=partner.held_at(click.at).terms,
        visitor=row.visitor if row else 0,
        country=row.country if row else click.country,
        device=row.device if row else click.device,
        source=row.source if row else "",
        subs=dict(row.subs) if row else {},
        bot_reason=row.bot_reason if row else "",
    )


def _by_coupon(website_id: UUID, occurred_at: datetime, traces: Traces, partner_of: FindPartner) -> Attribution | None:
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
        terms=partner.held_at(occurred_at).terms,
    )


def _by_visitor(
    website_id: UUID, occurred_at: datetime, traces: Traces, model: AttributionModel, partner_of: FindPartner
) -> Attribution | None:
    for row in traces.visitor_clicks:
        if row.partner_id is None or row.website_id != website_id:
            continue
        if traces.partner_hint not in (NO_ID, row.partner_id):
            continue
        partner = partner_of(row.partner_id)
        if partner is None or not in_time(partner, row.occurred_at, occurred_at):
            continue
        return Attribution(
            by=AttributedBy.VISITOR,
            partner_id=partner.id,
            link_id=row.link_id,
            click_id=row.click_id,
            clicked_at=row.occurred_at,
            terms=partner.held_at(row.occurred_at).terms,
            visitor=row.visitor,
            country=row.country,
            device=row.device,
            source=row.source,
            subs=dict(row.subs),
            model=model.value,
        )
    return None
