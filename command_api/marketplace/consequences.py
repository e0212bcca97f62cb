"""Stores events of offers and deals with their consequences: timeouts, mails, events of listings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import require_found, state_after
from command_api.kernel.decision import CommandContext
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.marketplace import direct_deals, mails, offers, timeouts
from command_api.marketplace.direct_deals import DirectDeal
from command_api.marketplace.listings import model as listings
from command_api.marketplace.listings.consequences import after_listing
from command_api.marketplace.listings.model import Listing
from command_api.marketplace.offers import Deal, Offer
from command_api.marketplace.recipients import offer_url, recipient
from infra.kernel.mail.outbox import Mail
from schemas.base import DomainEvent
from schemas.events import marketplace


def after_offer(uow: UnitOfWork, before: Offer | None, events: Sequence[DomainEvent], notify: UUID) -> Offer:
    """Stores events of an offer that was sent before, and returns its state after them. `notify`: the account to
    mail."""
    after = require_found(state_after(offers.evolve, before, events), "offer")
    to = recipient(uow, notify)
    uow.append(*events)
    if to is not None:
        uow.send(mails.offer_news(to, offer_url(uow, after.id), after.status))
    return after


def after_direct_deal(uow: UnitOfWork, before: DirectDeal | None, events: Sequence[DomainEvent]) -> DirectDeal:
    """Stores events of a direct deal, updates its listing and notifies both sides; returns the deal after them."""
    after = require_found(state_after(direct_deals.evolve, before, events), "offer")
    if not events:
        return after
    news = [mail for event in events for mail in deal_news(uow, after, event)]
    appended = uow.append(*events)
    for event in events:
        update_listing(appended, after, event)
    uow.set_timeout(timeouts.DIRECT_DEAL_DEADLINE, after.id, after.due_at)
    for mail in news:
        uow.send(mail)
    return after


def update_listing(uow: Appended, deal: Deal, event: DomainEvent) -> None:
    """Puts the listing of a deal into escrow, sells or frees it, as `event` of the deal says."""
    decide = _LISTING_AFTER.get(type(event))
    if isinstance(event, marketplace.DirectDealClosed):
        decide = listings.sell if event.is_sold else listings.free
    if decide is None:
        return
    listing = require_found(uow.load(deal.listing_id, listings.evolve), "listing")
    listing = after_listing(uow, listing, decide(listing, deal.offer_id, uow.context))
    if listing.status == "sold":  # other offers expire in the next run
        for (offer_id,) in uow.select("SELECT offer_id FROM lookup.open_offer WHERE listing_id = %s", listing.id):
            uow.set_timeout(timeouts.OFFER_EXPIRY, offer_id, uow.context.at)


_LISTING_AFTER: Final[
    Mapping[type[DomainEvent], Callable[[Listing | None, UUID, CommandContext], list[DomainEvent]]]
] = {
    marketplace.EscrowFunded: listings.put_in_escrow,
    marketplace.EscrowReleased: listings.sell,
    marketplace.EscrowRefunded: listings.free,
    marketplace.EscrowCancelled: listings.free,
    marketplace.DirectDealCompleted: listings.sell,
    marketplace.DirectDealCancelled: listings.free,
}


_TOLD_TO_ALL: Final = (
    marketplace.EscrowDecided,
    marketplace.EscrowDisputed,
    marketplace.DirectDealDisputed,
    marketplace.DirectDealClosed,
    marketplace.DirectDealCompleted,
)
"""Events of deals that are mailed to both sides, also to who caused them."""


def deal_news(uow: UnitOfWork, deal: Deal, event: DomainEvent) -> Iterator[Mail]:
    """The mails about an event of a deal."""
    text = mails.DEAL_NEWS.get(type(event))
    if text is None:
        return
    sides = {
        marketplace.EscrowFunded: (deal.seller_id,),
        marketplace.EscrowDelivered: (deal.buyer_id,),
    }.get(type(event), (deal.seller_id, deal.buyer_id))
    if isinstance(event, marketplace.EscrowFunded) and event.is_late:
        text, sides = mails.LATE_PAYMENT_NEWS, (deal.buyer_id,)
    if isinstance(event, marketplace.DirectDealReminded):
        sides = (deal.buyer_id if event.side == "buyer" else deal.seller_id,)
    if isinstance(event, marketplace.DirectDealCompleted) and event.is_automatic:
        text = mails.COMPLETED_BY_TIME
    for account_id in sides:
        if account_id != event.actor_id or isinstance(event, _TOLD_TO_ALL):
            to = recipient(uow, account_id)
            if to is not None:
                yield mails.deal_news(to, offer_url(uow, deal.offer_id), text)
