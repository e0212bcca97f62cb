"""`GET /api/marketplace/listings` and what is about one listing: for everybody; a draft for its seller alone."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from infra.problems import Problem
from query_api import paging
from query_api.context import AsAdmin, Context, Reads, Services
from query_api.forum.looking import Look, Looks, Shows, said
from query_api.marketplace import rows as shown
from query_api.marketplace.shapes import FlaggedQuestion, Listing, ListingInFull, Question, Seller, Step
from query_api.owned import not_found
from query_api.paging import Cursor, Limit
from query_api.reader import Reader
from schemas.events.marketplace import ListingStatus, Niche

router = APIRouter(prefix="/api/marketplace", tags=["marketplace"])
admin_router = APIRouter(prefix="/api/admin/marketplace", tags=["marketplace"])

Sort = Literal["recent", "price-low", "price-high", "revenue"]
MOST_PRICE: Final = 10**12
CENTS: Final = 100
"""Prices are in US dollars."""
WEBP: Final = "image/webp"

_ORDER: Final[dict[str, tuple[str, str, type]]] = {
    "recent": ("published_at", "DESC", datetime),
    "price-low": ("asking_price", "ASC", int),
    "price-high": ("asking_price", "DESC", int),
    "revenue": ("monthly_revenue", "DESC", int),
}
_ONE: Final = (
    f"SELECT {shown.LISTING}, buyer_id, verification, verification_note, edition, reason, expires_at"  # noqa: S608 - own text
    " FROM read.listings WHERE id = %s"
)
_MINE: Final = """
SELECT
  EXISTS (SELECT FROM read.listing_watches WHERE account_id = %(me)s AND listing_id = %(id)s AND ended_at IS NULL)
    AS watched,
  (SELECT id FROM read.offers WHERE listing_id = %(id)s AND buyer_id = %(me)s
     AND (status IN ('sent', 'countered') OR status = 'accepted' AND escrow_status NOT IN ('cancelled', 'refunded'))
   ORDER BY created_at DESC LIMIT 1) AS offer"""
_QUESTIONS: Final = """
SELECT * FROM read.listing_questions WHERE listing_id = %(id)s
  AND (hidden_at IS NULL OR %(admin)s OR author_id = %(me)s)
  AND (%(at)s::timestamptz IS NULL OR (asked_at, id) > (%(at)s, %(last)s))
ORDER BY asked_at, id LIMIT %(limit)s"""
_FLAGGED: Final = """
SELECT * FROM read.listing_questions WHERE (flags > 0 OR %(all)s AND hidden_at IS NOT NULL)
  AND (%(at)s::timestamptz IS NULL OR (asked_at, id) > (%(at)s, %(last)s))
ORDER BY asked_at, id LIMIT %(limit)s"""
_STEPS: Final = """
SELECT number, kind, by, at, detail FROM read.market_steps WHERE aggregate_id = ANY(%s)
ORDER BY at, number LIMIT 5000"""


@router.get("/listings", dependencies=[Depends(Shows("listings"))])
def get_listings(
    request: Request,
    response: Response,
    context: Context,
    search: Annotated[str | None, Query(max_length=200, description="Words of the title, whatever their case")] = None,
    niche: Literal[Niche, "all"] = "all",
    sort: Sort = "recent",
    minPrice: Annotated[int | None, Query(ge=0, le=MOST_PRICE)] = None,
    maxPrice: Annotated[int | None, Query(ge=0, le=MOST_PRICE)] = None,
    verified: bool = False,
    seller: Annotated[UUID | None, Query(description="Only what this member sells")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> list[Listing]:
    """Websites that are for sale now, and those whose seller accepted an offer (`under_offer`)."""
    column, direction, kind = _ORDER[sort]
    conditions, values = ["status IN ('active', 'under_offer')"], dict[str, Any]()
    words = shown.like(search)
    for condition, name, value in (
        ("title_lower LIKE %(words)s", "words", words),
        ("niche = %(niche)s", "niche", None if niche == "all" else niche),
        ("asking_price >= %(least)s", "least", minPrice * CENTS if minPrice is not None else None),
        ("asking_price <= %(most)s", "most", maxPrice * CENTS if maxPrice is not None else None),
        ("seller_id = %(seller)s", "seller", seller),
    ):
        if value is not None:
            conditions.append(condition)
            values[name] = value
    if verified:
        conditions.append("verified_website = website_id")
    if cursor is not None:
        values["at"], values["last"] = paging.decode(cursor, kind, UUID)
        after = "<" if direction == "DESC" else ">"
        conditions.append(f"({column} {after}= %(at)s AND ({column} {after} %(at)s OR id > %(last)s))")
    sql = (
        f"SELECT {shown.LISTING} FROM read.listings WHERE {' AND '.join(conditions)}"  # noqa: S608 - values are bound
        f" ORDER BY {column} {direction}, id LIMIT %(limit)s"
    )
    # As everybody sees it, whoever asks: an admin's list holds no drafts.
    found = Reader.of_service(context.pool).rows(sql, {**values, "limit": limit + 1})
    more, found = len(found) > limit, found[:limit]
    paging.link_next(request, response, paging.encode(found[-1][column], found[-1]["id"]) if more else None)
    return shown.listings(found)


@router.get("/listings/{id}", dependencies=[Depends(Shows("listings", "sellers"))])
def get_listing(id: UUID, context: Context, looks: Looks) -> ListingInFull:
    """One listing. What is not online is there for its seller, its buyer and admins alone."""
    reader, row = one(looks, context, id)
    me = looks.account_id
    # Offers as the account itself: an admin's role shows those of others once they are disputed, and no own ones.
    mine = Reader(context.pool, me).row(_MINE, {"me": me, "id": id}) if me is not None else None
    seller = shown.seller(reader, row["seller_id"])
    is_mine = me == row["seller_id"]
    sees_all = is_mine or looks.is_admin
    if seller is None:  # the read model of sellers is behind
        raise not_found("listing")
    return ListingInFull(
        **shown.listing(row),
        currency=row["currency"],
        images=shown.images(row),
        seller=seller,
        verification=shown.verification(row),
        verificationNote=row["verification_note"] if sees_all else None,
        publishedAt=row["published_at"],
        expiresAt=row["expires_at"],
        isMine=is_mine,
        isWatched=bool(mine and mine["watched"]),
        myOffer=mine["offer"] if mine is not None else None,
        websiteId=row["website_id"] if is_mine else None,
        edition=row["edition"] if sees_all else None,
        reason=(row["reason"] or None) if sees_all else None,
    )


@router.get("/listings/{id}/history", dependencies=[Depends(Shows("listings", "market_steps"))])
def get_listing_history(id: UUID, context: Context, looks: Looks) -> list[Step]:
    """All that happened to it, oldest first; empty for whom it is no business of."""
    reader, _ = one(looks, context, id)
    return steps(reader, id)


@router.get("/listings/{id}/questions", dependencies=[Depends(Shows("listings", "listing_questions", "sellers"))])
def get_listing_questions(
    id: UUID,
    request: Request,
    response: Response,
    context: Context,
    looks: Looks,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> list[Question]:
    """What members asked, and the seller's answers, oldest first."""
    one(looks, context, id)
    at, last = paging.decode(cursor, datetime, UUID) if cursor else (None, None)
    values = {"id": id, "me": looks.account_id, "admin": looks.is_admin, "at": at, "last": last}
    found = looks.reader.rows(_QUESTIONS, {**values, "limit": limit + 1})
    more, found = len(found) > limit, found[:limit]
    paging.link_next(request, response, paging.encode(found[-1]["asked_at"], found[-1]["id"]) if more else None)
    by = shown.names(looks.reader, *(row["author_id"] for row in found))
    return [Question(**_question(row, by, looks)) for row in found]


@router.get("/images/{hash}", response_class=Response, responses={200: {"content": {WEBP: {}}}})
def get_image(
    context: Context, hash: Annotated[str, Path(pattern="^[0-9a-f]{64}$", min_length=64, max_length=64)]
) -> Response:
    """An image by the hash of what it holds: it never changes."""
    row = Reader.of_service(context.pool).row("SELECT body FROM ops.listing_image WHERE hash = %s", (hash,))
    if row is None:
        raise Problem(404, "not_found", "There is no such image.")
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    return Response(bytes(row["body"]), media_type=WEBP, headers=headers)


@router.get("/sellers/{id}", dependencies=[Depends(Shows("sellers", "listings"))])
def get_seller(id: UUID, looks: Looks) -> Seller:
    """A member who takes part in the marketplace, by name; never with an address."""
    found = shown.seller(looks.reader, id)
    if found is None:
        raise not_found("member")
    return found


@admin_router.get("/listings", dependencies=[Depends(Reads("listings"))])
def get_all_listings(
    request: Request,
    response: Response,
    admin: AsAdmin,
    status: ListingStatus = "in_review",
    limit: Limit = 50,
    cursor: Cursor = None,
) -> list[Listing]:
    """Everybody's, in one state; oldest first."""
    at, last = paging.decode(cursor, datetime, UUID) if cursor else (None, None)
    found = admin.reader.rows(
        f"SELECT {shown.LISTING} FROM read.listings WHERE status = %(status)s"  # noqa: S608 - own text
        " AND (%(at)s::timestamptz IS NULL OR (created_at, id) > (%(at)s, %(last)s))"
        " ORDER BY created_at, id LIMIT %(limit)s",
        {"status": status, "at": at, "last": last, "limit": limit + 1},
    )
    more, found = len(found) > limit, found[:limit]
    paging.link_next(request, response, paging.encode(found[-1]["created_at"], found[-1]["id"]) if more else None)
    return shown.listings(found)


@admin_router.get("/questions", dependencies=[Depends(Reads("listing_questions"))])
def get_flagged_questions(
    request: Request,
    response: Response,
    looks: Looks,
    admin: AsAdmin,
    all: bool = False,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> list[FlaggedQuestion]:
    """Questions that members flagged and no admin decided about, oldest first; with `all` also the hidden ones."""
    at, last = paging.decode(cursor, datetime, UUID) if cursor else (None, None)
    found = admin.reader.rows(_FLAGGED, {"all": all, "at": at, "last": last, "limit": limit + 1})
    more, found = len(found) > limit, found[:limit]
    paging.link_next(request, response, paging.encode(found[-1]["asked_at"], found[-1]["id"]) if more else None)
    by = shown.names(admin.reader, *(row["author_id"] for row in found))
    return [FlaggedQuestion(**_question(row, by, looks), listingId=row["listing_id"]) for row in found]


def one(looks: Look, context: Services, listing_id: UUID) -> tuple[Reader, dict[str, Any]]:
    """The row of a listing that may be seen, and who saw it: an admin sees the own drafts as every seller does. Raises
    `Problem` 404."""
    row = looks.reader.row(_ONE, (listing_id,))
    if row is not None:
        return looks.reader, row
    if looks.is_admin and looks.account_id is not None:
        own = Reader(context.pool, looks.account_id)
        row = own.row(_ONE, (listing_id,))
        if row is not None:
            return own, row
    raise not_found("listing")


def steps(reader: Reader, *aggregates: UUID) -> list[Step]:
    """The histories of these, put together."""
    return [Step(**row) for row in reader.rows(_STEPS, (list(aggregates),))]


def _question(row: dict[str, Any], by: dict[UUID, str], looks: Look) -> dict[str, Any]:
    return {
        "id": row["id"],
        "authorName": by[row["author_id"]],
        "text": said(row["text"]),
        "askedAt": row["asked_at"],
        "answer": said(row["answer"]) if row["answered_at"] is not None else None,
        "answeredAt": row["answered_at"],
        "isMine": looks.account_id == row["author_id"],
        "isHidden": row["hidden_at"] is not None,
        "flags": row["flags"] if looks.is_admin else None,
    }
