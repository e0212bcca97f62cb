"""`read.offers`, `read.offer_messages` and `read.escrows`: deals and their threads, for the two sides alone, and for
admins once they are disputed; and `read.deal_settings`.

Direct deals are rows of `read.escrows`, too: `pay_until` is when one ends that no side has confirmed.
"""

from __future__ import annotations

from typing import Final
from uuid import uuid5

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import DEALS, PUBLIC, their_deals
from schemas.base import ERASED
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


_PRICE: Final = {"price": "price.amount", "currency": "price.currency"}


def _closed(event: marketplace.DirectDealClosed) -> str:
    return "completed" if event.is_sold else "cancelled"


_PAID: Final = {"to_seller": "to_seller.amount", "to_buyer": "to_buyer.amount"}


DEAL_SETTINGS.begins(marketplace.DirectDealsSwitched, takes={"direct_deals": "is_allowed"})


OFFERS.begins(marketplace.OfferSent, at=("created_at", "updated_at"), takes=_PRICE, status="sent", turn="seller")
OFFERS.follows(
    marketplace.OfferCountered,
    lambda event: {"turn": "seller" if event.side == "buyer" else "buyer"},
    at="updated_at",
    takes=_PRICE,
    status="countered",
)
OFFERS.follows(marketplace.OfferMessageSent, at="updated_at")
OFFERS.follows(marketplace.OfferAccepted, but="escrow_id", at="updated_at", status="accepted")
OFFERS.follows(marketplace.OfferDeclined, at="updated_at", status="declined")
OFFERS.follows(marketplace.OfferWithdrawn, at="updated_at", status="withdrawn")
OFFERS.follows(marketplace.OfferExpired, at="updated_at", status="expired")


@OFFERS.on(marketplace.EscrowAgreed, marketplace.DirectDealAgreed)
def deal_agreed(rows: Rows, event: marketplace.EscrowAgreed | marketplace.DirectDealAgreed) -> None:
    rows.update({"id": event.offer_id}, escrow_id=event.originator_id, escrow_status="agreed")


@OFFERS.on(marketplace.EscrowFunded)
def deal_funded(rows: Rows, event: marketplace.EscrowFunded) -> None:
    if not event.is_late:
        rows.update({"escrow_id": event.originator_id}, updated_at=event.timestamp, escrow_status="funded")


OFFERS.follows(marketplace.EscrowDelivered, at="updated_at", by="escrow_id", escrow_status="delivered")
OFFERS.follows(marketplace.EscrowInspectionBegan, at="updated_at", by="escrow_id", escrow_status="inspecting")
OFFERS.follows(marketplace.EscrowAccepted, at="updated_at", by="escrow_id", escrow_status="accepted")
OFFERS.follows(marketplace.EscrowReleased, at="updated_at", by="escrow_id", escrow_status="released")
OFFERS.follows(marketplace.EscrowRefunded, at="updated_at", by="escrow_id", escrow_status="refunded")
OFFERS.follows(marketplace.EscrowCancelled, at="updated_at", by="escrow_id", escrow_status="cancelled")
OFFERS.follows(marketplace.EscrowDisputed, at="updated_at", by="escrow_id", escrow_status="disputed", disputed=True)
OFFERS.follows(marketplace.EscrowDecided, at="updated_at", by="escrow_id")
OFFERS.follows(marketplace.DirectDealConfirmed, at="updated_at", by="escrow_id", escrow_status="confirmed")
OFFERS.follows(marketplace.DirectDealCompleted, at="updated_at", by="escrow_id", escrow_status="completed")
OFFERS.follows(marketplace.DirectDealCancelled, at="updated_at", by="escrow_id", escrow_status="cancelled")
OFFERS.follows(marketplace.DirectDealDisputed, at="updated_at", by="escrow_id", escrow_status="disputed", disputed=True)


OFFERS.follows(
    marketplace.TransferProposed,
    at=("transfer_at", "updated_at"),
    takes={"transfer_website": "website_id"},
    transfer_status="proposed",
)
OFFERS.follows(marketplace.TransferWithdrawn, at=("transfer_at", "updated_at"), transfer_status="withdrawn")
OFFERS.follows(marketplace.TransferDeclined, at=("transfer_at", "updated_at"), transfer_status="declined")
OFFERS.follows(marketplace.TransferAccepted, at=("transfer_at", "updated_at"), transfer_status="accepted")


@OFFERS.on(WebsiteDisconnected)
def nothing_to_transfer(rows: Rows, event: WebsiteDisconnected) -> None:
    """Withdraws the proposed transfer of a removed website; with the seller's account all websites are removed."""
    open_one = {"transfer_website": event.originator_id, "transfer_status": "proposed"}
    rows.update(open_one, transfer_status="withdrawn", transfer_at=event.timestamp)


OFFERS.follows(
    marketplace.DirectDealClosed,
    lambda event: {"escrow_status": _closed(event)},
    at="updated_at",
    by="escrow_id",
)


OFFER_MESSAGES.follows(AccountErased, by="author_id", text=ERASED)


@OFFER_MESSAGES.on(marketplace.OfferSent, marketplace.OfferCountered, marketplace.OfferMessageSent)
def written(
    rows: Rows, event: marketplace.OfferSent | marketplace.OfferCountered | marketplace.OfferMessageSent
) -> None:
    price = None if isinstance(event, marketplace.OfferMessageSent) else event.price
    rows.put(
        id=uuid5(event.originator_id, str(event.originator_version)),
        offer_id=event.originator_id,
        number=event.originator_version,
        author_id=event.author_id,
        side="buyer" if isinstance(event, marketplace.OfferSent) else event.side,
        text=event.text,
        price=price.amount if price else None,
        currency=price.currency if price else None,
        at=event.timestamp,
    )


ESCROWS.begins(marketplace.EscrowAgreed, takes=_PRICE, status="agreed")
ESCROWS.follows(marketplace.EscrowOpened)


@ESCROWS.on(marketplace.EscrowFunded)
def funded(rows: Rows, event: marketplace.EscrowFunded) -> None:
    if event.is_late:
        rows.update({"id": event.originator_id}, came_late=True)
    else:
        rows.update({"id": event.originator_id}, status="funded")


ESCROWS.follows(marketplace.EscrowDelivered, status="delivered")
ESCROWS.follows(marketplace.EscrowInspectionBegan, takes={"inspect_until": "until"}, status="inspecting")
ESCROWS.follows(marketplace.EscrowAccepted, status="accepted")


_DISPUTE: Final = {"disputed_by": "side", "disputer_id": "author_id", "dispute_text": "text"}
ESCROWS.follows(marketplace.EscrowDisputed, at="disputed_at", takes=_DISPUTE, status="disputed", disputed=True)
ESCROWS.follows(marketplace.DirectDealDisputed, at="disputed_at", takes=_DISPUTE, status="disputed", disputed=True)
ESCROWS.follows(marketplace.EscrowDecided, takes={"decision_reason": "reason", **_PAID})
ESCROWS.follows(marketplace.EscrowReleased, takes=_PAID, status="released")
ESCROWS.follows(marketplace.EscrowRefunded, status="refunded")
ESCROWS.follows(marketplace.EscrowCancelled, status="cancelled")
ESCROWS.begins(
    marketplace.DirectDealAgreed,
    takes={**_PRICE, "pay_until": "confirm_until"},
    status="agreed",
    is_direct=True,
)


@ESCROWS.on(marketplace.DirectDealConfirmed)
def confirmed(rows: Rows, event: marketplace.DirectDealConfirmed) -> None:
    rows.update({"id": event.originator_id}, status="confirmed", **{f"{event.side}_confirmed_at": event.timestamp})


ESCROWS.follows(marketplace.DirectDealReminded, takes={"inspect_until": "complete_at"})
ESCROWS.follows(marketplace.DirectDealCompleted, status="completed")
ESCROWS.follows(marketplace.DirectDealCancelled, status="cancelled")


@ESCROWS.on(marketplace.DirectDealClosed)
def closed(rows: Rows, event: marketplace.DirectDealClosed) -> None:
    rows.update({"id": event.originator_id}, status=_closed(event), decision_reason=event.reason)


ESCROWS.follows(AccountErased, by="disputer_id", dispute_text=ERASED)
