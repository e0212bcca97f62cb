"""The change of the monthly total of a website with a partner by each event. Pure."""

from __future__ import annotations

from uuid import UUID

from command_api.conversions.tiers import MonthlyTotal, month_of
from schemas.base import DomainEvent
from schemas.events.conversions import ConversionFacts, ConversionStep, CounterDelta

TotalKey = tuple[UUID, UUID, str]
"""Website, partner and month (YYYY-MM)."""


def delta(event: DomainEvent) -> tuple[TotalKey, MonthlyTotal] | None:
    """The total that an event changes and by how much; none when it does not count."""
    if not isinstance(event, ConversionStep) or event.facts.attribution is None:
        return None
    account = key_of(event.facts)
    return (account, total_of(event.change)) if account is not None else None


def key_of(facts: ConversionFacts) -> TotalKey | None:
    """The total that a conversion counts in; none without a click."""
    if facts.attribution is None:
        return None
    return facts.website_id, facts.attribution.partner_id, month_of(facts.occurred_at)


def total_of(change: CounterDelta) -> MonthlyTotal:
    """The change of a total by an event's counters."""
    return MonthlyTotal(change.pending + change.approved, change.commission_pending + change.commission_approved)
