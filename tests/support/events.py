"""Events and amounts, as tests say them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from schemas.base import DomainEvent, Money


def event_at(
    at: datetime, aggregate: UUID, version: int, event_class: type[DomainEvent], /, **values: object
) -> DomainEvent:
    """The event `version` of an aggregate."""
    return event_class(originator_id=aggregate, originator_version=version, timestamp=at, **values)


def names(events: Iterable[DomainEvent]) -> list[str]:
    """Names of the events, in order."""
    return [event.NAME for event in events]


def usd(cents: int) -> Money:
    return Money(amount=cents, currency="USD")


def eur(cents: int) -> Money:
    return Money(amount=cents, currency="EUR")
