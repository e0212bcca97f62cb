"""`GET /api/marketplace/offers/*` and `/my/*`: one's own listings, offers and searches; and disputes, for admins.

Row-level security shows an offer with its thread to its two sides, and to admins once it is disputed. An admin who buys
or sells is a side like everybody: for the own deals an account reads as itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter

from infra.kernel.config.settings import Settings
from query_api.forum.moderation_view import PUBLIC_READS_OWN_WRITES
from query_api.kernel.authorization import AccountScope, require_existing
from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope, CallerScope, Context
from query_api.kernel.pagination import Page50, Page100, bounded
from query_api.kernel.postgres_reader import PostgresReader
from query_api.marketplace import rows as shown
from query_api.marketplace.listings import steps
from query_api.marketplace.schemas import (
    DealTerms,
    Dispute,
    Escrow,
    EscrowCall,
    EscrowKind,
    Listing,
    ListingStep,
    Message,
    NextStep,
    Offer,
    OfferInFull,
    SavedSearch,
)

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
SELECT escrow_id, step, state, attempts, error, next_at FROM marketplace.escrow_call
WHERE state = 'failed' OR attempts > 0 ORDER BY number LIMIT 200"""
_WATCHED: Final = (
    f"SELECT {shown.LISTED} FROM read.listings WHERE id IN (SELECT listing_id FROM read.listing_watches"  # noqa: S608 - own text
    " WHERE account_id = %s AND ended_at IS NULL) ORDER BY published_at DESC NULLS LAST, id LIMIT 1000"
)


@router.get("/deal-terms", dependencies=[PUBLIC_READS_OWN_WRITES])
def get_deal_terms(context: Context) -> DealTerms:
    """Whether deals have an escrow here, for everybody: sellers and buyers are to know before an offer is made."""
    allowed = _allows_direct_deals(PostgresReader.of_service(context.pool))
    return DealTerms(escrow_kind=_kind(None, context.settings, direct=allowed), direct_deals=allowed)


@router.get("/my/listings", dependencies=[READS_OWN_WRITES])
def get_my_listings(scope: CallerScope, page: Page50) -> list[Listing]:
    """Your own, with any status, newest first."""
    sql = (
        f"SELECT {shown.LISTED} FROM read.listings WHERE seller_id = %(me)s"  # noqa: S608 - own text
        " AND (%(at)s::timestamptz IS NULL OR (created_at, id) < (%(at)s, %(last)s))"
        " ORDER BY created_at DESC, id DESC LIMIT %(limit)s"
    )
    return shown.listings(page.rows(scope.reader, sql, "created_at", {"me": scope.principal.account_id}))


@router.get("/my/watches", dependencies=[READS_OWN_WRITES])
def get_my_watches(scope: CallerScope) -> list[Listing]:
    """Listings that you watch and that are online."""
    return shown.listings(scope.reader.rows(_WATCHED, (scope.principal.account_id,)))


@router.get("/my/saved-searches", dependencies=[READS_OWN_WRITES])
def get_my_saved_searches(scope: CallerScope) -> list[SavedSearch]:
    rows = scope.reader.rows(
        "SELECT * FROM read.saved_searches WHERE account_id = %s AND ended_at IS NULL ORDER BY created_at, id",
        (scope.principal.account_id,),
    )
    return [SavedSearch.of_row(row) for row in rows]


@router.get("/my/offers", dependencies=[READS_OWN_WRITES])
def get_my_offers(scope: CallerScope, page: Page50, side: Literal["buyer", "seller"]) -> list[Offer]:
    """Offers that you sent or received, newest first."""
    mine = "o.buyer_id" if side == "buyer" else "o.seller_id"
    sql = (
        f"{_OFFER} WHERE {mine} = %(me)s"
        " AND (%(at)s::timestamptz IS NULL OR (o.created_at, o.id) < (%(at)s, %(last)s))"
        " ORDER BY o.created_at DESC, o.id DESC LIMIT %(limit)s"
    )
    rows = page.rows(scope.reader, sql, "created_at", {"me": scope.principal.account_id})
    by = shown.names(scope.reader, *(row[f"{one}_id"] for row in rows for one in ("buyer", "seller")))
    return [Offer.of_row(_offer(row, side, by)) for row in rows]


@router.get("/offers/{id}", dependencies=[READS_OWN_WRITES])
def get_offer(id: UUID, context: Context, scope: CallerScope) -> OfferInFull:
    """One offer, with the escrow once it is accepted."""
    reader, side, row = _one(id, scope)
    by = shown.names(reader, row["buyer_id"], row["seller_id"])
    escrow = reader.row("SELECT * FROM read.escrows WHERE id = %s", (row["escrow_id"],)) if row["escrow_id"] else None
    offer = _offer(row, side, by)
    return OfferInFull.of_row(
        offer,
        escrow=_escrow(escrow, side) if escrow is not None else None,
        next=_next(offer, escrow, side),
        escrow_kind=_kind(escrow, context.settings, direct=_allows_direct_deals(reader)),
        buyer_name=by[row["buyer_id"]],
        seller_name=by[row["seller_id"]],
    )


@router.get("/offers/{id}/messages", dependencies=[READS_OWN_WRITES])
def get_offer_messages(id: UUID, scope: CallerScope, page: Page100) -> list[Message]:
    """The thread, oldest first."""
    reader, _, row = _one(id, scope)
    rows = reader.rows(bounded(_MESSAGES, "text"), {"id": id, "after": page.behind(0), "limit": page.limit + 1})
    by = shown.names(reader, row["buyer_id"], row["seller_id"])
    return [
        Message.of_row(
            one,
            by=one["side"],
            author_name=by.get(one["author_id"], "Admin"),
            is_mine=one["author_id"] == scope.principal.account_id,
            price=shown.amount(one, "price"),
        )
        for one in page.take(rows, "number")
    ]


@router.get("/offers/{id}/history", dependencies=[READS_OWN_WRITES])
def get_offer_history(id: UUID, scope: CallerScope) -> list[ListingStep]:
    """All events of the offer and its escrow, oldest first; the same for both sides."""
    reader, _, row = _one(id, scope)
    return steps(reader, *(one for one in (row["id"], row["escrow_id"]) if one is not None))


@admin_router.get("/disputes", dependencies=[READS_OWN_WRITES])
def get_disputes(admin: AdminScope, page: Page50, all: bool = False) -> list[Dispute]:
    """Deals awaiting a decision, oldest first; with `all` also decided ones."""
    rows = page.rows(admin.reader, _DISPUTES, "disputed_at", {"all": all})
    by = shown.names(admin.reader, *(row[f"{one}_id"] for row in rows for one in ("buyer", "seller")))
    return [
        Dispute.of_row(
            row,
            escrow_id=row["id"],
            price=shown.amount(row, "price"),
            buyer_name=by[row["buyer_id"]],
            seller_name=by[row["seller_id"]],
        )
        for row in rows
    ]


@admin_router.get("/escrow-calls")
def get_escrow_calls(admin: AdminScope) -> list[EscrowCall]:
    """Calls that the escrow provider rejected, or did not accept at the first attempt."""
    return [EscrowCall.of_row(row) for row in admin.reader.rows(_CALLS)]


def _one(offer_id: UUID, scope: AccountScope) -> tuple[PostgresReader, SideShown, dict[str, Any]]:
    """The offer, on which side the reader is, and with whose eyes to read the rest. Raises `Problem` 404."""
    reader, sql = scope.reader, f"{_OFFER} WHERE o.id = %s"
    row = reader.row(sql, (offer_id,))
    if row is None and scope.principal.is_admin:
        reader = scope.all_accounts().reader
        row = reader.row(sql, (offer_id,))
    row = require_existing(row, "offer")
    me = scope.principal.account_id
    side: SideShown = "buyer" if row["buyer_id"] == me else "seller" if row["seller_id"] == me else "admin"
    return reader, side, row


def _offer(row: Mapping[str, Any], side: SideShown, by: Mapping[UUID, str]) -> dict[str, Any]:
    """The columns of `Offer`."""
    is_open = row["status"] in ("sent", "countered")
    return {
        **row,
        "side": side,
        "other_name": by[row["seller_id"] if side == "buyer" else row["buyer_id"]],
        "price": shown.amount(row, "price"),
        "turn": row["turn"] if is_open else None,
        "is_on_hold": is_open and row["listing_status"] != "active",
    }


def _escrow(row: Mapping[str, Any], side: SideShown) -> Escrow:
    return Escrow.of_row(
        row,
        price=shown.amount(row, "price"),
        payment_url=row["payment_url"] if side == "buyer" and row["status"] == "agreed" else None,
        to_seller=shown.amount(row, "to_seller"),
        to_buyer=shown.amount(row, "to_buyer"),
    )


def _kind(escrow: Mapping[str, Any] | None, settings: Settings, *, direct: bool) -> EscrowKind:
    """Returns the kind of escrow; of a deal that has begun, its own: the provider may be another by now. `direct`:
    direct deals are allowed."""
    if escrow is not None and escrow["is_direct"]:
        return "direct"
    if escrow is not None and escrow["payment_url"] is not None:
        return "trial" if escrow["is_trial"] else "real"
    if settings.escrow_url is None:
        return "direct" if direct else "none"
    return "trial" if settings.escrow_sandbox else "real"


def _allows_direct_deals(reader: PostgresReader) -> bool:
    row = reader.row("SELECT direct_deals FROM read.deal_settings", ())
    return row is not None and bool(row["direct_deals"])


_NEXT: Final[Mapping[str, tuple[NextStep, NextStep]]] = {
    "agreed": ("pay", "wait_for_payment"),
    "funded": ("wait_for_delivery", "deliver"),
    "delivered": ("confirm_receipt", "wait_for_inspection"),
    "inspecting": ("inspect", "wait_for_inspection"),
    "accepted": ("wait_for_payout", "wait_for_payout"),
    "disputed": ("wait_for_decision", "wait_for_decision"),
}
"""The next step of the buyer and of the seller, by the escrow's state."""


def _next(offer: Mapping[str, Any], escrow: Mapping[str, Any] | None, side: SideShown) -> NextStep:
    if escrow is None:
        if offer["turn"] is None or offer["is_on_hold"]:
            return "none"
        return "answer" if offer["turn"] == side else "wait"
    if escrow["is_direct"] and escrow["status"] in ("agreed", "confirmed"):
        return (
            "confirm_handover" if side == "admin" or escrow[f"{side}_confirmed_at"] is None else "wait_for_confirmation"
        )
    if escrow["outcome"] is not None and escrow["status"] == "disputed":
        return "wait_for_payout"
    if escrow["came_late"] and escrow["status"] == "cancelled":
        return "wait_for_payout"
    of_buyer, of_seller = _NEXT.get(escrow["status"], ("none", "none"))
    return of_seller if side == "seller" else of_buyer
