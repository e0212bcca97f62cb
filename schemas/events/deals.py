"""What a buyer and a seller agree on: offers with their private thread, and the escrow that holds the money.

Money moves at the escrow provider alone; what its confirmed messages say is what happened.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Money, Personal

Side = Literal["buyer", "seller"]
OfferStatus = Literal["sent", "countered", "accepted", "declined", "withdrawn", "expired"]
EscrowStatus = Literal[
    "agreed", "funded", "delivered", "inspecting", "accepted", "disputed", "released", "refunded", "cancelled"
]
Outcome = Literal["release", "refund", "split"]


class OfferSent(DomainEvent):
    """A member offers a price for a listed website."""

    NAME: ClassVar[str] = "offer.sent"
    SUBJECT: ClassVar[str] = "author_id"
    listing_id: UUID
    seller_id: UUID
    buyer_id: UUID
    author_id: UUID
    price: Money
    text: Personal[str]
    expires_at: datetime


class OfferCountered(DomainEvent):
    """The other side names another price; now it is the first one's turn."""

    NAME: ClassVar[str] = "offer.countered"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    side: Side
    price: Money
    text: Personal[str]
    expires_at: datetime


class OfferMessageSent(DomainEvent):
    """One of the two, or in a dispute an admin, wrote into the offer's thread."""

    NAME: ClassVar[str] = "offer.message_sent"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    side: Literal["buyer", "seller", "admin"]
    text: Personal[str]


class OfferAccepted(DomainEvent):
    """Both agree on the price."""

    NAME: ClassVar[str] = "offer.accepted"
    escrow_id: UUID
    side: Side


class OfferDeclined(DomainEvent):
    """Whoever had the turn does not want it."""

    NAME: ClassVar[str] = "offer.declined"
    side: Side


class OfferWithdrawn(DomainEvent):
    """The buyer does not want it any more."""

    NAME: ClassVar[str] = "offer.withdrawn"


class OfferExpired(DomainEvent):
    """Nobody answered in time, or the listing was sold to another."""

    NAME: ClassVar[str] = "offer.expired"


class EscrowAgreed(DomainEvent):
    """Price and sides are fixed; the buyer has yet to pay the provider."""

    NAME: ClassVar[str] = "escrow.agreed"
    offer_id: UUID
    listing_id: UUID
    seller_id: UUID
    buyer_id: UUID
    price: Money
    pay_until: datetime


class EscrowOpened(DomainEvent):
    """The provider has a transaction for it, and a page where the buyer pays."""

    NAME: ClassVar[str] = "escrow.opened"
    reference: str = Field(max_length=200, description="The provider's id")
    payment_url: str = Field(max_length=2_000)
    is_trial: bool = Field(default=False, description="The provider is one for trying out: no money moves")


class EscrowFunded(DomainEvent):
    """The provider has the buyer's money."""

    NAME: ClassVar[str] = "escrow.funded"
    reference: str = Field(max_length=200)
    is_late: bool = Field(default=False, description="The deal was cancelled by then: the money goes back")


class EscrowDelivered(DomainEvent):
    """The seller says that the website is handed over."""

    NAME: ClassVar[str] = "escrow.delivered"
    inspect_from: datetime = Field(description="When the inspection begins without the buyer's word")


class EscrowInspectionBegan(DomainEvent):
    """The buyer has the website, and looks at it until then."""

    NAME: ClassVar[str] = "escrow.inspection_began"
    until: datetime


class EscrowAccepted(DomainEvent):
    """The buyer is content, or said nothing in time: the provider is asked to pay the seller."""

    NAME: ClassVar[str] = "escrow.accepted"


class EscrowDisputed(DomainEvent):
    """One side does not agree; an admin reads the thread and decides."""

    NAME: ClassVar[str] = "escrow.disputed"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    side: Side
    text: Personal[str]


class EscrowDecided(DomainEvent):
    """An admin ended the dispute: who gets how much. The provider is asked to pay."""

    NAME: ClassVar[str] = "escrow.decided"
    outcome: Outcome
    to_seller: Money
    to_buyer: Money
    reason: str = Field(max_length=2_000)


class EscrowReleased(DomainEvent):
    """The provider paid the seller, and in a split the buyer's part back."""

    NAME: ClassVar[str] = "escrow.released"
    to_seller: Money
    to_buyer: Money


class EscrowRefunded(DomainEvent):
    """The provider paid all of it back to the buyer."""

    NAME: ClassVar[str] = "escrow.refunded"


class EscrowCancelled(DomainEvent):
    """Ended before the buyer paid."""

    NAME: ClassVar[str] = "escrow.cancelled"
    side: Side | None = Field(description="None: the time to pay was over")
