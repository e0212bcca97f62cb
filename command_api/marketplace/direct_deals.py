"""Direct deals: `agreed -> confirmed -> completed`, `disputed -> completed | cancelled`, or `cancelled`. Pure.

Without an escrow provider an admin may allow them. The platform has no money and moves none: buyer and seller
arrange payment and transfer, and each of them confirms that both took place. Who does not respond to the other's
confirmation is reminded once; without a dispute the website then counts as sold. A dispute goes to the admins, who
record how it ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event, require_found
from command_api.kernel.decision import (
    CommandContext,
    CommandRejected,
    conflict,
    event_metadata,
    not_found,
)
from command_api.marketplace.offers import Deal, Offer
from schemas.base import DomainEvent
from schemas.events import marketplace
from schemas.events.marketplace import EscrowStatus, Side
from schemas.evolution import Evolution
from schemas.identity import direct_deals_id

CONFIRM_WITHIN: Final = timedelta(days=30)
REMIND_AFTER: Final = timedelta(days=7)
RESPOND_WITHIN: Final = timedelta(days=14)
"""After the reminder."""


@dataclass(frozen=True, slots=True)
class Switch:
    """The switch that allows deals without escrow."""

    id: UUID
    version: int
    is_allowed: bool


@dataclass(frozen=True, slots=True)
class DirectDeal(Deal):
    """State of one direct deal. `confirmed_by`: the sides that have confirmed."""

    confirm_until: datetime
    confirmed_by: frozenset[Side] = frozenset()
    confirmed_at: datetime | None = None
    """The time at which the first side confirmed."""
    complete_at: datetime | None = None
    """Since the reminder: when the website counts as sold."""
    was_disputed: bool = False

    @property
    def is_over(self) -> bool:
        return self.status in ("completed", "cancelled")

    @property
    def due_at(self) -> datetime | None:
        """Returns when the deal continues automatically."""
        if self.status == "confirmed" and self.confirmed_at is not None:
            return self.complete_at or self.confirmed_at + REMIND_AFTER
        return self.confirm_until if self.status == "agreed" else None


def switch(found: Switch | None, context: CommandContext, *, allow: bool) -> list[DomainEvent]:
    """Allows or ends direct deals; idempotent."""
    if (found is not None and found.is_allowed) == allow:
        return []
    head = event_metadata(direct_deals_id(), found.version if found is not None else 0, context)
    return [marketplace.DirectDealsSwitched(**head, is_allowed=allow)]


evolve_switch: Final = Evolution(Switch).begins(marketplace.DirectDealsSwitched)


def agree(deal_id: UUID, offer: Offer, context: CommandContext) -> list[DomainEvent]:
    return [
        marketplace.DirectDealAgreed(
            **first_event(deal_id, context),
            offer_id=offer.id,
            listing_id=offer.listing_id,
            seller_id=offer.seller_id,
            buyer_id=offer.buyer_id,
            price=offer.price,
            confirm_until=context.at + CONFIRM_WITHIN,
        )
    ]


def confirm(deal: DirectDeal | None, context: CommandContext) -> list[DomainEvent]:
    """Confirms the deal for one of its sides; idempotent. With the second confirmation the website is sold."""
    deal, side = _require_party(deal, context)
    if side in deal.confirmed_by and deal.status in ("confirmed", "completed"):
        return []
    _require_status(deal, "agreed", "confirmed")
    confirmed = marketplace.DirectDealConfirmed(**next_event(deal, context), side=side)
    if not deal.confirmed_by:
        return [confirmed]
    return [confirmed, marketplace.DirectDealCompleted(**next_event(deal, context, after=1))]


def dispute(deal: DirectDeal | None, text: str, context: CommandContext) -> list[DomainEvent]:
    """Disputes the deal, for either side, until both have confirmed."""
    deal, side = _require_party(deal, context)
    _require_status(deal, "agreed", "confirmed")
    head, author_id = next_event(deal, context), context.require_account()
    return [marketplace.DirectDealDisputed(**head, author_id=author_id, side=side, text=text)]


def cancel(deal: DirectDeal | None, context: CommandContext) -> list[DomainEvent]:
    """Cancels the deal, for either side, before the first confirmation."""
    deal, side = _require_party(deal, context)
    _require_status(deal, "agreed")
    return [marketplace.DirectDealCancelled(**next_event(deal, context), side=side)]


def close(deal: DirectDeal | None, reason: str, context: CommandContext, *, is_sold: bool) -> list[DomainEvent]:
    """Records how a dispute ended, by an admin who is not a party of the deal."""
    deal = require_found(deal, "offer")
    if not context.is_admin:
        raise not_found("offer")
    if deal.side_of(context.account_id) is not None:
        message = "You are one of the two sides: another admin has to decide this."
        raise CommandRejected("forbidden", "own_deal", message)
    _require_status(deal, "disputed")
    return [marketplace.DirectDealClosed(**next_event(deal, context), is_sold=is_sold, reason=reason)]


def after_time(deal: DirectDeal, context: CommandContext) -> list[DomainEvent]:
    """Ends a deal that nobody confirmed in time, and reminds the side that did not respond to the other's confirmation;
    without a response the website then counts as sold. Nothing before the time."""
    if deal.due_at is None or context.at < deal.due_at:
        return []
    head = next_event(deal, context)
    if deal.status == "agreed":
        return [marketplace.DirectDealCancelled(**head, side=None)]
    if deal.complete_at is not None:
        return [marketplace.DirectDealCompleted(**head, is_automatic=True)]
    silent: Side = "buyer" if "seller" in deal.confirmed_by else "seller"
    return [marketplace.DirectDealReminded(**head, side=silent, complete_at=context.at + RESPOND_WITHIN)]


evolve: Final = (
    Evolution(DirectDeal)
    .begins(marketplace.DirectDealAgreed)
    .follows(marketplace.DirectDealReminded, takes={"complete_at": "complete_at"})
    .follows(marketplace.DirectDealDisputed, status="disputed", was_disputed=True)
    .follows(marketplace.DirectDealCompleted, status="completed")
    .follows(marketplace.DirectDealCancelled, status="cancelled")
)


@evolve.on(marketplace.DirectDealConfirmed)
def _confirmed(deal: DirectDeal, event: marketplace.DirectDealConfirmed) -> dict[str, Any]:
    by, at = deal.confirmed_by | {event.side}, deal.confirmed_at or event.timestamp
    return {"status": "confirmed", "confirmed_by": by, "confirmed_at": at}


@evolve.on(marketplace.DirectDealClosed)
def _closed(_: DirectDeal, event: marketplace.DirectDealClosed) -> dict[str, Any]:
    return {"status": "completed" if event.is_sold else "cancelled"}


def _require_party(deal: DirectDeal | None, context: CommandContext) -> tuple[DirectDeal, Side]:
    side = deal.side_of(context.account_id) if deal is not None else None
    if deal is None or side is None:
        raise not_found("offer")
    return deal, side


def _require_status(deal: DirectDeal, *statuses: EscrowStatus) -> None:
    if deal.status not in statuses:
        raise conflict("wrong_state", f"This is not possible now: the deal is {deal.status}.")
