"""A subscription to the newsletter: requested, confirmed by the owner of the address, ended. Pure.

One aggregate per address (`schemas.identity.contact_id`), permanently: a new subscription continues its history.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

from command_api.kernel.aggregates import next_event
from command_api.kernel.decision import CommandContext, event_metadata, invalid
from schemas.base import DomainEvent
from schemas.events.leads import SubscriptionConfirmed, SubscriptionEnded, SubscriptionRequested
from schemas.evolution import Evolution

State = Literal["pending", "confirmed", "ended"]


@dataclass(frozen=True, slots=True)
class NewsletterSubscription:
    """State of one address's subscription. An ended one may begin again."""

    id: UUID
    version: int
    state: State


def request(
    subscription: NewsletterSubscription | None, *, subscription_id: UUID, source: str, context: CommandContext
) -> list[DomainEvent]:
    """Requests a subscription; returns no events for one that is confirmed or waits for confirmation."""
    if subscription is not None and subscription.state != "ended":
        return []
    version = subscription.version if subscription is not None else 0
    return [SubscriptionRequested(**event_metadata(subscription_id, version, context), source=source)]


def confirm(subscription: NewsletterSubscription | None, context: CommandContext) -> list[DomainEvent]:
    """Raises `CommandRejected` for one that was ended meanwhile."""
    if subscription is None or subscription.state == "ended":
        raise link_invalid()
    if subscription.state == "confirmed":
        return []
    return [SubscriptionConfirmed(**next_event(subscription, context))]


def end(
    subscription: NewsletterSubscription | None, way: Literal["page", "one_click", "admin"], context: CommandContext
) -> list[DomainEvent]:
    """Ends the subscription; returns no events when it has ended."""
    if subscription is None or subscription.state == "ended":
        return []
    return [SubscriptionEnded(**next_event(subscription, context), way=way)]


def link_invalid() -> Exception:
    return invalid("link_invalid", "This link is no longer valid. Please subscribe again.", "code")


def link_incomplete() -> Exception:
    return invalid("link_invalid", "This link is incomplete. Open the full link from the email.", "code")


evolve: Final = (
    Evolution(NewsletterSubscription)
    .begins(SubscriptionRequested, state="pending")
    .follows(SubscriptionConfirmed, state="confirmed")
    .follows(SubscriptionEnded, state="ended")
)
