"""`read.offers`, `read.offer_messages` and `read.escrows`: deals and their threads, for the two sides alone, and for
admins once they are disputed."""

from __future__ import annotations

from typing import Any, Final
from uuid import uuid5

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import DEALS, their_deals
from schemas.base import ERASED, DomainEvent, Money
from schemas.events.accounts import AccountErased
from schemas.events.deals import (
    EscrowAccepted,
    EscrowAgreed,
    EscrowCancelled,
    EscrowDecided,
    EscrowDelivered,
    EscrowDisputed,
    EscrowFunded,
    EscrowInspectionBegan,
    EscrowOpened,
    EscrowRefunded,
    EscrowReleased,
    OfferAccepted,
    OfferCountered,
    OfferDeclined,
    OfferExpired,
    OfferMessageSent,
    OfferSent,
    OfferWithdrawn,
)

OFFERS: Final = ReadModel(
    name="offers",
    version=1,
    columns=(
        "id uuid",
        "listing_id uuid not null",
        "seller_id uuid not null",
        "buyer_id uuid not null",
        "status text not null",
        "price bigint not null",
        "currency text not null",
        "turn text not null",
        "expires_at timestamptz not null",
        "created_at timestamptz not null",
        "updated_at timestamptz not null",
        "escrow_id uuid unique",
        "escrow_status text",
        "disputed boolean not null default false",
    ),
    key=("id",),
    readers=DEALS,
    indexes=("seller_id, created_at, id", "buyer_id, created_at, id", "listing_id", "disputed"),
)

OFFER_MESSAGES: Final = ReadModel(
    name="offer_messages",
    version=1,
    columns=(
        "id uuid",
        "offer_id uuid not null",
        "number int not null",
        "author_id uuid not null",
        "side text not null",
        "text text not null",
        "price bigint",
        "currency text",
        "at timestamptz not null",
    ),
    key=("id",),
    readers=their_deals("offer_id"),
    indexes=("offer_id, number", "author_id, id"),
)

ESCROWS: Final = ReadModel(
    name="escrows",
    version=2,
    columns=(
        "id uuid",
        "offer_id uuid not null",
        "listing_id uuid not null",
        "seller_id uuid not null",
        "buyer_id uuid not null",
        "status text not null",
        "price bigint not null",
        "currency text not null",
        "pay_until timestamptz not null",
        "payment_url text",
        "is_trial boolean not null default false",
        "came_late boolean not null default false",
        "inspect_from timestamptz",
        "inspect_until timestamptz",
        "disputed boolean not null default false",
        "disputed_by text",
        "disputed_at timestamptz",
        "disputer_id uuid",
        "dispute_text text",
        "outcome text",
        "decision_reason text",
        "to_seller bigint",
        "to_buyer bigint",
    ),
    key=("id",),
    readers=DEALS,
    indexes=("offer_id", "disputed_at, id", "disputer_id"),
)


@OFFERS.on(OfferSent)
def sent(rows: Rows, event: OfferSent) -> None:
    rows.put(
        id=event.originator_id,
        listing_id=event.listing_id,
        seller_id=event.seller_id,
        buyer_id=event.buyer_id,
        status="sent",
        price=event.price.amount,
        currency=event.price.currency,
        turn="seller",
        expires_at=event.expires_at,
        created_at=event.timestamp,
        updated_at=event.timestamp,
    )


@OFFERS.on(OfferCountered)
def countered(rows: Rows, event: OfferCountered) -> None:
    rows.update(
        {"id": event.originator_id},
        status="countered",
        price=event.price.amount,
        currency=event.price.currency,
        turn="seller" if event.side == "buyer" else "buyer",
        expires_at=event.expires_at,
        updated_at=event.timestamp,
    )


@OFFERS.on(OfferMessageSent)
def written(rows: Rows, event: OfferMessageSent) -> None:
    rows.update({"id": event.originator_id}, updated_at=event.timestamp)


def _ends(event_class: type[DomainEvent], status: str) -> None:
    @OFFERS.on(event_class)
    def ended(rows: Rows, event: DomainEvent) -> None:
        rows.update({"id": event.originator_id}, status=status, updated_at=event.timestamp)


_ends(OfferAccepted, "accepted")
_ends(OfferDeclined, "declined")
_ends(OfferWithdrawn, "withdrawn")
_ends(OfferExpired, "expired")


@OFFERS.on(EscrowAgreed)
def deal_agreed(rows: Rows, event: EscrowAgreed) -> None:
    rows.update({"id": event.offer_id}, escrow_id=event.originator_id, escrow_status="agreed")


def _moves(event_class: type[DomainEvent], **changes: Any) -> None:
    @OFFERS.on(event_class)
    def deal_moved(rows: Rows, event: DomainEvent) -> None:
        late = isinstance(event, EscrowFunded) and event.is_late
        if not late:
            rows.update({"escrow_id": event.originator_id}, updated_at=event.timestamp, **changes)


_moves(EscrowFunded, escrow_status="funded")
_moves(EscrowDelivered, escrow_status="delivered")
_moves(EscrowInspectionBegan, escrow_status="inspecting")
_moves(EscrowAccepted, escrow_status="accepted")
_moves(EscrowReleased, escrow_status="released")
_moves(EscrowRefunded, escrow_status="refunded")
_moves(EscrowCancelled, escrow_status="cancelled")
_moves(EscrowDisputed, escrow_status="disputed", disputed=True)
_moves(EscrowDecided)


@OFFER_MESSAGES.on(OfferSent)
def first_words(rows: Rows, event: OfferSent) -> None:
    _message(rows, event, "buyer", event.price)


@OFFER_MESSAGES.on(OfferCountered)
def counter_words(rows: Rows, event: OfferCountered) -> None:
    _message(rows, event, event.side, event.price)


@OFFER_MESSAGES.on(OfferMessageSent)
def words(rows: Rows, event: OfferMessageSent) -> None:
    _message(rows, event, event.side, None)


@OFFER_MESSAGES.on(AccountErased)
def author_erased(rows: Rows, event: AccountErased) -> None:
    rows.update({"author_id": event.originator_id}, text=ERASED)


def _message(rows: Rows, event: OfferSent | OfferCountered | OfferMessageSent, side: str, price: Money | None) -> None:
    rows.put(
        id=uuid5(event.originator_id, str(event.originator_version)),
        offer_id=event.originator_id,
        number=event.originator_version,
        author_id=event.author_id,
        side=side,
        text=event.text,
        price=price.amount if price is not None else None,
        currency=price.currency if price is not None else None,
        at=event.timestamp,
    )


@ESCROWS.on(EscrowAgreed)
def agreed(rows: Rows, event: EscrowAgreed) -> None:
    rows.put(
        id=event.originator_id,
        offer_id=event.offer_id,
        listing_id=event.listing_id,
        seller_id=event.seller_id,
        buyer_id=event.buyer_id,
        status="agreed",
        price=event.price.amount,
        currency=event.price.currency,
        pay_until=event.pay_until,
    )


@ESCROWS.on(EscrowOpened)
def opened(rows: Rows, event: EscrowOpened) -> None:
    rows.update({"id": event.originator_id}, payment_url=event.payment_url, is_trial=event.is_trial)


@ESCROWS.on(EscrowFunded)
def funded(rows: Rows, event: EscrowFunded) -> None:
    if event.is_late:
        rows.update({"id": event.originator_id}, came_late=True)
    else:
        rows.update({"id": event.originator_id}, status="funded")


@ESCROWS.on(EscrowDelivered)
def delivered(rows: Rows, event: EscrowDelivered) -> None:
    rows.update({"id": event.originator_id}, status="delivered", inspect_from=event.inspect_from)


@ESCROWS.on(EscrowInspectionBegan)
def inspection_began(rows: Rows, event: EscrowInspectionBegan) -> None:
    rows.update({"id": event.originator_id}, status="inspecting", inspect_until=event.until)


@ESCROWS.on(EscrowAccepted)
def accepted(rows: Rows, event: EscrowAccepted) -> None:
    rows.update({"id": event.originator_id}, status="accepted")


@ESCROWS.on(EscrowDisputed)
def disputed(rows: Rows, event: EscrowDisputed) -> None:
    rows.update(
        {"id": event.originator_id},
        status="disputed",
        disputed=True,
        disputed_by=event.side,
        disputed_at=event.timestamp,
        disputer_id=event.author_id,
        dispute_text=event.text,
    )


@ESCROWS.on(EscrowDecided)
def decided(rows: Rows, event: EscrowDecided) -> None:
    rows.update(
        {"id": event.originator_id},
        outcome=event.outcome,
        decision_reason=event.reason,
        to_seller=event.to_seller.amount,
        to_buyer=event.to_buyer.amount,
    )


@ESCROWS.on(EscrowReleased)
def released(rows: Rows, event: EscrowReleased) -> None:
    rows.update(
        {"id": event.originator_id},
        status="released",
        to_seller=event.to_seller.amount,
        to_buyer=event.to_buyer.amount,
    )


@ESCROWS.on(EscrowRefunded)
def refunded(rows: Rows, event: EscrowRefunded) -> None:
    rows.update({"id": event.originator_id}, status="refunded")


@ESCROWS.on(EscrowCancelled)
def cancelled(rows: Rows, event: EscrowCancelled) -> None:
    rows.update({"id": event.originator_id}, status="cancelled")


@ESCROWS.on(AccountErased)
def disputer_erased(rows: Rows, event: AccountErased) -> None:
    rows.update({"disputer_id": event.originator_id}, dispute_text=ERASED)
