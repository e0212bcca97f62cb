"""`GET /api/platform/links`: tracked links with what they brought, and their QR codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from io import BytesIO
from typing import Annotated, Any, Final
from uuid import UUID

import segno
from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, Field

from infra.kernel.http.problems import Problem
from query_api.analytics import metrics
from query_api.analytics.metrics import PERFORMANCE_COUNTERS, Counts, Source
from query_api.kernel import clickhouse_reader
from query_api.kernel.authorization import AccountScope
from query_api.kernel.dependencies import STALE, CallerScope, Context, Reads, Services
from query_api.kernel.money import Amount
from query_api.kernel.pagination import Page100
from query_api.kernel.responses import RowModel

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


class Link(RowModel):
    """A tracked link. Metrics are of all time, bots excluded."""

    id: UUID
    websiteId: UUID
    partnerId: UUID
    partnerName: str | None
    slug: str
    url: str = Field(description="Link to publish: counts a click and redirects to the destination")
    destination: str
    coupon: str | None
    isActive: bool
    rules: list[Rule] = Field(description="The first match wins")
    variants: list[Variant] = Field(description="Replace the destination; a visitor always gets the same variant")
    expiresAt: datetime | None
    fallback: str | None = Field(description="Redirect target when expired or off; null: none")
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
    clicks: int | None = Field(description="Null while the analytics store is unavailable")
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
_FIGURES: Final = (
    f"SELECT toString(t.link_id) AS link, {metrics.counters(Source.RAW, PERFORMANCE_COUNTERS)}"  # noqa: S608 - own text
    f" FROM {Source.RAW.table} AS t"
    " WHERE t.website_id IN {websites:Array(UUID)} AND t.link_id IN {links:Array(UUID)} AND NOT t.is_bot"
    " AND t.type IN ('click', 'conversion') GROUP BY t.link_id"
)


@router.get("/api/platform/links")
def get_links(
    response: Response,
    context: Context,
    scope: CallerScope,
    page: Page100,
    website_id: Annotated[UUID | None, Query(alias="websiteId")] = None,
) -> list[Link]:
    """Newest first; of one website or of all that are theirs."""
    after = "" if page.is_first else " AND (l.created_at, l.id) < (%(at)s, %(last)s)"
    sql = (
        f"SELECT {COLUMNS}{FROM} WHERE l.deleted_at IS NULL AND l.website_id = ANY(%(websites)s){after}"
        " ORDER BY l.created_at DESC, l.id DESC LIMIT %(limit)s"
    )
    return shown(context, page.rows(scope.reader, sql, "created_at", {"websites": scope.scope(website_id)}), response)


@router.get("/api/platform/links/{id}")
def get_link(id: UUID, response: Response, context: Context, scope: CallerScope) -> Link:
    """One link."""
    return shown(context, [_one(scope, id)], response)[0]


@router.get("/api/platform/links/{id}/qr.svg", response_class=Response, responses={200: {"content": {SVG: {}}}})
def get_link_qr(
    id: UUID,
    context: Context,
    scope: CallerScope,
    scale: Annotated[int, Query(ge=1, le=40, description="Pixels of one module")] = 8,
) -> Response:
    """The link's address as a QR code that survives a damage of 15 %."""
    drawn = BytesIO()
    segno.make(_address(context, _one(scope, id)), error="m", micro=False).save(
        drawn, kind="svg", scale=scale, border=4, dark="#000", light="#fff", xmldecl=False, nl=False
    )
    return Response(drawn.getvalue(), media_type=SVG, headers={"Content-Disposition": 'inline; filename="link.svg"'})


def _one(scope: AccountScope, link_id: UUID) -> Mapping[str, Any]:
    return scope.row(f"SELECT {COLUMNS}{FROM} WHERE l.deleted_at IS NULL AND l.id = %s", link_id, "link")


def shown(context: Services, rows: Sequence[Mapping[str, Any]], response: Response) -> list[Link]:
    """The links with their figures; while the analytics store is down: without, and `X-Stale: 1`."""
    try:
        figures = _figures(context, rows)
    except Problem:
        response.headers.update(STALE)
        return [_link(context, row, None) for row in rows]
    return [_link(context, row, figures.get(row["id"], Counts())) for row in rows]


def _figures(context: Services, rows: Sequence[Mapping[str, Any]]) -> Mapping[UUID, Counts]:
    """Link id to its counts. Raises `Problem` 503."""
    if not rows:
        return {}
    bound = {
        "websites": sorted({str(row["website_id"]) for row in rows}),
        "links": sorted(str(row["id"]) for row in rows),
    }
    found = context.clickhouse.rows(clickhouse_reader.Query(_FIGURES, bound))
    return {UUID(row["link"]): Counts.of(row) for row in found}


def _link(context: Services, row: Mapping[str, Any], counts: Counts | None) -> Link:
    figures: dict[str, Any] = {"clicks": None, "conversions": None, "earnings": None}
    if counts is not None:
        earned = Amount(amount=counts.revenue, currency=row["currency"])
        figures = {"clicks": counts.clicks, "conversions": counts.conversions, "earnings": earned}
    return Link.of_row(row, url=_address(context, row), **row["routing"], **figures, **row["subs"])


def _address(context: Services, row: Mapping[str, Any]) -> str:
    base = f"https://{row['own_host']}" if row["own_host"] else f"{context.settings.tracking_base_url}/go"
    return f"{base}/{row['slug']}"
