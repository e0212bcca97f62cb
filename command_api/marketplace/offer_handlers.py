"""Command handlers of offers and their threads."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.marketplace import commands, direct_deals, mails, offers
from command_api.marketplace.consequences import after_offer
from command_api.marketplace.escrow import model as escrows
from command_api.marketplace.listings import model as listings
from command_api.marketplace.listings.schemas import money
from command_api.marketplace.offers import Offer
from command_api.marketplace.recipients import deal_news, recipient
from command_api.marketplace.schemas import OfferState, offer_state
from command_api.marketplace.timeouts import OFFER_EXPIRY
from schemas.base import DomainEvent
from schemas.events.marketplace import (
    OfferAccepted,
    OfferCountered,
    OfferDeclined,
    OfferExpired,
    OfferSent,
    OfferWithdrawn,
)
from schemas.identity import direct_deals_id, escrow_id

MAX_OPEN_OFFERS: Final = 100

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.SendOffer, senders="accounts")
def send_offer(command: commands.SendOffer, uow: UnitOfWork) -> OfferState:
    listing, fields = uow.load(command.listing_id, listings.evolve), command.fields
    sent = offers.send(command.offer_id, listing, money(fields.price), fields.text.strip(), uow.context)
    offer = offers.evolve(None, sent)
    to, news = recipient(uow, offer.seller_id), deal_news(uow, sent, offer.seller_id, listings.title_of(listing))
    uow.append(sent)
    if to is not None:
        uow.send(mails.offer_came(to, news))
    return offer_state(offer)


@HANDLERS.on(commands.CounterOffer, senders="accounts")
def counter_offer(command: commands.CounterOffer, uow: UnitOfWork) -> OfferState:
    offer, fields = uow.load(command.offer_id, offers.evolve), command.fields
    countered = offers.counter(offer, money(fields.price), fields.text.strip(), uow.context)
    return offer_state(after_offer(uow, offer, [countered], _other_side(offer, uow)))


@HANDLERS.on(commands.AcceptOffer, senders="accounts")
def accept_offer(command: commands.AcceptOffer, uow: UnitOfWork) -> OfferState:
    offer, _ = offers.require_party(uow.load(command.offer_id, offers.evolve), uow.context)
    directly = uow.settings.escrow_url is None
    if directly:
        _require_direct_deals(uow, agreed=command.fields.without_escrow)
    escrow = escrow_id(offer.id)
    price = money(command.fields.price).amount
    accepted = offers.accept(offer, price, escrow, uow.context, directly=directly)
    offer = after_offer(uow, offer, [accepted], _other_side(offer, uow))
    uow.append(*listings.reserve(uow.load(offer.listing_id, listings.evolve), offer.id, offer.buyer_id, uow.context))
    uow.append(*(direct_deals if directly else escrows).agree(escrow, offer, uow.context))
    return offer_state(offer)


@HANDLERS.on(commands.DeclineOffer, senders="accounts")
def decline_offer(command: commands.DeclineOffer, uow: UnitOfWork) -> OfferState:
    offer = uow.load(command.offer_id, offers.evolve)
    return offer_state(after_offer(uow, offer, [offers.decline(offer, uow.context)], _other_side(offer, uow)))


@HANDLERS.on(commands.WithdrawOffer, senders="accounts")
def withdraw_offer(command: commands.WithdrawOffer, uow: UnitOfWork) -> OfferState:
    offer = uow.load(command.offer_id, offers.evolve)
    return offer_state(after_offer(uow, offer, [offers.withdraw(offer, uow.context)], _other_side(offer, uow)))


@HANDLERS.on(commands.WriteMessage, senders="accounts")
def write_message(command: commands.WriteMessage, uow: UnitOfWork) -> OfferState:
    offer = uow.load(command.offer_id, offers.evolve)
    written = offers.write(offer, command.text, uow.context, is_disputed=_was_disputed(uow, offer))
    return offer_state(uow.advance(offers.evolve, offer, [written]))


@HANDLERS.on(commands.ExpireOffer, senders="system")
def expire_offer(command: commands.ExpireOffer, uow: UnitOfWork) -> None:
    offer = uow.load(command.offer_id, offers.evolve)
    listing = uow.load(offer.listing_id, listings.evolve) if offer is not None else None
    is_sold = listing is not None and listing.status == "sold"
    events = offers.expire(offer, uow.context, sold_to_another=is_sold)
    if offer is not None and events:
        after_offer(uow, offer, events, offer.buyer_id)
    elif offer is not None:  # the timeout is outdated
        uow.set_timeout(OFFER_EXPIRY, offer.id, offer.expires_at if offer.is_open else None)


@HANDLERS.after(OfferSent)
def require_room_for_offer(event: OfferSent, uow: Appended) -> None:
    open_for = uow.select("SELECT listing_id FROM lookup.open_offer WHERE buyer_id = %s", event.buyer_id)
    if open_for.count((event.listing_id,)) > 1:
        raise conflict("offer_open", "You have an open offer for this website already.")
    if len(open_for) > MAX_OPEN_OFFERS:
        raise conflict("too_many_offers", f"An account has at most {MAX_OPEN_OFFERS} open offers.")


@HANDLERS.after(OfferSent, OfferCountered, OfferAccepted, OfferDeclined, OfferWithdrawn, OfferExpired)
def set_expiry(event: DomainEvent, uow: Appended) -> None:
    """Sets the expiry of an open offer, and removes that of a closed one."""
    expires_at = event.expires_at if isinstance(event, OfferSent | OfferCountered) else None
    uow.set_timeout(OFFER_EXPIRY, event.originator_id, expires_at)


def _require_direct_deals(uow: UnitOfWork, *, agreed: bool) -> None:
    """Requires that direct deals are allowed and that the sender agrees to one. Raises `CommandRejected`."""
    switch = uow.load(direct_deals_id(), direct_deals.evolve_switch)
    if switch is None or not switch.is_allowed:
        raise conflict("no_escrow", "No escrow provider is set up here, so no offer can be accepted yet.")
    if not agreed:
        message = "There is no escrow here: the money is not protected. Confirm that you deal directly."
        raise conflict("direct_deal", message, "withoutEscrow")
    uow.require_version(switch.id, switch.version)


def _was_disputed(uow: UnitOfWork, offer: Offer | None) -> bool:
    if offer is None or offer.escrow_id is None:
        return False
    if offer.is_direct:
        deal = uow.load(offer.escrow_id, direct_deals.evolve)
        return deal is not None and deal.was_disputed
    escrow = uow.load(offer.escrow_id, escrows.evolve)
    return escrow is not None and escrow.was_disputed


def _other_side(offer: Offer | None, uow: UnitOfWork) -> UUID:
    offer, side = offers.require_party(offer, uow.context)
    return offer.seller_id if side == "buyer" else offer.buyer_id
