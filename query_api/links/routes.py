"""`GET /api/platform/links`: tracked links with what they brought, and their QR codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from io import BytesIO
from typing import Annotated, Any, Final
from uuid import UUID

import segno
from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from infra.domain.link_filter import WANTED, LinkFilter
from infra.kernel.http.openapi import file_response
from infra.kernel.http.problems import Problem
from query_api.analytics import metrics
from query_api.analytics.metrics import PERFORMANCE_COUNTERS, MetricCounts, Source
from query_api.analytics.ranges import TimeRange
from query_api.analytics.request import TimeQuery, range_in
from query_api.kernel import clickhouse_reader
from query_api.kernel.authorization import AccountScope
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services
from query_api.kernel.own_writes import STALE
from query_api.kernel.pagination import MAX_LIMIT, Page
from schemas.click_id_links import passes_click_id
from schemas.events.links import Routing
from schemas.http.links import Link, Variant
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel
from schemas.networks import click_id_parameter
from schemas.zones import ZoneInfo

router = APIRouter(tags=["links"], dependencies=[READS_OWN_WRITES])


class Sort(StrEnum):
    """What a list of links is sorted by, the highest or newest first; `slug`: by the alphabet."""

    CREATED = "created"
    CLICKS = "clicks"
    CONVERSIONS = "conversions"
    EARNINGS = "earnings"
    EPC = "epc"
    SLUG = "slug"


class Archived(StrEnum):
    """Whether archived links are in a list."""

    EXCLUDE = "exclude"
    INCLUDE = "include"
    ONLY = "only"


class Label(ResponseModel):
    """A tag or folder, and how many links have it."""

    name: str
    links: int


class Labels(ResponseModel):
    """The tags and folders of links."""

    tags: list[Label]
    folders: list[Label]


class LinkWithFigures(Link):
    """A link with its metrics in the requested range, else of all time; bots excluded."""

    clicks: int | None = Field(description="Null while the analytics store is unavailable")
    conversions: int | None = Field(description="Pending and approved ones")
    earnings: Amount | None = Field(description="Commission on those, in the website's currency")


Span = tuple[int, int]
"""From and until, Unix time in ms."""
SVG: Final = "image/svg+xml"
_IN_LINKS: Final = " AND t.link_id IN {links:Array(UUID)}"
OF_VARIANTS: Final = (
    "(SELECT jsonb_object_agg(v.id, jsonb_build_object('name', v.name, 'parameter', v.click_id_parameter,"
    " 'preset', v.postback_preset, 'is_active', v.is_active)) FROM read.partners AS v WHERE v.id::text IN"
    " (SELECT one ->> 'partner_id' FROM jsonb_array_elements(l.routing -> 'variants') AS one))"
)
"""The partners that variants of a link name, by id; null for none."""
COLUMNS: Final = (
    "l.id, l.website_id, l.partner_id, p.name AS partner_name, l.slug, l.destination, l.coupon, l.is_active,"  # noqa: S608 - own text
    " l.created_at, l.subs, l.routing, w.currency, p.postback_preset,"
    " p.click_id_parameter AS parameter, l.tags, l.folder, l.is_archived, l.utm, l.channel_id,"
    # The website's own name, once that leads here by TLS; the command service says the same.
    " (SELECT d.domain FROM read.custom_domains AS d WHERE d.website_id = l.website_id AND d.ssl_enabled"
    " ORDER BY d.id LIMIT 1) AS own_host,"
    f" {OF_VARIANTS} AS of_variants, p.is_active AS takes_traffic"
)
FROM: Final = (
    " FROM read.links AS l JOIN read.websites AS w ON w.id = l.website_id"
    " LEFT JOIN read.partners AS p ON p.id = l.partner_id"
)
_OF_LINKS: Final = "SELECT l.id FROM read.links AS l LEFT JOIN read.partners AS p ON p.id = l.partner_id"
MAX_SORTED: Final = 10_000
"""Links that are sorted by figures or by slug: the newest ones."""
_LABELS: Final = (
    "SELECT kind, name, count(*) AS links FROM ("
    "SELECT 'tag' AS kind, unnest(l.tags) AS name"
    " FROM read.links AS l WHERE l.deleted_at IS NULL AND l.website_id = ANY(%(websites)s)"
    " UNION ALL SELECT 'folder', l.folder"
    " FROM read.links AS l WHERE l.deleted_at IS NULL AND l.website_id = ANY(%(websites)s)"
    ") AS one WHERE name IS NOT NULL GROUP BY kind, name ORDER BY kind, lower(name), name LIMIT 2000"
)
_FIGURES: Final = (
    f"SELECT toString(t.link_id) AS link, {metrics.counters(Source.RAW, PERFORMANCE_COUNTERS)}"  # noqa: S608 - own text
    f" FROM {Source.RAW.table} AS t"
    " WHERE t.website_id IN {websites:Array(UUID)}" + _IN_LINKS + " AND NOT t.is_bot"
    " AND t.type IN ('click', 'conversion')"
    " AND t.occurred_at >= fromUnixTimestamp64Milli({since:Int64})"
    " AND t.occurred_at < fromUnixTimestamp64Milli({until:Int64}) GROUP BY t.link_id"
)
_ALL_TIME: Final = (0, 10**13)


class LinksQuery(TimeQuery):
    """Which links, in which order, and of which time their metrics are."""

    website_id: UUID | None = None
    partner_id: UUID | None = None
    channel_id: UUID | None = Field(default=None, description="Of one social channel")
    search: str | None = Field(default=None, max_length=200, description="Part of slug, destination, partner, label")
    tag: str | None = Field(default=None, max_length=200)
    folder: str | None = Field(default=None, max_length=200, description="Empty: in none")
    archived: Archived = Archived.EXCLUDE
    sort: Sort = Sort.CREATED
    limit: int = Field(default=100, ge=1, le=MAX_LIMIT, description="Rows of one page")
    cursor: str | None = Field(default=None, max_length=512)

    def values(self, scope: AccountScope) -> dict[str, Any]:
        """The values of `WANTED`. Raises `Problem` 404 for a website outside of the scope."""
        return LinkFilter(
            scope.scope(self.website_id),
            partner_id=self.partner_id,
            channel_id=self.channel_id,
            tag=self.tag,
            folder=self.folder,
            archived=self.archived.value,
            search=self.search,
        ).values()

    def span(self, scope: AccountScope) -> Span:
        """The requested range in the website's zone, in ms; without one all time. Raises `Problem` 400."""
        return span_of(self, scope.website(self.website_id).zone if self.website_id else ZoneInfo("UTC"))


def span_of(query: TimeQuery, zone: ZoneInfo) -> Span:
    """The requested range in a time zone, in ms; without one all time. Raises `Problem` 400."""
    is_given = query.model_fields_set & {"time_range", "from_", "to"}
    if not is_given or (query.time_range is TimeRange.ALL and query.from_ is None and query.to is None):
        return _ALL_TIME
    range_ = range_in(query, zone)
    return int(range_.start.timestamp() * 1000), int(range_.end.timestamp() * 1000)


@router.get("/api/platform/links")
def get_links(
    response: Response,
    context: Context,
    scope: CallerScope,
    request: Request,
    wanted: Annotated[LinksQuery, Query()],
) -> list[LinkWithFigures]:
    """Of one website or of all your websites. Sorted by numbers or slug, a list has the newest 10,000 links."""
    page = Page(request, response, wanted.limit, wanted.cursor)
    values = wanted.values(scope)
    span = wanted.span(scope)
    if wanted.sort is Sort.CREATED:
        after = "" if page.is_first else " AND (l.created_at, l.id) < (%(at)s, %(last)s)"
        sql = f"SELECT {COLUMNS}{FROM}{WANTED}{after} ORDER BY l.created_at DESC, l.id DESC LIMIT %(limit)s"
        return to_responses(context, page.rows(scope.reader, sql, "created_at", values), response, span)
    ids = _sorted_ids(context, scope, wanted, values, span)
    begin = page.behind(0)
    places = [{"id": id, "place": begin + at + 1} for at, id in enumerate(ids[begin : begin + page.limit + 1])]
    mine = [place["id"] for place in page.take(places, "place")]
    by_id = {row["id"]: row for row in scope.reader.rows(f"SELECT {COLUMNS}{FROM} WHERE l.id = ANY(%s)", (mine,))}
    return to_responses(context, [by_id[id] for id in mine if id in by_id], response, span)


@router.get("/api/platform/links/labels")
def get_link_labels(scope: CallerScope, website_id: Annotated[UUID | None, Query(alias="websiteId")] = None) -> Labels:
    """The tags and folders in use, by name."""
    rows = scope.reader.rows(_LABELS, {"websites": scope.scope(website_id)})
    named = {kind: [Label(**row) for row in rows if row["kind"] == kind] for kind in ("tag", "folder")}
    return Labels(tags=named["tag"], folders=named["folder"])


@router.get("/api/platform/links/{id}")
def get_link(id: UUID, response: Response, context: Context, scope: CallerScope) -> LinkWithFigures:
    """One link."""
    return to_responses(context, [_one(scope, id)], response)[0]


@router.get("/api/platform/links/{id}/qr.svg", response_class=Response, responses=file_response(SVG))
def get_link_qr(
    id: UUID,
    context: Context,
    scope: CallerScope,
    scale: Annotated[int, Query(ge=1, le=40, description="Pixels of one module")] = 8,
) -> Response:
    """The link's address as a QR code that remains readable with 15 % damage."""
    drawn = BytesIO()
    segno.make(address_of(context, _one(scope, id)), error="m", micro=False).save(
        drawn, kind="svg", scale=scale, border=4, dark="#000", light="#fff", xmldecl=False, nl=False
    )
    return Response(drawn.getvalue(), media_type=SVG, headers={"Content-Disposition": 'inline; filename="link.svg"'})


def _one(scope: AccountScope, link_id: UUID) -> Mapping[str, Any]:
    return scope.row(f"SELECT {COLUMNS}{FROM} WHERE l.deleted_at IS NULL AND l.id = %s", link_id, "link")


def _sorted_ids(
    context: Services, scope: AccountScope, wanted: LinksQuery, values: Mapping[str, Any], span: Span
) -> list[UUID]:
    """Ids of the wanted links in their order. Raises `Problem` 503 while figures cannot be read."""
    order = "l.slug, l.id" if wanted.sort is Sort.SLUG else "l.created_at DESC, l.id DESC"
    sql = f"{_OF_LINKS}{WANTED} ORDER BY {order} LIMIT {MAX_SORTED}"
    ids = [row["id"] for row in scope.reader.rows(sql, values)]
    if wanted.sort is Sort.SLUG:
        return ids
    websites = [str(id) for id in values["websites"]]
    bound = {"websites": websites, "since": span[0], "until": span[1]}
    counted = context.clickhouse.rows(clickhouse_reader.Query(_FIGURES.replace(_IN_LINKS, ""), bound)) if ids else []
    figures = {UUID(row["link"]): MetricCounts.of(row) for row in counted}
    none, key = MetricCounts(), _METRICS[wanted.sort]
    return sorted(ids, key=lambda id: -key(figures.get(id, none)))


_METRICS: Final[Mapping[Sort, Callable[[MetricCounts], float]]] = {
    Sort.CLICKS: lambda counts: counts.clicks,
    Sort.CONVERSIONS: lambda counts: counts.conversions,
    Sort.EARNINGS: lambda counts: counts.revenue,
    Sort.EPC: lambda counts: counts.revenue / counts.clicks if counts.clicks else 0,
}


def to_responses(
    context: Services, rows: Sequence[Mapping[str, Any]], response: Response, span: Span = _ALL_TIME
) -> list[LinkWithFigures]:
    """The links with their figures; while the analytics store is down: without, and `X-Stale: 1`."""
    try:
        figures = counts_of(context, rows, span)
    except Problem:
        response.headers.update(STALE)
        return [_link(context, row, None) for row in rows]
    return [_link(context, row, figures.get(row["id"], MetricCounts())) for row in rows]


def counts_of(context: Services, rows: Sequence[Mapping[str, Any]], span: Span) -> Mapping[UUID, MetricCounts]:
    """Link id to its counts; `rows`: links with `id` and `website_id`. Raises `Problem` 503."""
    if not rows:
        return {}
    bound = {
        "websites": sorted({str(row["website_id"]) for row in rows}),
        "links": sorted(str(row["id"]) for row in rows),
        "since": span[0],
        "until": span[1],
    }
    counted = context.clickhouse.rows(clickhouse_reader.Query(_FIGURES, bound))
    return {UUID(row["link"]): MetricCounts.of(row) for row in counted}


def _link(context: Services, row: Mapping[str, Any], counts: MetricCounts | None) -> LinkWithFigures:
    figures: dict[str, Any] = {"clicks": None, "conversions": None, "earnings": None}
    if counts is not None:
        earned = Amount(amount=counts.revenue, currency=row["currency"])
        figures = {"clicks": counts.clicks, "conversions": counts.conversions, "earnings": earned}
    routing = Routing.model_validate(row["routing"])
    return LinkWithFigures.of_row(
        row,
        url=address_of(context, row),
        passes_click_id=_passes(row, routing),
        **{**routing.model_dump(), "variants": variants_of(row, routing)},
        **figures,
        **row["subs"],
    )


def variants_of(row: Mapping[str, Any], routing: Routing) -> list[Variant]:
    """The variants of a link; `row`: it has `partner_name`, `takes_traffic` and `of_variants`."""
    found = []
    for variant in routing.variants:
        own = (row["of_variants"] or {}).get(str(variant.partner_id))
        name, is_active = (row["partner_name"], row["takes_traffic"]) if variant.partner_id is None else (None, False)
        if own is not None:
            name, is_active = own["name"], own["is_active"]
        found.append(Variant.of(variant, partner_name=name, gets_traffic=bool(is_active)))
    return found


def _passes(row: Mapping[str, Any], routing: Routing) -> bool:
    parameter = click_id_parameter(row["parameter"], row["postback_preset"])
    leads_to = [(rule.destination, parameter) for rule in routing.rules]
    for variant in routing.variants:
        own = (row["of_variants"] or {}).get(str(variant.partner_id))
        of_own = click_id_parameter(own["parameter"], own["preset"]) if own is not None else ""
        leads_to.append((variant.destination, parameter if variant.partner_id is None else of_own))
    if not routing.variants:
        leads_to.append((row["destination"], parameter))
    return all(passes_click_id(destination, named) for destination, named in leads_to)


def address_of(context: Services, row: Mapping[str, Any]) -> str:
    base = f"https://{row['own_host']}" if row["own_host"] else f"{context.settings.tracking_base_url}/go"
    return f"{base}/{row['slug']}"
