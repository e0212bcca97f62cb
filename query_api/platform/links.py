"""`GET /api/platform/links`: tracked links with what they brought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from infra.problems import Problem
from query_api import paging
from query_api.analytics.link_figures import of_links
from query_api.analytics.metrics import Counts
from query_api.context import STALE, Context, Reads, Services, Theirs
from query_api.money import Amount
from query_api.owned import not_found

router = APIRouter(tags=["links"], dependencies=[Depends(Reads("links", "partners", "websites", "events"))])


class Link(BaseModel):
    """A tracked link. Figures are of all time, bots left out."""

    id: UUID
    websiteId: UUID
    partnerId: UUID
    partnerName: str | None
    slug: str
    url: str = Field(description="What to publish: counts a click and leads to the destination")
    destination: str
    coupon: str | None
    isActive: bool
    createdAt: datetime
    sub1: str = ""
    sub2: str = ""
    sub3: str = ""
    sub4: str = ""
    sub5: str = ""
    sub6: str = ""
    sub7: str = ""
    sub8: str = ""
    sub9: str = ""
    sub10: str = ""
    clicks: int | None = Field(description="Null while the analytics store does not answer")
    conversions: int | None = Field(description="Pending and approved ones")
    earnings: Amount | None = Field(description="Commission on those, in the website's currency")


_COLUMNS: Final = (
    "l.id, l.website_id, l.partner_id, p.name AS partner_name, l.slug, l.destination, l.coupon, l.is_active,"
    " l.created_at, l.subs, w.currency"
)
_FROM: Final = (
    " FROM read.links AS l JOIN read.websites AS w ON w.id = l.website_id"
    " LEFT JOIN read.partners AS p ON p.id = l.partner_id WHERE l.deleted_at IS NULL"
)


@router.get("/api/platform/links")
def get_links(
    request: Request,
    response: Response,
    context: Context,
    theirs: Theirs,
    websiteId: Annotated[UUID | None, Query()] = None,
    limit: paging.Limit = 100,
    cursor: paging.Cursor = None,
) -> list[Link]:
    """Newest first; of one website or of all that are theirs."""
    bound: dict[str, Any] = {"websites": theirs.scope(websiteId), "limit": limit + 1}
    after = ""
    if cursor is not None:
        bound["at"], bound["id"] = paging.decode(cursor, datetime, UUID)
        after = " AND (l.created_at, l.id) < (%(at)s, %(id)s)"
    sql = (
        f"SELECT {_COLUMNS}{_FROM} AND l.website_id = ANY(%(websites)s){after}"
        " ORDER BY l.created_at DESC, l.id DESC LIMIT %(limit)s"
    )
    rows = theirs.reader.rows(sql, bound)
    page = rows[:limit]
    last = paging.encode(page[-1]["created_at"], page[-1]["id"]) if len(rows) > limit else None
    paging.link_next(request, response, last)
    return _shown(context, page, response)


@router.get("/api/platform/links/{id}")
def get_link(id: UUID, response: Response, context: Context, theirs: Theirs) -> Link:
    """One link."""
    sql = f"SELECT {_COLUMNS}{_FROM} AND l.id = %s"
    row = theirs.reader.row(sql, (id,))
    if row is None:
        raise not_found("link")
    try:
        theirs.website(row["website_id"])
    except Problem as problem:
        raise not_found("link") from problem
    return _shown(context, [row], response)[0]


def _shown(context: Services, rows: Sequence[Mapping[str, Any]], response: Response) -> list[Link]:
    """The links with their figures; while the analytics store is down: without, and `X-Stale: 1`."""
    try:
        figures = of_links(context.columnar, {row["id"]: row["website_id"] for row in rows})
    except Problem:
        response.headers.update(STALE)
        return [_link(context, row, None) for row in rows]
    return [_link(context, row, figures.get(row["id"], Counts())) for row in rows]


def _link(context: Services, row: Mapping[str, Any], counts: Counts | None) -> Link:
    earned = Amount(amount=counts.revenue, currency=row["currency"]) if counts is not None else None
    return Link(
        id=row["id"],
        websiteId=row["website_id"],
        partnerId=row["partner_id"],
        partnerName=row["partner_name"],
        slug=row["slug"],
        url=f"{context.settings.tracking_base_url}/go/{row['slug']}",
        destination=row["destination"],
        coupon=row["coupon"],
        isActive=row["is_active"],
        createdAt=row["created_at"],
        clicks=counts.clicks if counts is not None else None,
        conversions=counts.conversions if counts is not None else None,
        earnings=earned,
        **row["subs"],
    )
