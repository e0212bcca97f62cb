"""Aggregate of a partner's month whose differences the website's owner accepts. Pure.

`query_api.conversions.reconciliation` reads the figures and names them by a fingerprint. An acceptance holds for that
fingerprint alone, so that a month opens again when its figures change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid5

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext
from command_api.websites.model import Website
from schemas.base import DomainEvent
from schemas.events.conversions import ReconciliationAccepted, ReconciliationReopened
from schemas.evolution import Evolution


@dataclass(frozen=True, slots=True)
class AcceptedMonth:
    """State of a partner's month. `fingerprint`: of the accepted figures; empty: none are."""

    id: UUID
    version: int
    fingerprint: str


def month_id(website_id: UUID, partner_id: UUID, month: str) -> UUID:
    """The id of a partner's month."""
    return uuid5(website_id, f"reconciliation\n{partner_id}\n{month}")


def accept(
    held: AcceptedMonth | None,
    website: Website,
    partner_id: UUID,
    month: str,
    fingerprint: str,
    context: CommandContext,
) -> list[DomainEvent]:
    """Accepts the figures; returns no events if they are accepted."""
    if held is not None and held.fingerprint == fingerprint:
        return []
    head = first_event(month_id(website.id, partner_id, month), context) if held is None else next_event(held, context)
    named = {"website_id": website.id, "partner_id": partner_id, "month": month}
    return [ReconciliationAccepted(**head, **named, fingerprint=fingerprint)]


def reopen(held: AcceptedMonth | None, website: Website, context: CommandContext) -> list[DomainEvent]:
    """Accepts nothing any more; returns no events if nothing is accepted."""
    if held is None or not held.fingerprint:
        return []
    return [ReconciliationReopened(**next_event(held, context), website_id=website.id)]


evolve: Final = Evolution(AcceptedMonth).begins(ReconciliationAccepted).begins(ReconciliationReopened, fingerprint="")
