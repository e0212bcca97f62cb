"""`GET /api/platform/links`: tracked links with what they brought, and their QR codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from io import BytesIO
from typing import Annotated, Any, Final
from uuid import UUID

import segno
from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from infra.problems import Problem
from query_api import paging
from query_api.analytics.link_figures import of_links
from query_api.analytics.metrics import Counts
from query_api.context import STALE, Context, Reads, Services, Theirs
from query_api.money import Amount
from query_api.owned import Owned, not_found

router = APIRouter(
    tags=["links"], dependencies=[Depends(Reads("links", "partners", "websites", "custom_domains", "events"))]
)


class Rule(BaseModel):
    """Visitors from one of the countries (none: any) with one of the devices (none: any) go to the destination."""

    countries: list[str]
    devices: list[str]
    destination: str


class Variant(BaseModel):
    """One side of a split: its share is its weight among all weights."""

    destination: str
    weight: int


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
    rules: list[Rule] = Field(description="The first one that fits wins")
    variants: list[Variant] = Field(description="Instead of the destination; a visitor always gets the same one")
    expiresAt: datetime | None
    fallback: str | None = Field(description="Where an expired or switched-off link leads; null: nowhere")
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


SVG: Final = "image/svg+xml"
COLUMNS: Final = (
    "l.id, l.website_id, l.partner_id, p.name AS partner_name, l.slug, l.destination, l.coupon, l.is_active,"
    " l.created_at, l.subs, l.routing, w.currency,"
    # The website's own name, once that leads here by TLS; the command service says the same.
    " (SELECT d.domain FROM read.custom_domains AS d WHERE d.website_id = l.website_id AND d.ssl_enabled"
    " ORDER BY d.id LIMIT 1) AS own_host"
)
FROM: Final = (
    " FROM read.links AS l JOIN read.websites AS w ON w.id = l.website_id"
    " LEFT JOIN read.partners AS p ON p.id = l.partner_id"
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
        f"SELECT {COLUMNS}{FROM} WHERE l.deleted_at IS NULL AND l.website_id = ANY(%(websites)s){after}"
        " ORDER BY l.created_at DESC, l.id DESC LIMIT %(limit)s"
    )
    rows = theirs.reader.rows(sql, bound)
    page = rows[:limit]
    last = paging.encode(page[-1]["created_at"], page[-1]["id"]) if len(rows) > limit else None
    paging.link_next(request, response, last)
    return shown(context, page, response)


@router.get("/api/platform/links/{id}")
def get_link(id: UUID, response: Response, context: Context, theirs: Theirs) -> Link:
    """One link."""
    return shown(context, [_one(theirs, id)], response)[0]


@router.get("/api/platform/links/{id}/qr.svg", response_class=Response, responses={200: {"content": {SVG: {}}}})
def get_link_qr(
    id: UUID,
    context: Context,
    theirs: Theirs,
    scale: Annotated[int, Query(ge=1, le=40, description="Pixels of one module")] = 8,
) -> Response:
    """The link's address as a QR code that survives a damage of 15 %."""
    drawn = BytesIO()
    segno.make(_address(context, _one(theirs, id)), error="m", micro=False).save(
        drawn, kind="svg", scale=scale, border=4, dark="#000", light="#fff", xmldecl=False, nl=False
    )
    return Response(drawn.getvalue(), media_type=SVG, headers={"Content-Disposition": 'inline; filename="link.svg"'})


def _one(theirs: Owned, link_id: UUID) -> Mapping[str, Any]:
    row = theirs.reader.row(f"SELECT {COLUMNS}{FROM} WHERE l.deleted_at IS NULL AND l.id = %s", (link_id,))
    if row is None:
        raise not_found("link")
    try:
        theirs.website(row["website_id"])
    except Problem as problem:
        raise not_found("link") from problem
    return row


def shown(context: Services, rows: Sequence[Mapping[str, Any]], response: Response) -> list[Link]:
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
        url=_address(context, row),
        destination=row["destination"],
        coupon=row["coupon"],
        isActive=row["is_active"],
        rules=[Rule(**rule) for rule in row["routing"]["rules"]],
        variants=[Variant(**variant) for variant in row["routing"]["variants"]],
        expiresAt=row["routing"]["expires_at"],
        fallback=row["routing"]["fallback"],
        createdAt=row["created_at"],
        clicks=counts.clicks if counts is not None else None,
        conversions=counts.conversions if counts is not None else None,
        earnings=earned,
        **row["subs"],
    )


def _address(context: Services, row: Mapping[str, Any]) -> str:
    base = f"https://{row['own_host']}" if row["own_host"] else f"{context.settings.tracking_base_url}/go"
    return f"{base}/{row['slug']}"
