"""`GET /api/marketplace/listings` and the data of one listing: public; a draft is visible only to its seller."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response

from infra.kernel.http.openapi import file_response
from infra.kernel.http.problems import Problem
from query_api.forum.moderation_view import PUBLIC_READS_OWN_WRITES, CurrentViewer, Viewer, said
from query_api.kernel.authorization import not_found, require_existing
from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope, Context, Services
from query_api.kernel.pagination import Page50, bounded
from query_api.kernel.postgres_reader import PostgresReader, like
from query_api.marketplace import rows as shown
from query_api.marketplace.schemas import FlaggedQuestion, Listing, ListingInFull, ListingStep, Question, Seller
from schemas.events.marketplace import ListingStatus, Niche
from schemas.listing_verification import IS_VERIFIED

router = APIRouter(prefix="/api/marketplace", tags=["marketplace"])
admin_router = APIRouter(prefix="/api/admin/marketplace", tags=["marketplace"])

Sort = Literal["recent", "price-low", "price-high", "revenue"]
MAX_PRICE: Final = 10**12
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
    f"SELECT {shown.LISTING}, buyer_id, reviewer_id, verification, verification_note, edition, reason, expires_at"  # noqa: S608 - own text
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


@router.get("/listings", dependencies=[PUBLIC_READS_OWN_WRITES])
def get_listings(
    context: Context,
    page: Page50,
    search: Annotated[str | None, Query(max_length=200, description="Words of the title, case-insensitive")] = None,
    niche: Literal[Niche, "all"] = "all",
    sort: Sort = "recent",
    min_price: Annotated[int | None, Query(alias="minPrice", ge=0, le=MAX_PRICE)] = None,
    max_price: Annotated[int | None, Query(alias="maxPrice", ge=0, le=MAX_PRICE)] = None,
    verified: bool = False,
    seller: Annotated[UUID | None, Query(description="Only listings of this member")] = None,
) -> list[Listing]:
    """Websites that are for sale now, and those whose seller accepted an offer (`under_offer`)."""
    column, direction, kind = _ORDER[sort]
    conditions, values = ["status IN ('active', 'under_offer')"], dict[str, Any]()
    words = like(search.lower() if search else None)
    for condition, name, value in (
        ("title_lower LIKE %(words)s", "words", words),
        ("niche = %(niche)s", "niche", None if niche == "all" else niche),
        ("asking_price >= %(least)s", "least", min_price * CENTS if min_price is not None else None),
        ("asking_price <= %(most)s", "most", max_price * CENTS if max_price is not None else None),
        ("seller_id = %(seller)s", "seller", seller),
    ):
        if value is not None:
            conditions.append(condition)
            values[name] = value
    if verified:
        conditions.append(IS_VERIFIED)
    if not page.is_first:
        values["at"], values["last"] = page.after(kind, UUID)
        after = "<" if direction == "DESC" else ">"
        conditions.append(f"({column} {after}= %(at)s AND ({column} {after} %(at)s OR id > %(last)s))")
    sql = (
        f"SELECT {shown.LISTED} FROM read.listings WHERE {' AND '.join(conditions)}"  # noqa: S608 - values are bound
        f" ORDER BY {column} {direction}, id LIMIT %(limit)s"
    )
    # The public view for every caller: an admin's list has no drafts.
    rows = PostgresReader.of_service(context.pool).rows(sql, {**values, "limit": page.limit + 1})
    return shown.listings(page.take(rows, column, "id"))


@router.get("/listings/{id}", dependencies=[PUBLIC_READS_OWN_WRITES])
def get_listing(id: UUID, context: Context, viewer: CurrentViewer) -> ListingInFull:
    """One listing. One that is not online is visible only to its seller, its buyer, its invited reviewer and
    admins."""
    reader, row = one(viewer, context, id)
    me = viewer.account_id
    # Offers as the account itself: an admin's role shows those of others once they are disputed, and no own ones.
    mine = PostgresReader(context.pool, me).row(_MINE, {"me": me, "id": id}) if me is not None else None
    seller = shown.seller(reader, row["seller_id"])
    is_mine = me == row["seller_id"]
    is_reviewer = me is not None and me == row["reviewer_id"]
    sees_all = is_mine or viewer.is_admin
    return ListingInFull.of_row(
        shown.listing(row),
        images=shown.images(row),
        seller=require_existing(seller, "listing"),  # none: the read model of sellers is behind
        verification=shown.verification(row),
        verification_note=row["verification_note"] if sees_all else None,
        is_mine=is_mine,
        is_watched=bool(mine and mine["watched"]),
        my_offer=mine["offer"] if mine is not None else None,
        website_id=row["website_id"] if is_mine else None,
        edition=row["edition"] if sees_all or is_reviewer else None,
        is_reviewer=is_reviewer,
        has_reviewer=is_mine and row["reviewer_id"] is not None,
        reason=(row["reason"] or None) if sees_all else None,
    )


@router.get("/listings/{id}/history", dependencies=[PUBLIC_READS_OWN_WRITES])
def get_listing_history(id: UUID, context: Context, viewer: CurrentViewer) -> list[ListingStep]:
    """All events of the listing, oldest first. For its seller, its buyer and admins; empty for others."""
    reader, _ = one(viewer, context, id)
    return steps(reader, id)


@router.get("/listings/{id}/questions", dependencies=[PUBLIC_READS_OWN_WRITES])
def get_listing_questions(id: UUID, context: Context, viewer: CurrentViewer, page: Page50) -> list[Question]:
    """What members asked, and the seller's answers, oldest first."""
    one(viewer, context, id)
    values = {"id": id, "me": viewer.account_id, "admin": viewer.is_admin}
    rows = page.rows(viewer.reader, bounded(_QUESTIONS, "text", "answer"), "asked_at", values)
    return [Question.of_row(row) for row in _questions(viewer.reader, rows, viewer)]


@router.get("/images/{hash}", response_class=Response, responses=file_response(WEBP))
def get_image(
    context: Context, hash: Annotated[str, Path(pattern="^[0-9a-f]{64}$", min_length=64, max_length=64)]
) -> Response:
    """An image by the hash of its content: it never changes."""
    row = PostgresReader.of_service(context.pool).row(
        "SELECT body FROM marketplace.listing_image WHERE hash = %s", (hash,)
    )
    if row is None:
        raise Problem(404, "not_found", "Image not found.")
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    return Response(bytes(row["body"]), media_type=WEBP, headers=headers)


@router.get("/sellers/{id}", dependencies=[PUBLIC_READS_OWN_WRITES])
def get_seller(id: UUID, viewer: CurrentViewer) -> Seller:
    """A member who takes part in the marketplace, by name; never with an address."""
    return require_existing(shown.seller(viewer.reader, id), "member")


@admin_router.get("/listings", dependencies=[READS_OWN_WRITES])
def get_all_listings(
    admin: AdminScope,
    page: Page50,
    status: ListingStatus = "in_review",
    search: Annotated[str | None, Query(max_length=200, description="Part of title or address")] = None,
) -> list[Listing]:
    """Listings of all sellers with one status, oldest first."""
    sql = (
        f"SELECT {shown.LISTED} FROM read.listings WHERE status = %(status)s"  # noqa: S608 - own text
        " AND (%(search)s::text IS NULL OR concat_ws(' ', title, website_url) ILIKE %(search)s)"
        " AND (%(at)s::timestamptz IS NULL OR (created_at, id) > (%(at)s, %(last)s))"
        " ORDER BY created_at, id LIMIT %(limit)s"
    )
    return shown.listings(page.rows(admin.reader, sql, "created_at", {"status": status, "search": like(search)}))


@admin_router.get("/questions", dependencies=[READS_OWN_WRITES])
def get_flagged_questions(
    viewer: CurrentViewer, admin: AdminScope, page: Page50, all: bool = False
) -> list[FlaggedQuestion]:
    """Questions that members reported and no admin has decided on, oldest first; with `all` also hidden ones."""
    rows = page.rows(admin.reader, bounded(_FLAGGED, "text", "answer"), "asked_at", {"all": all})
    return [FlaggedQuestion.of_row(row) for row in _questions(admin.reader, rows, viewer)]


def one(viewer: Viewer, context: Services, listing_id: UUID) -> tuple[PostgresReader, dict[str, Any]]:
    """The row of a listing that may be seen, and who saw it: an admin sees the own drafts as every seller does. Raises
    `Problem` 404."""
    row = viewer.reader.row(_ONE, (listing_id,))
    if row is not None:
        return viewer.reader, row
    if viewer.is_admin and viewer.account_id is not None:
        own = PostgresReader(context.pool, viewer.account_id)
        row = own.row(_ONE, (listing_id,))
        if row is not None:
            return own, row
    raise not_found("listing")


def steps(reader: PostgresReader, *aggregates: UUID) -> list[ListingStep]:
    """Returns the steps of these aggregates' histories in one list."""
    return [ListingStep.of_row(row) for row in reader.rows(_STEPS, (list(aggregates),))]


def _questions(reader: PostgresReader, rows: list[dict[str, Any]], viewer: Viewer) -> list[dict[str, Any]]:
    """The columns of `Question`, and all others of the rows."""
    by = shown.names(reader, *(row["author_id"] for row in rows))
    return [
        {
            **row,
            "author_name": by[row["author_id"]],
            "text": said(row["text"]),
            "answer": said(row["answer"]) if row["answered_at"] is not None else None,
            "is_mine": viewer.account_id == row["author_id"],
            "is_hidden": row["hidden_at"] is not None,
            "flags": row["flags"] if viewer.is_admin else None,
        }
        for row in rows
    ]
