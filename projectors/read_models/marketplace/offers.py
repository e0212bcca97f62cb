"""`read.offers`, `read.offer_messages` and `read.escrows`: deals and their threads, for the two sides alone, and for
admins once they are disputed; and `read.deal_settings`.

Direct deals are rows of `read.escrows`, too: `pay_until` is when one ends that no side has confirmed.
"""

from __future__ import annotations

from typing import Final
from uuid import uuid5

from infra.kernel.postgres.rows import Row, Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import DEALS, PUBLIC, their_deals
from schemas.base import ERASED, DomainEvent, Money
from schemas.events import marketplace
from schemas.events.accounts import AccountErased
from schemas.events.websites import WebsiteDisconnected

DEAL_SETTINGS: Final = ReadModel(
    name="deal_settings",
    version=1,
    columns=("id uuid", "direct_deals boolean not null"),
    key=("id",),
    readers=PUBLIC,
)
"""At most one row: whether deals without escrow are allowed."""

OFFERS: Final = ReadModel(
    name="offers",
    version=2,
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
        # Of the sold website to the buyer.
        "transfer_status text",
        "transfer_website uuid",
        "transfer_at timestamptz",
    ),
    key=("id",),
    readers=DEALS,
    indexes=("seller_id, created_at, id", "buyer_id, created_at, id", "listing_id", "disputed", "transfer_website"),
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
    personal=("text",),
)

ESCROWS: Final = ReadModel(
    name="escrows",
    version=3,
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
        "is_direct boolean not null default false",
        "buyer_confirmed_at timestamptz",
        "seller_confirmed_at timestamptz",
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
    personal=("dispute_text",),
)


def _updated(event: DomainEvent) -> Row:
    return {"updated_at": event.timestamp}


def _price(price: Money) -> Row:
    return {"price": price.amount, "currency": price.currency}


def _closed(event: marketplace.DirectDealClosed) -> str:
    return "completed" if event.is_sold else "cancelled"


def _paid(event: marketplace.EscrowDecided | marketplace.EscrowReleased) -> Row:
    return {"to_seller": event.to_seller.amount, "to_buyer": event.to_buyer.amount}


@DEAL_SETTINGS.on(marketplace.DirectDealsSwitched)
def switched(rows: Rows, event: marketplace.DirectDealsSwitched) -> None:
    rows.put(id=event.originator_id, direct_deals=event.is_allowed)


OFFERS.puts(
    marketplace.OfferSent,
    ("listing_id", "seller_id", "buyer_id", "expires_at"),
    lambda event: {**_price(event.price), "created_at": event.timestamp, **_updated(event)},
    status="sent",
    turn="seller",
)


@OFFERS.on(marketplace.OfferCountered)
def countered(rows: Rows, event: marketplace.OfferCountered) -> None:
    rows.update(
        {"id": event.originator_id},
        status="countered",
        **_price(event.price),
        turn="seller" if event.side == "buyer" else "buyer",
        expires_at=event.expires_at,
        updated_at=event.timestamp,
    )


OFFERS.sets(marketplace.OfferMessageSent, _updated)
OFFERS.sets(marketplace.OfferAccepted, _updated, status="accepted")
OFFERS.sets(marketplace.OfferDeclined, _updated, status="declined")
OFFERS.sets(marketplace.OfferWithdrawn, _updated, status="withdrawn")
OFFERS.sets(marketplace.OfferExpired, _updated, status="expired")


@OFFERS.on(marketplace.EscrowAgreed)
def deal_agreed(rows: Rows, event: marketplace.EscrowAgreed) -> None:
    _agreed(rows, event)


@OFFERS.on(marketplace.DirectDealAgreed)
def direct_deal_agreed(rows: Rows, event: marketplace.DirectDealAgreed) -> None:
    _agreed(rows, event)


def _agreed(rows: Rows, event: marketplace.EscrowAgreed | marketplace.DirectDealAgreed) -> None:
    rows.update({"id": event.offer_id}, escrow_id=event.originator_id, escrow_status="agreed")


@OFFERS.on(marketplace.EscrowFunded)
def deal_funded(rows: Rows, event: marketplace.EscrowFunded) -> None:
    if not event.is_late:
        rows.update({"escrow_id": event.originator_id}, updated_at=event.timestamp, escrow_status="funded")


OFFERS.sets(marketplace.EscrowDelivered, _updated, by="escrow_id", escrow_status="delivered")
OFFERS.sets(marketplace.EscrowInspectionBegan, _updated, by="escrow_id", escrow_status="inspecting")
OFFERS.sets(marketplace.EscrowAccepted, _updated, by="escrow_id", escrow_status="accepted")
OFFERS.sets(marketplace.EscrowReleased, _updated, by="escrow_id", escrow_status="released")
OFFERS.sets(marketplace.EscrowRefunded, _updated, by="escrow_id", escrow_status="refunded")
OFFERS.sets(marketplace.EscrowCancelled, _updated, by="escrow_id", escrow_status="cancelled")
OFFERS.sets(marketplace.EscrowDisputed, _updated, by="escrow_id", escrow_status="disputed", disputed=True)
OFFERS.sets(marketplace.EscrowDecided, _updated, by="escrow_id")
OFFERS.sets(marketplace.DirectDealConfirmed, _updated, by="escrow_id", escrow_status="confirmed")
OFFERS.sets(marketplace.DirectDealCompleted, _updated, by="escrow_id", escrow_status="completed")
OFFERS.sets(marketplace.DirectDealCancelled, _updated, by="escrow_id", escrow_status="cancelled")
OFFERS.sets(marketplace.DirectDealDisputed, _updated, by="escrow_id", escrow_status="disputed", disputed=True)


def _transfer(event: DomainEvent) -> Row:
    return {"transfer_at": event.timestamp, **_updated(event)}


OFFERS.sets(
    marketplace.TransferProposed,
    lambda event: {"transfer_website": event.website_id, **_transfer(event)},
    transfer_status="proposed",
)
OFFERS.sets(marketplace.TransferWithdrawn, _transfer, transfer_status="withdrawn")
OFFERS.sets(marketplace.TransferDeclined, _transfer, transfer_status="declined")
OFFERS.sets(marketplace.TransferAccepted, _transfer, transfer_status="accepted")


@OFFERS.on(WebsiteDisconnected)
def nothing_to_transfer(rows: Rows, event: WebsiteDisconnected) -> None:
    """What the seller has removed cannot move any more; with the seller's account all websites are removed."""
    open_one = {"transfer_website": event.originator_id, "transfer_status": "proposed"}
    rows.update(open_one, transfer_status="withdrawn", transfer_at=event.timestamp)


@OFFERS.on(marketplace.DirectDealClosed)
def offer_closed(rows: Rows, event: marketplace.DirectDealClosed) -> None:
    rows.update({"escrow_id": event.originator_id}, **_updated(event), escrow_status=_closed(event))


@OFFER_MESSAGES.on(marketplace.OfferSent)
def first_words(rows: Rows, event: marketplace.OfferSent) -> None:
    _message(rows, event, "buyer", _price(event.price))


@OFFER_MESSAGES.on(marketplace.OfferCountered)
def counter_words(rows: Rows, event: marketplace.OfferCountered) -> None:
    _message(rows, event, event.side, _price(event.price))


@OFFER_MESSAGES.on(marketplace.OfferMessageSent)
def words(rows: Rows, event: marketplace.OfferMessageSent) -> None:
    _message(rows, event, event.side, {"price": None, "currency": None})


OFFER_MESSAGES.sets(AccountErased, by="author_id", text=ERASED)


def _message(
    rows: Rows,
    event: marketplace.OfferSent | marketplace.OfferCountered | marketplace.OfferMessageSent,
    side: str,
    price: Row,
) -> None:
    rows.put(
        id=uuid5(event.originator_id, str(event.originator_version)),
        offer_id=event.originator_id,
        number=event.originator_version,
        author_id=event.author_id,
        side=side,
        text=event.text,
        **price,
        at=event.timestamp,
    )


ESCROWS.puts(
    marketplace.EscrowAgreed,
    ("offer_id", "listing_id", "seller_id", "buyer_id", "pay_until"),
    lambda event: _price(event.price),
    status="agreed",
)
ESCROWS.sets(marketplace.EscrowOpened, lambda event: {"payment_url": event.payment_url, "is_trial": event.is_trial})


@ESCROWS.on(marketplace.EscrowFunded)
def funded(rows: Rows, event: marketplace.EscrowFunded) -> None:
    if event.is_late:
        rows.update({"id": event.originator_id}, came_late=True)
    else:
        rows.update({"id": event.originator_id}, status="funded")


ESCROWS.sets(marketplace.EscrowDelivered, lambda event: {"inspect_from": event.inspect_from}, status="delivered")
ESCROWS.sets(marketplace.EscrowInspectionBegan, lambda event: {"inspect_until": event.until}, status="inspecting")
ESCROWS.sets(marketplace.EscrowAccepted, status="accepted")


def _disputed(event: marketplace.EscrowDisputed | marketplace.DirectDealDisputed) -> Row:
    return {
        "disputed_by": event.side,
        "disputed_at": event.timestamp,
        "disputer_id": event.author_id,
        "dispute_text": event.text,
    }


ESCROWS.sets(marketplace.EscrowDisputed, _disputed, status="disputed", disputed=True)
ESCROWS.sets(marketplace.DirectDealDisputed, _disputed, status="disputed", disputed=True)
ESCROWS.sets(
    marketplace.EscrowDecided, lambda event: {"outcome": event.outcome, "decision_reason": event.reason, **_paid(event)}
)
ESCROWS.sets(marketplace.EscrowReleased, _paid, status="released")
ESCROWS.sets(marketplace.EscrowRefunded, status="refunded")
ESCROWS.sets(marketplace.EscrowCancelled, status="cancelled")
ESCROWS.puts(
    marketplace.DirectDealAgreed,
    ("offer_id", "listing_id", "seller_id", "buyer_id"),
    lambda event: {**_price(event.price), "pay_until": event.confirm_until},
    status="agreed",
    is_direct=True,
)


@ESCROWS.on(marketplace.DirectDealConfirmed)
def confirmed(rows: Rows, event: marketplace.DirectDealConfirmed) -> None:
    rows.update({"id": event.originator_id}, status="confirmed", **{f"{event.side}_confirmed_at": event.timestamp})


ESCROWS.sets(marketplace.DirectDealReminded, lambda event: {"inspect_until": event.complete_at})
ESCROWS.sets(marketplace.DirectDealCompleted, status="completed")
ESCROWS.sets(marketplace.DirectDealCancelled, status="cancelled")


@ESCROWS.on(marketplace.DirectDealClosed)
def closed(rows: Rows, event: marketplace.DirectDealClosed) -> None:
    rows.update({"id": event.originator_id}, status=_closed(event), decision_reason=event.reason)


ESCROWS.sets(AccountErased, by="disputer_id", dispute_text=ERASED)
