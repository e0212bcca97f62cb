"""Consequences of events of offers and deals: timeouts, mails, events of listings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import require_found
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext
from command_api.kernel.unit_of_work import Appended, StateChange, UnitOfWork
from command_api.marketplace import direct_deals, mails, offers, timeouts
from command_api.marketplace.direct_deals import DirectDeal
from command_api.marketplace.listings import model as listings
from command_api.marketplace.listings.model import Listing
from command_api.marketplace.offers import Deal, Offer
from command_api.marketplace.recipients import deal_news, recipient
from schemas.base import DomainEvent
from schemas.events import marketplace

HANDLERS: Final = CommandHandlers()


def after_offer(uow: UnitOfWork, before: Offer | None, events: Sequence[DomainEvent], notify: UUID) -> Offer:
    """Stores events of an offer that was sent before, and returns its state after them. `notify`: the account to
    mail; of an acceptance the deal's first event does, which has the price and the deadline."""
    to = recipient(uow, notify)
    emailed = [event for event in events if not isinstance(event, marketplace.OfferAccepted)]
    title = listings.title_of(uow.load(before.listing_id, listings.evolve)) if before is not None else None
    news = [deal_news(uow, event, notify, title) for event in emailed] if to is not None else []
    after = uow.advance(offers.evolve, before, events)
    for one in news:
        if to is not None:
            uow.send(mails.offer_news(to, one, after.status))
    return after


@HANDLERS.after_change(marketplace.DirectDealAgreed, direct_deals.evolve)
def follow_direct_deal(change: StateChange[DirectDeal], uow: Appended) -> None:
    """Updates the listing of a direct deal, sets the deadline and notifies both sides."""
    deal = change.after
    for event in change.events:
        update_listing(uow, deal, event)
        send_deal_news(uow, deal, event)
    uow.set_timeout(timeouts.DIRECT_DEAL_DEADLINE, deal.id, deal.due_at)


def update_listing(uow: Appended, deal: Deal, event: DomainEvent) -> None:
    """Puts the listing of a deal into escrow, sells or frees it, as `event` of the deal says."""
    decide = _LISTING_AFTER.get(type(event))
    if isinstance(event, marketplace.DirectDealClosed):
        decide = listings.sell if event.is_sold else listings.free
    if decide is None:
        return
    listing = require_found(uow.load(deal.listing_id, listings.evolve), "listing")
    uow.append(*decide(listing, deal.offer_id, uow.context))


@HANDLERS.after(marketplace.ListingSold)
def end_other_offers(event: marketplace.ListingSold, uow: Appended) -> None:
    """Makes the other offers for a sold website expire in the next run."""
    for (offer_id,) in uow.select("SELECT offer_id FROM lookup.open_offer WHERE listing_id = %s", event.originator_id):
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


def send_deal_news(uow: Appended, deal: Deal, event: DomainEvent) -> None:
    """Mails the sides of a deal about its event."""
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
    for account_id in sides:
        if account_id != event.actor_id or isinstance(event, _TOLD_TO_ALL):
            to = recipient(uow, account_id)
            if to is not None:
                title = listings.title_of(uow.load(deal.listing_id, listings.evolve))
                uow.send(mails.deal_news(to, deal_news(uow, event, account_id, title), text))
