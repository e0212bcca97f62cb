"""A subscription to the newsletter of a site: requested, confirmed by the owner of the address, ended. Pure.

One aggregate per site and address (`infra.domain.contacts.site_contact_id`), permanently: a new subscription
continues its history. Only the owner of the address brings one back that ended, by a new emailed link.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from command_api.kernel.aggregates import next_event
from command_api.kernel.decision import CommandContext, event_metadata, invalid, not_found
from command_api.publishing.sites import Site
from schemas.events.publishing import SiteSubscriptionConfirmed, SiteSubscriptionEnded, SiteSubscriptionRequested
from schemas.evolution import Evolution

State = Literal["pending", "confirmed", "ended"]
Way = Literal["page", "one_click", "account"]
MAX_SUBSCRIBERS: Final = 20_000
"""Addresses of a site, confirmed or not. Further forms are dropped."""


@dataclass(frozen=True, slots=True)
class SiteSubscription:
    """State of one address's subscription to a site."""

    id: UUID
    version: int
    site_id: UUID
    account_id: UUID
    state: State


def request(
    subscription: SiteSubscription | None,
    site: Site,
    *,
    subscription_id: UUID,
    page: str,
    block: str,
    context: CommandContext,
) -> list[SiteSubscriptionRequested]:
    """Requests a subscription; returns no events for one that is confirmed or waits for confirmation."""
    if subscription is not None and subscription.state != "ended":
        return []
    version = subscription.version if subscription is not None else 0
    return [
        SiteSubscriptionRequested(
            **event_metadata(subscription_id, version, context),
            site_id=site.id,
            account_id=site.account_id,
            page=page,
            block=block,
        )
    ]


def confirm(subscription: SiteSubscription | None, context: CommandContext) -> list[SiteSubscriptionConfirmed]:
    """Raises `CommandRejected` for one that was ended meanwhile."""
    if subscription is None or subscription.state == "ended":
        raise link_invalid()
    if subscription.state == "confirmed":
        return []
    return [SiteSubscriptionConfirmed(**next_event(subscription, context))]


def end(subscription: SiteSubscription | None, way: Way, context: CommandContext) -> list[SiteSubscriptionEnded]:
    """Ends the subscription; returns no events when it has ended."""
    if subscription is None or subscription.state == "ended":
        return []
    return [SiteSubscriptionEnded(**next_event(subscription, context), way=way)]


def require_of(subscription: SiteSubscription | None, site: Site) -> SiteSubscription:
    """Returns the subscription. Raises `CommandRejected` (missing) unless it is to this site and has not ended."""
    if subscription is None or subscription.site_id != site.id or subscription.state == "ended":
        raise not_found("subscriber")
    return subscription


def link_invalid() -> Exception:
    return invalid("link_invalid", "This link is no longer valid. Please subscribe again.", "code")


evolve: Final = (
    Evolution(SiteSubscription)
    .begins(SiteSubscriptionRequested, state="pending")
    .follows(SiteSubscriptionConfirmed, state="confirmed")
    .follows(SiteSubscriptionEnded, state="ended")
)
