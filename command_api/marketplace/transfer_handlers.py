"""Command handlers of the transfer of a sold website."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from command_api.accounts import model as accounts
from command_api.kernel.aggregates import require_found, state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict
from command_api.kernel.event_store import TooManyEvents
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace import commands, mails, offers, transfers
from command_api.marketplace.listings import model as listings
from command_api.marketplace.listings.model import ON_MARKET, Listing
from command_api.marketplace.offers import Offer
from command_api.marketplace.recipients import deal_news, recipient
from command_api.marketplace.schemas import TransferState
from command_api.websites import model as websites
from schemas.base import DomainEvent

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.ProposeTransfer, senders="accounts")
def propose_transfer(command: commands.ProposeTransfer, uow: UnitOfWork) -> TransferState:
    offer, listing, website = _sold(uow, command.offer_id)
    events = transfers.propose(offer, listing, website, uow.context)
    buyer = uow.load(offer.buyer_id, accounts.evolve) if offer is not None else None
    if buyer is None or buyer.erased:
        raise conflict("buyer_gone", "The buyer's account no longer exists.")
    _require_not_listed(uow, offer, listing)
    return _stored(uow, offer, events, offer.buyer_id)


@HANDLERS.on(commands.WithdrawTransfer, senders="accounts")
def withdraw_transfer(command: commands.WithdrawTransfer, uow: UnitOfWork) -> TransferState:
    offer = require_found(uow.load(command.offer_id, offers.evolve), "offer")
    return _stored(uow, offer, transfers.withdraw(offer, uow.context), offer.buyer_id)


@HANDLERS.on(commands.DeclineTransfer, senders="accounts")
def decline_transfer(command: commands.DeclineTransfer, uow: UnitOfWork) -> TransferState:
    offer = require_found(uow.load(command.offer_id, offers.evolve), "offer")
    return _stored(uow, offer, transfers.decline(offer, uow.context), offer.seller_id)


@HANDLERS.on(commands.AcceptTransfer, senders="accounts")
def accept_transfer(command: commands.AcceptTransfer, uow: UnitOfWork) -> TransferState:
    """Moves everything that belongs to the website in this transaction: each context handles `WebsiteTransferred`."""
    uow.lock()  # nothing of the website changes until it has moved
    offer, listing, website = _sold(uow, command.offer_id)
    accepted = transfers.accept(offer, listing, website, uow.context)
    _require_not_listed(uow, offer, listing)
    moved = websites.transfer(website, offer.seller_id, offer.buyer_id, offer.id, uow.context)
    try:
        return _stored(uow, offer, [accepted, *moved], offer.seller_id)
    except TooManyEvents as error:
        message = (
            "This website has too many things to move at once. The seller can remove sites, social channels with many"
            " posts, and files of payouts first."
        )
        raise conflict("too_much_to_move", message) from error


def _sold(uow: UnitOfWork, offer_id: UUID) -> tuple[Offer, Listing | None, websites.Website | None]:
    """The offer, its listing, and the listing's website; of a party only."""
    offer, _ = offers.require_party(uow.load(offer_id, offers.evolve), uow.context)
    listing = uow.load(offer.listing_id, listings.evolve)
    website_id = listing.website_id if listing is not None else None
    return offer, listing, uow.load(website_id, websites.evolve) if website_id is not None else None


def _require_not_listed(uow: UnitOfWork, offer: Offer, listing: Listing | None) -> None:
    """Requires that the seller has no other listing of the website on the market: its buyer would get nothing."""
    for (id_,) in uow.select(_ON_MARKET, offer.seller_id, list(ON_MARKET)):
        other = uow.load(id_, listings.evolve)
        if other is not None and listing is not None and other.website_id == listing.website_id:
            message = "Another listing offers this website for sale. The seller has to withdraw that listing first."
            raise conflict("listed_again", message)


def _stored(uow: UnitOfWork, offer: Offer, events: Sequence[DomainEvent], notify: UUID) -> TransferState:
    to = recipient(uow, notify) if events else None
    uow.append(*events)
    of_offer = [event for event in events if event.originator_id == offer.id]
    after = state_after(offers.evolve, offer, of_offer)
    text = mails.DEAL_NEWS.get(type(of_offer[0])) if of_offer else None
    if to is not None and text is not None:
        title = listings.title_of(uow.load(offer.listing_id, listings.evolve))
        uow.send(mails.deal_news(to, deal_news(uow, of_offer[0], notify, title), text))
    return TransferState(id=offer.id, status=after.transfer, website_id=after.transfer_of)


_ON_MARKET: Final = "SELECT listing_id FROM lookup.listing WHERE seller_id = %s AND status = ANY(%s)"
