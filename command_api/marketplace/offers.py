"""An offer for a listed website, its counter-offers and its thread. Pure.

Whoever was named a price has the turn: may accept, decline or counter. An offer that nobody answers ends after a week.
While another offer for the same website is accepted, this one rests: it can be talked about and taken back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from command_api.decision import AnotherKind, Asked, Refused, begun, conflict, missing, step
from command_api.marketplace.listings import Listing, offered
from schemas.base import DomainEvent, Money
from schemas.events.deals import (
    OfferAccepted,
    OfferCountered,
    OfferDeclined,
    OfferExpired,
    OfferMessageSent,
    OfferSent,
    OfferStatus,
    OfferWithdrawn,
    Side,
)

ANSWER_WITHIN: Final = timedelta(days=7)
MOST_WORDS: Final = 500
"""Of each side, and of admins together: nobody can fill a thread so that the others have no word in it any more."""


@dataclass(frozen=True, slots=True)
class Offer:
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
    words_of: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        return self.status in ("sent", "countered")

    def side_of(self, account_id: UUID | None) -> Side | None:
        if account_id == self.buyer_id:
            return "buyer"
        return "seller" if account_id == self.seller_id else None


def send(offer_id: UUID, listing: Listing | None, price: Money, text: str, asked: Asked) -> OfferSent:
    """Raises `Refused` for the seller's own website, and one that is not for sale now."""
    listing = offered(listing)
    if asked.account_id is None:
        raise TypeError("an offer is somebody's")
    if asked.account_id == listing.seller_id:
        raise conflict("own_listing", "This is your own listing.")
    if listing.status != "active":
        raise conflict("taken", "Another offer for this website was accepted.")
    return OfferSent(
        **step(offer_id, 0, asked),
        listing_id=listing.id,
        seller_id=listing.seller_id,
        buyer_id=asked.account_id,
        author_id=asked.account_id,
        price=price,
        text=text,
        expires_at=asked.at + ANSWER_WITHIN,
    )


def counter(offer: Offer | None, price: Money, text: str, asked: Asked) -> OfferCountered:
    offer, side = _with_turn(offer, asked)
    if price == offer.price:
        raise conflict("same_price", "This is the price that was named already. You can accept it.", "price")
    return OfferCountered(
        **step(offer.id, _room(offer, side), asked),
        author_id=_author(asked),
        side=side,
        price=price,
        text=text,
        expires_at=asked.at + ANSWER_WITHIN,
    )


def accept(offer: Offer | None, price: int, escrow_id: UUID, asked: Asked) -> OfferAccepted:
    """`price`: what the asker saw; minor units."""
    offer, side = _with_turn(offer, asked)
    if price != offer.price.amount:
        raise conflict("price_changed", "The price was changed meanwhile. Please look again.", "price")
    return OfferAccepted(**step(offer.id, offer.version, asked), escrow_id=escrow_id, side=side)


def decline(offer: Offer | None, asked: Asked) -> OfferDeclined:
    offer, side = _with_turn(offer, asked, may_be_over=True)
    return OfferDeclined(**step(offer.id, offer.version, asked), side=side)


def withdraw(offer: Offer | None, asked: Asked) -> OfferWithdrawn:
    offer, side = party(offer, asked)
    if side != "buyer":
        raise conflict("not_yours", "Only the buyer can take an offer back.")
    if not offer.is_open:
        raise _over(offer)
    return OfferWithdrawn(**step(offer.id, offer.version, asked))


def expire(offer: Offer | None, asked: Asked, *, sold_to_another: bool = False) -> list[DomainEvent]:
    """Nothing while there is time, or when it ended in another way."""
    if offer is None or not offer.is_open or (asked.at < offer.expires_at and not sold_to_another):
        return []
    return [OfferExpired(**step(offer.id, offer.version, asked))]


def write(offer: Offer | None, text: str, asked: Asked, *, is_disputed: bool) -> OfferMessageSent:
    """Into the thread; an admin only while the deal is disputed."""
    if offer is not None and offer.side_of(asked.account_id) is None and asked.is_admin and is_disputed:
        by = step(offer.id, _room(offer, "admin"), asked)
        return OfferMessageSent(**by, author_id=_author(asked), side="admin", text=text)
    offer, side = party(offer, asked)
    by = step(offer.id, _room(offer, side), asked)
    return OfferMessageSent(**by, author_id=_author(asked), side=side, text=text)


def party(offer: Offer | None, asked: Asked) -> tuple[Offer, Side]:
    """The offer and on which side the asker is. It does not exist for anybody else, admins included."""
    side = offer.side_of(asked.account_id) if offer is not None else None
    if offer is None or side is None:
        raise missing("offer")
    return offer, side


def evolve(offer: Offer | None, event: DomainEvent) -> Offer:
    if isinstance(event, OfferSent):
        return Offer(
            event.originator_id,
            1,
            event.listing_id,
            event.seller_id,
            event.buyer_id,
            event.price,
            event.expires_at,
        )
    offer = replace(begun(offer, event), version=event.originator_version)
    if isinstance(event, OfferCountered | OfferMessageSent):
        offer = replace(offer, words_of={**offer.words_of, event.side: offer.words_of.get(event.side, 0) + 1})
    match event:
        case OfferCountered():
            turn: Side = "seller" if event.side == "buyer" else "buyer"
            return replace(offer, status="countered", price=event.price, expires_at=event.expires_at, turn=turn)
        case OfferMessageSent():
            return offer
        case OfferAccepted():
            return replace(offer, status="accepted", escrow_id=event.escrow_id)
        case OfferDeclined():
            return replace(offer, status="declined")
        case OfferWithdrawn():
            return replace(offer, status="withdrawn")
        case OfferExpired():
            return replace(offer, status="expired")
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to offers")


def _with_turn(offer: Offer | None, asked: Asked, *, may_be_over: bool = False) -> tuple[Offer, Side]:
    offer, side = party(offer, asked)
    if not offer.is_open:
        raise _over(offer)
    if asked.at >= offer.expires_at and not may_be_over:
        raise conflict("offer_over", "This offer has expired.")
    if side != offer.turn:
        raise conflict("not_your_turn", "It is the other side's turn to answer.")
    return offer, side


def _author(asked: Asked) -> UUID:
    if asked.account_id is None:
        raise TypeError("words are somebody's")
    return asked.account_id


def _room(offer: Offer, side: str) -> int:
    if offer.words_of.get(side, 0) >= MOST_WORDS:
        raise conflict("too_long", f"You have {MOST_WORDS} entries in this thread, which is the most one can have.")
    return offer.version


def _over(offer: Offer) -> Refused:
    words = {"accepted": "was accepted", "declined": "was declined", "withdrawn": "was taken back"}
    return conflict("offer_over", f"This offer {words.get(offer.status, 'has expired')}.")
