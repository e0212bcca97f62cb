"""`GET /api/marketplace/offers/*` and `/my/*`: one's own listings, offers and searches; and disputes, for admins.

Row-level security shows an offer with its thread to its two sides, and to admins once it is disputed. An admin who buys
or sells is a side like everybody: for the own deals an account reads as itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response

from infra.settings import Settings
from query_api import paging
from query_api.context import AsAdmin, Context, Reads, Theirs
from query_api.marketplace import rows as shown
from query_api.marketplace.listings import steps
from query_api.marketplace.shapes import (
    Dispute,
    Escrow,
    EscrowCall,
    EscrowKind,
    Listing,
    Message,
    NextStep,
    Offer,
    OfferInFull,
    SavedSearch,
    Step,
)
from query_api.money import Amount
from query_api.owned import Owned, not_found
from query_api.paging import Cursor, Limit
from query_api.reader import Reader

router = APIRouter(prefix="/api/marketplace", tags=["marketplace"])
admin_router = APIRouter(prefix="/api/admin/marketplace", tags=["marketplace"])

SideShown = Literal["buyer", "seller", "admin"]
_OFFER: Final = """
SELECT o.*, l.title AS listing_title, l.status AS listing_status FROM read.offers AS o
LEFT JOIN read.listings AS l ON l.id = o.listing_id"""
_MESSAGES: Final = """
SELECT * FROM read.offer_messages WHERE offer_id = %(id)s AND (text <> '' OR price IS NOT NULL)
  AND number > %(after)s ORDER BY number LIMIT %(limit)s"""
_DISPUTES: Final = """
SELECT * FROM read.escrows WHERE disputed_at IS NOT NULL AND (%(all)s OR status = 'disputed' AND outcome IS NULL)
  AND (%(at)s::timestamptz IS NULL OR (disputed_at, id) > (%(at)s, %(last)s))
ORDER BY disputed_at, id LIMIT %(limit)s"""
_CALLS: Final = """
SELECT escrow_id, step, state, attempts, error, next_at FROM ops.escrow_call
WHERE state = 'failed' OR attempts > 0 ORDER BY number LIMIT 200"""
_WATCHED: Final = (
    f"SELECT {shown.LISTING} FROM read.listings WHERE id IN (SELECT listing_id FROM read.listing_watches"  # noqa: S608 - own text
    " WHERE account_id = %s AND ended_at IS NULL) ORDER BY published_at DESC NULLS LAST, id LIMIT 1000"
)


def _member(context: Context, theirs: Theirs) -> Reader:
    """Reads as the account itself, whatever roles it has."""
    return Reader(context.pool, theirs.principal.account_id)


AsMember = Annotated[Reader, Depends(_member)]


@router.get("/my/listings", dependencies=[Depends(Reads("listings"))])
def get_my_listings(
    request: Request, response: Response, theirs: Theirs, reader: AsMember, limit: Limit = 50, cursor: Cursor = None
) -> list[Listing]:
    """My own in every state, newest first."""
    at, last = paging.decode(cursor, datetime, UUID) if cursor else (None, None)
    values = {"me": theirs.principal.account_id, "at": at, "last": last, "limit": limit + 1}
    found = reader.rows(
        f"SELECT {shown.LISTING} FROM read.listings WHERE seller_id = %(me)s"  # noqa: S608 - own text
        " AND (%(at)s::timestamptz IS NULL OR (created_at, id) < (%(at)s, %(last)s))"
        " ORDER BY created_at DESC, id DESC LIMIT %(limit)s",
        values,
    )
    more, found = len(found) > limit, found[:limit]
    paging.link_next(request, response, paging.encode(found[-1]["created_at"], found[-1]["id"]) if more else None)
    return shown.listings(found)


@router.get("/my/watches", dependencies=[Depends(Reads("listings", "listing_watches"))])
def get_my_watches(theirs: Theirs, reader: AsMember) -> list[Listing]:
    """Listings that I keep an eye on and that are online."""
    return shown.listings(reader.rows(_WATCHED, (theirs.principal.account_id,)))


@router.get("/my/saved-searches", dependencies=[Depends(Reads("saved_searches"))])
def get_my_saved_searches(theirs: Theirs, reader: AsMember) -> list[SavedSearch]:
    rows = reader.rows(
        "SELECT * FROM read.saved_searches WHERE account_id = %s AND ended_at IS NULL ORDER BY created_at, id",
        (theirs.principal.account_id,),
    )
    return [
        SavedSearch(
            id=row["id"],
            search=row["search"],
            niche=row["niche"],
            minPrice=row["min_price"],
            maxPrice=row["max_price"],
            verified=row["verified"],
            createdAt=row["created_at"],
        )
        for row in rows
    ]


@router.get("/my/offers", dependencies=[Depends(Reads("offers", "listings", "sellers"))])
def get_my_offers(
    request: Request,
    response: Response,
    theirs: Theirs,
    reader: AsMember,
    side: Literal["buyer", "seller"],
    limit: Limit = 50,
    cursor: Cursor = None,
) -> list[Offer]:
    """What I offered, or what was offered to me; newest first."""
    at, last = paging.decode(cursor, datetime, UUID) if cursor else (None, None)
    mine = "o.buyer_id" if side == "buyer" else "o.seller_id"
    found = reader.rows(
        f"{_OFFER} WHERE {mine} = %(me)s"
        " AND (%(at)s::timestamptz IS NULL OR (o.created_at, o.id) < (%(at)s, %(last)s))"
        " ORDER BY o.created_at DESC, o.id DESC LIMIT %(limit)s",
        {"me": theirs.principal.account_id, "at": at, "last": last, "limit": limit + 1},
    )
    more, found = len(found) > limit, found[:limit]
    paging.link_next(request, response, paging.encode(found[-1]["created_at"], found[-1]["id"]) if more else None)
    by = shown.names(reader, *(row[f"{one}_id"] for row in found for one in ("buyer", "seller")))
    return [Offer(**_offer(row, side, by)) for row in found]


@router.get("/offers/{id}", dependencies=[Depends(Reads("offers", "escrows", "listings", "sellers"))])
def get_offer(id: UUID, context: Context, theirs: Theirs, reader: AsMember) -> OfferInFull:
    """One offer, with the escrow once it is accepted."""
    reader, side, row = _one(id, theirs, reader)
    by = shown.names(reader, row["buyer_id"], row["seller_id"])
    found = reader.row("SELECT * FROM read.escrows WHERE id = %s", (row["escrow_id"],)) if row["escrow_id"] else None
    offer = _offer(row, side, by)
    return OfferInFull(
        **offer,
        escrow=_escrow(found, side) if found is not None else None,
        next=_next(offer, found, side),
        escrowKind=_kind(found, context.settings),
        buyerName=by[row["buyer_id"]],
        sellerName=by[row["seller_id"]],
    )


@router.get("/offers/{id}/messages", dependencies=[Depends(Reads("offers", "offer_messages", "sellers"))])
def get_offer_messages(
    id: UUID,
    request: Request,
    response: Response,
    theirs: Theirs,
    reader: AsMember,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> list[Message]:
    """The thread, oldest first."""
    reader, _, row = _one(id, theirs, reader)
    [after] = paging.decode(cursor, int) if cursor else (0,)
    found = reader.rows(_MESSAGES, {"id": id, "after": after, "limit": limit + 1})
    more, found = len(found) > limit, found[:limit]
    paging.link_next(request, response, paging.encode(found[-1]["number"]) if more else None)
    by = shown.names(reader, row["buyer_id"], row["seller_id"])
    return [
        Message(
            number=one["number"],
            by=one["side"],
            authorName=by.get(one["author_id"], "Admin"),
            isMine=one["author_id"] == theirs.principal.account_id,
            text=one["text"],
            price=shown.amount(one, "price"),
            at=one["at"],
        )
        for one in found
    ]


@router.get("/offers/{id}/history", dependencies=[Depends(Reads("offers", "market_steps"))])
def get_offer_history(id: UUID, theirs: Theirs, reader: AsMember) -> list[Step]:
    """All that happened to the offer and its escrow, oldest first, for both sides the same."""
    reader, _, row = _one(id, theirs, reader)
    return steps(reader, *(one for one in (row["id"], row["escrow_id"]) if one is not None))


@admin_router.get("/disputes", dependencies=[Depends(Reads("escrows", "sellers"))])
def get_disputes(
    request: Request,
    response: Response,
    admin: AsAdmin,
    all: bool = False,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> list[Dispute]:
    """Deals that wait for a decision, oldest first; with `all` also those that were decided."""
    at, last = paging.decode(cursor, datetime, UUID) if cursor else (None, None)
    found = admin.reader.rows(_DISPUTES, {"all": all, "at": at, "last": last, "limit": limit + 1})
    more, found = len(found) > limit, found[:limit]
    paging.link_next(request, response, paging.encode(found[-1]["disputed_at"], found[-1]["id"]) if more else None)
    by = shown.names(admin.reader, *(row[f"{one}_id"] for row in found for one in ("buyer", "seller")))
    return [
        Dispute(
            offerId=row["offer_id"],
            escrowId=row["id"],
            listingId=row["listing_id"],
            status=row["status"],
            price=Amount(amount=row["price"], currency=row["currency"]),
            buyerName=by[row["buyer_id"]],
            sellerName=by[row["seller_id"]],
            disputedBy=row["disputed_by"],
            disputedAt=row["disputed_at"],
        )
        for row in found
    ]


@admin_router.get("/escrow-calls")
def get_escrow_calls(admin: AsAdmin) -> list[EscrowCall]:
    """What the escrow provider refused, or has not taken at the first try."""
    return [
        EscrowCall(
            escrowId=row["escrow_id"],
            step=row["step"],
            state=row["state"],
            attempts=row["attempts"],
            error=row["error"],
            nextAt=row["next_at"],
        )
        for row in admin.reader.rows(_CALLS)
    ]


def _one(offer_id: UUID, theirs: Owned, reader: Reader) -> tuple[Reader, SideShown, dict[str, Any]]:
    """The offer, on which side the reader is, and with whose eyes to read the rest. Raises `Problem` 404."""
    row = reader.row(f"{_OFFER} WHERE o.id = %s", (offer_id,))
    if row is None and theirs.principal.is_admin:
        reader = theirs.reader
        row = reader.row(f"{_OFFER} WHERE o.id = %s", (offer_id,))
    if row is None:
        raise not_found("offer")
    me = theirs.principal.account_id
    side: SideShown = "buyer" if row["buyer_id"] == me else "seller" if row["seller_id"] == me else "admin"
    return reader, side, row


def _offer(row: Mapping[str, Any], side: SideShown, by: Mapping[UUID, str]) -> dict[str, Any]:
    is_open = row["status"] in ("sent", "countered")
    on_hold = is_open and row["listing_status"] != "active"
    return {
        "id": row["id"],
        "listingId": row["listing_id"],
        "listingTitle": row["listing_title"],
        "listingStatus": row["listing_status"],
        "side": side,
        "otherName": by[row["seller_id"] if side == "buyer" else row["buyer_id"]],
        "status": row["status"],
        "price": Amount(amount=row["price"], currency=row["currency"]),
        "turn": row["turn"] if is_open else None,
        "isOnHold": on_hold,
        "expiresAt": row["expires_at"],
        "createdAt": row["created_at"],
        "updatedAt": row["updated_at"],
        "escrowStatus": row["escrow_status"],
    }


def _escrow(row: Mapping[str, Any], side: SideShown) -> Escrow:
    return Escrow(
        id=row["id"],
        status=row["status"],
        price=Amount(amount=row["price"], currency=row["currency"]),
        payUntil=row["pay_until"],
        paymentUrl=row["payment_url"] if side == "buyer" and row["status"] == "agreed" else None,
        inspectFrom=row["inspect_from"],
        inspectUntil=row["inspect_until"],
        disputedBy=row["disputed_by"],
        disputeText=row["dispute_text"],
        outcome=row["outcome"],
        decisionReason=row["decision_reason"],
        toSeller=shown.amount(row, "to_seller"),
        toBuyer=shown.amount(row, "to_buyer"),
    )


def _kind(escrow: Mapping[str, Any] | None, settings: Settings) -> EscrowKind:
    """Of an escrow that was opened, its own: the provider may be another by now."""
    if escrow is not None and escrow["payment_url"] is not None:
        return "trial" if escrow["is_trial"] else "real"
    if settings.escrow_url is None:
        return "none"
    return "trial" if settings.escrow_sandbox else "real"


_NEXT: Final[Mapping[str, tuple[NextStep, NextStep]]] = {
    "agreed": ("pay", "wait_for_payment"),
    "funded": ("wait_for_delivery", "deliver"),
    "delivered": ("confirm_receipt", "wait_for_inspection"),
    "inspecting": ("inspect", "wait_for_inspection"),
    "accepted": ("wait_for_payout", "wait_for_payout"),
    "disputed": ("wait_for_decision", "wait_for_decision"),
}
"""By the escrow's state: what the buyer, and what the seller has to do."""


def _next(offer: Mapping[str, Any], escrow: Mapping[str, Any] | None, side: SideShown) -> NextStep:
    if escrow is None:
        if offer["turn"] is None or offer["isOnHold"]:
            return "none"
        return "answer" if offer["turn"] == side else "wait"
    if escrow["outcome"] is not None and escrow["status"] == "disputed":
        return "wait_for_payout"
    if escrow["came_late"] and escrow["status"] == "cancelled":
        return "wait_for_payout"
    of_buyer, of_seller = _NEXT.get(escrow["status"], ("none", "none"))
    return of_seller if side == "seller" else of_buyer
