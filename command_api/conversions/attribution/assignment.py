"""Assigns a conversion without a click to a click or a link that a person chose.

The person knows more than the reports: the click may be outside the partner's window. What follows is the same as if
the click had been found, and final. Details of a click that is not projected yet are added by
`process.pending_attribution`.
"""

from __future__ import annotations

from datetime import UTC
from uuid import UUID

from command_api.conversions import decisions, model
from command_api.conversions.attribution.click_reader import UNAVAILABLE, Clicks, FoundClick
from command_api.conversions.attribution.decision import Case, basis_of
from command_api.conversions.attribution.facts import LinkOf, LinkOfCode, OpenedClick, PartnerOf, RowOfClick, WebsiteOf
from command_api.conversions.attribution.rules import CLOCK_TOLERANCE, ReferencedLink, of_link
from command_api.conversions.attribution.search import chosen_click
from command_api.kernel.aggregates import require_found
from command_api.kernel.decision import conflict, invalid
from schemas.base import DomainEvent
from schemas.click_id import IN_PAGE, ForgedClickId, event_id
from schemas.click_id import read as read_click_id
from schemas.events.conversions import Attribution


def assign(
    case: Case, conversion: model.Conversion, click_id: str, link_id: UUID | None, reason: str
) -> list[DomainEvent]:
    """Assigns the conversion to a click or a link: either `click_id` or `link_id`. The same choice again changes
    nothing. Raises `CommandRejected`."""
    if bool(click_id) is (link_id is not None):
        raise invalid("bad_choice", "Choose either a click or a link.", "clickId")
    reason = decisions.checked_reason(reason)
    held = conversion.facts.attribution
    if held is not None and conversion.is_assigned and held.click_id == click_id and link_id in (None, held.link_id):
        return []
    decisions.require_assignable(conversion)
    chosen = _click(conversion, click_id, case) if link_id is None else _link(conversion, link_id, case)
    facts = conversion.facts.model_copy(update={"attribution": chosen})
    basis = basis_of(facts, conversion.payout, case, exact=conversion.merged.exact)
    return decisions.assign(conversion, chosen, basis, reason, case.context)


def read_click(clicks: Clicks, click_key: bytes, website_id: UUID, click_id: str) -> FoundClick | None:
    """The click of that website as it is projected, read before the transaction; none if it is not projected, or the
    analytics store does not answer: its details then come later."""
    try:
        day = read_click_id(click_key, click_id).at.astimezone(UTC).date()
        row = clicks.by_event([(website_id, event_id(click_id), day)]).get(event_id(click_id))
        return None if row is None else FoundClick(row, clicks.visits([row]).get(row.event_id))
    except (ForgedClickId, *UNAVAILABLE):
        return None


def _click(conversion: model.Conversion, click_id: str, case: Case) -> Attribution:
    click = case.facts[OpenedClick(click_id)]
    link = case.facts[LinkOfCode(click.link_code)] if click is not None and click.link_code != IN_PAGE else None
    if click is None or link is None or not click.is_of(link.website_id) or not _is_visible(link, case):
        raise invalid("unknown_click", "Click not found.", "clickId")
    if link.website_id != conversion.facts.website_id:
        raise invalid("click_of_another_website", "This click happened on another website.", "clickId")
    if click.at > conversion.facts.occurred_at + CLOCK_TOLERANCE:
        raise invalid("click_after_sale", "This click happened after the sale.", "clickId")
    led = link.of_click(click, case.facts[RowOfClick(link.website_id, click_id, click)])
    if led is None:
        raise conflict("click_not_ready", "This click is still being processed. Try again in a moment.", "clickId")
    partner = require_found(case.facts[PartnerOf(led.partner_id)], "partner")
    return chosen_click(case.facts, led, partner, click_id, click)


def _link(conversion: model.Conversion, link_id: UUID, case: Case) -> Attribution:
    link = case.facts[LinkOf(link_id)]
    if link is None or not _is_visible(link, case):
        raise invalid("unknown_link", "Link not found.", "linkId")
    if link.website_id != conversion.facts.website_id:
        raise invalid("link_of_another_website", "This link belongs to another website.", "linkId")
    link = link.at(conversion.facts.occurred_at)
    partner = require_found(case.facts[PartnerOf(link.partner_id)], "partner")
    return of_link(link, partner, conversion.facts.occurred_at)


def _is_visible(link: ReferencedLink, case: Case) -> bool:
    """Returns whether the actor may learn that the link exists."""
    website = case.facts[WebsiteOf(link.website_id)]
    return website is not None and case.context.may_act_for(website.account_id)
