"""Offer aggregate: an offer for a listed website, its counter-offers and its thread. Pure.

The side that received the latest price may accept, decline or counter. An unanswered offer expires after a week. While
another offer for the same website is accepted, this one can only be discussed or withdrawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from command_api.kernel.aggregates import advanced, first_event, next_event, shared_fields
from command_api.kernel.decision import CommandContext, CommandRejected, conflict, not_found
from command_api.marketplace.listings.model import Listing, require_on_sale
from schemas.base import DomainEvent, Money
from schemas.events import marketplace
from schemas.events.marketplace import EscrowStatus, OfferStatus, Side, TransferStatus
from schemas.evolution import UnexpectedEvent

ANSWER_WITHIN: Final = timedelta(days=7)
MAX_MESSAGES: Final = 500
"""Per side, and for all admins together, so that no side can fill a thread."""


@dataclass(frozen=True, slots=True)
class Offer:
    """State of one negotiation. `price`: the latest one, which the side in `turn` may accept."""

    id: UUID
    version: int
    listing_id: UUID
    seller_id: UUID
    buyer_id: UUID
    price: Money
    expires_at: datetime
    turn: Side = "seller"
    status: OfferStatus = "sent"
    escrow_id: UUID | None = None
    is_direct: bool = False
    """It was accepted as a direct deal, whose id is `escrow_id`."""
    messages_by: Mapping[str, int] = field(default_factory=dict)
    transfer: TransferStatus | None = None
    """The transfer of the sold website to the buyer; none: nobody has agreed to it yet."""
    transfer_of: UUID | None = None
    """The website that the seller agreed to hand over."""

    @property
    def is_open(self) -> bool:
        return self.status in ("sent", "countered")

    def side_of(self, account_id: UUID | None) -> Side | None:
        if account_id == self.buyer_id:
            return "buyer"
        return "seller" if account_id == self.seller_id else None


@dataclass(frozen=True, slots=True)
class Deal:
    """The result of an accepted offer: an escrow or a direct deal."""

    id: UUID
    version: int
    offer_id: UUID
    listing_id: UUID
    seller_id: UUID
    buyer_id: UUID
    price: Money
    status: EscrowStatus = field(default="agreed", kw_only=True)

    def side_of(self, account_id: UUID | None) -> Side | None:
        if account_id == self.buyer_id:
            return "buyer"
        return "seller" if account_id == self.seller_id else None


def send(
    offer_id: UUID, listing: Listing | None, price: Money, text: str, context: CommandContext
) -> marketplace.OfferSent:
    """Raises `CommandRejected` for the seller's own website, and one that is not for sale now."""
    listing = require_on_sale(listing)
    buyer_id = context.require_account()
    if buyer_id == listing.seller_id:
        raise conflict("own_listing", "This is your own listing.")
    if listing.status != "active":
        raise conflict("taken", "Another offer for this website was accepted.")
    return marketplace.OfferSent(
        **first_event(offer_id, context),
        listing_id=listing.id,
        seller_id=listing.seller_id,
        buyer_id=buyer_id,
        author_id=buyer_id,
        price=price,
        text=text,
        expires_at=context.at + ANSWER_WITHIN,
    )


def counter(offer: Offer | None, price: Money, text: str, context: CommandContext) -> marketplace.OfferCountered:
    offer, side = _require_turn(offer, context)
    if price == offer.price:
        raise conflict("same_price", "This is the current price. You can accept it.", "price")
    _require_capacity(offer, side)
    return marketplace.OfferCountered(
        **next_event(offer, context),
        author_id=context.require_account(),
        side=side,
        price=price,
        text=text,
        expires_at=context.at + ANSWER_WITHIN,
    )


def accept(
    offer: Offer | None, price: int, escrow_id: UUID, context: CommandContext, *, directly: bool = False
) -> marketplace.OfferAccepted:
    """Accepts the offer. `price`: the price that the caller saw; minor units. `directly`: without escrow."""
    offer, side = _require_turn(offer, context)
    if price != offer.price.amount:
        raise conflict("price_changed", "The price has changed. Please reload the offer.", "price")
    return marketplace.OfferAccepted(**next_event(offer, context), escrow_id=escrow_id, side=side, is_direct=directly)


def decline(offer: Offer | None, context: CommandContext) -> marketplace.OfferDeclined:
    offer, side = _require_turn(offer, context, may_be_over=True)
    return marketplace.OfferDeclined(**next_event(offer, context), side=side)


def withdraw(offer: Offer | None, context: CommandContext) -> marketplace.OfferWithdrawn:
    offer, side = require_party(offer, context)
    if side != "buyer":
        raise conflict("not_yours", "Only the buyer can withdraw an offer.")
    if not offer.is_open:
        raise _over(offer)
    return marketplace.OfferWithdrawn(**next_event(offer, context))


def expire(offer: Offer | None, context: CommandContext, *, sold_to_another: bool = False) -> list[DomainEvent]:
    """Expires the offer; returns no events before the expiry, or when the offer is closed."""
    if offer is None or not offer.is_open or (context.at < offer.expires_at and not sold_to_another):
        return []
    return [marketplace.OfferExpired(**next_event(offer, context))]


def write(
    offer: Offer | None, text: str, context: CommandContext, *, is_disputed: bool
) -> marketplace.OfferMessageSent:
    """Writes into the thread; an admin may only while the deal is disputed."""
    side: Literal["buyer", "seller", "admin"] = "admin"
    if offer is None or offer.side_of(context.account_id) is not None or not context.is_admin or not is_disputed:
        offer, side = require_party(offer, context)
    _require_capacity(offer, side)
    author_id = context.require_account()
    return marketplace.OfferMessageSent(**next_event(offer, context), author_id=author_id, side=side, text=text)


def require_party(offer: Offer | None, context: CommandContext) -> tuple[Offer, Side]:
    """The offer and the caller's side. Not found for anyone else, admins included."""
    side = offer.side_of(context.account_id) if offer is not None else None
    if offer is None or side is None:
        raise not_found("offer")
    return offer, side


def evolve(offer: Offer | None, event: DomainEvent) -> Offer:
    if isinstance(event, marketplace.OfferSent):
        return Offer(event.originator_id, 1, **shared_fields(event, Offer))
    offer = advanced(offer, event)
    if isinstance(event, marketplace.OfferCountered | marketplace.OfferMessageSent):
        offer = replace(offer, messages_by={**offer.messages_by, event.side: offer.messages_by.get(event.side, 0) + 1})
    if type(event) in _TRANSFER:
        return _transfer_after(offer, event)
    match event:
        case marketplace.OfferCountered():
            turn: Side = "seller" if event.side == "buyer" else "buyer"
            return replace(offer, status="countered", price=event.price, expires_at=event.expires_at, turn=turn)
        case marketplace.OfferMessageSent():
            return offer
        case marketplace.OfferAccepted():
            return replace(offer, status="accepted", escrow_id=event.escrow_id, is_direct=event.is_direct)
        case marketplace.OfferDeclined():
            return replace(offer, status="declined")
        case marketplace.OfferWithdrawn():
            return replace(offer, status="withdrawn")
        case marketplace.OfferExpired():
            return replace(offer, status="expired")
        case _:
            raise UnexpectedEvent(f"{event.NAME} does not happen to offers")


def _transfer_after(offer: Offer, event: DomainEvent) -> Offer:
    if isinstance(event, marketplace.TransferProposed):
        offer = replace(offer, transfer_of=event.website_id)
    return replace(offer, transfer=_TRANSFER[type(event)])


def _require_turn(offer: Offer | None, context: CommandContext, *, may_be_over: bool = False) -> tuple[Offer, Side]:
    offer, side = require_party(offer, context)
    if not offer.is_open:
        raise _over(offer)
    if context.at >= offer.expires_at and not may_be_over:
        raise conflict("offer_over", "This offer has expired.")
    if side != offer.turn:
        raise conflict("not_your_turn", "It is the other side's turn to answer.")
    return offer, side


def _require_capacity(offer: Offer, side: str) -> None:
    if offer.messages_by.get(side, 0) >= MAX_MESSAGES:
        raise conflict("too_long", f"You have reached the maximum of {MAX_MESSAGES} entries in this thread.")


def _over(offer: Offer) -> CommandRejected:
    words = {"accepted": "was accepted", "declined": "was declined", "withdrawn": "was withdrawn"}
    return conflict("offer_over", f"This offer {words.get(offer.status, 'has expired')}.")


_TRANSFER: Final[Mapping[type[DomainEvent], TransferStatus]] = {
    marketplace.TransferProposed: "proposed",
    marketplace.TransferWithdrawn: "withdrawn",
    marketplace.TransferDeclined: "declined",
    marketplace.TransferAccepted: "accepted",
}
