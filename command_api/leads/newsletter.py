"""A subscription to the newsletter: asked for, confirmed by the owner of the address, ended. Pure.

One aggregate an address (`schemas.identity.contact_id`), for ever: who comes back goes on with the same history.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from command_api.decision import AnotherKind, Asked, begun, invalid, step
from schemas.base import DomainEvent
from schemas.events.leads import SubscriptionConfirmed, SubscriptionEnded, SubscriptionRequested

State = Literal["pending", "confirmed", "ended"]


@dataclass(frozen=True, slots=True)
class Subscription:
    id: UUID
    version: int
    state: State


def request(
    subscription: Subscription | None, *, subscription_id: UUID, source: str, asked: Asked
) -> list[DomainEvent]:
    """Nothing for one that is confirmed or waits for that already."""
    if subscription is not None and subscription.state != "ended":
        return []
    version = subscription.version if subscription is not None else 0
    return [SubscriptionRequested(**step(subscription_id, version, asked), source=source)]


def confirm(subscription: Subscription | None, asked: Asked) -> list[DomainEvent]:
    """Raises `Refused` for one that was ended meanwhile."""
    if subscription is None or subscription.state == "ended":
        raise link_invalid()
    if subscription.state == "confirmed":
        return []
    return [SubscriptionConfirmed(**step(subscription.id, subscription.version, asked))]


def end(
    subscription: Subscription | None, way: Literal["page", "one_click", "admin"], asked: Asked
) -> list[DomainEvent]:
    """Harmless when it has ended."""
    if subscription is None or subscription.state == "ended":
        return []
    return [SubscriptionEnded(**step(subscription.id, subscription.version, asked), way=way)]


def link_invalid() -> Exception:
    return invalid("link_invalid", "This link is no longer valid. Please subscribe again.", "code")


def not_ours() -> Exception:
    return invalid("link_invalid", "This link is not whole. Open the whole link of the mail.", "code")


def evolve(subscription: Subscription | None, event: DomainEvent) -> Subscription:
    if isinstance(event, SubscriptionRequested) and subscription is None:
        return Subscription(event.originator_id, 1, "pending")
    subscription = replace(begun(subscription, event), version=event.originator_version)
    match event:
        case SubscriptionRequested():
            return replace(subscription, state="pending")
        case SubscriptionConfirmed():
            return replace(subscription, state="confirmed")
        case SubscriptionEnded():
            return replace(subscription, state="ended")
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to subscriptions")
