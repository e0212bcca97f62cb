"""`GET /api/platform/links.csv`: the links that match, as a file that can be edited and imported again.

The columns are those that an import reads (`command_api/links/importing/files.py`), and some that it ignores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from infra.domain.link_filter import WANTED, LinkFilter
from infra.kernel.http.openapi import file_response
from infra.kernel.http.route_costs import EXPORT, costs
from query_api.kernel.authorization import AccountScope
from query_api.kernel.csv import columns_of, csv_stream
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services
from query_api.kernel.requests import QueryModel
from query_api.links.routes import Archived, address_of
from schemas.events.links import Routing

router = APIRouter(tags=["links"], dependencies=[READS_OWN_WRITES])

PAGE: Final = 1_000
_SELECT: Final = (
    "SELECT l.id, l.created_at, l.slug, l.destination, l.routing, l.tags, l.folder, l.is_active, l.is_archived,"  # noqa: S608 - own text
    " w.domain, p.slug AS partner, p.name AS partner_name,"
    " (SELECT d.domain FROM read.custom_domains AS d WHERE d.website_id = l.website_id AND d.ssl_enabled"
    " ORDER BY d.id LIMIT 1) AS own_host,"
    " (SELECT jsonb_object_agg(v.id, v.slug) FROM read.partners AS v WHERE v.id::text IN"
    " (SELECT one ->> 'partner_id' FROM jsonb_array_elements(l.routing -> 'variants') AS one)) AS of_variants"
    " FROM read.links AS l JOIN read.websites AS w ON w.id = l.website_id"
    f" LEFT JOIN read.partners AS p ON p.id = l.partner_id{WANTED}"
    " AND (%(at)s::timestamptz IS NULL OR (l.created_at, l.id) < (%(at)s, %(last)s))"
    " ORDER BY l.created_at DESC, l.id DESC LIMIT %(limit)s"
)


class ExportedLink(BaseModel):
    """A link as a line of the file. Rules, expiry, fallback, coupon and sub IDs are in no column."""

    slug: str
    website: str
    partner: str
    destination: str
    variants: str
    tags: str
    folder: str
    state: str
    archived: str
    partner_name: str
    address: str
    created: datetime


COLUMNS: Final = columns_of(ExportedLink)


class LinksFileQuery(QueryModel):
    """Which links; a value that is omitted excludes none."""

    website_id: UUID | None = None
    partner_id: UUID | None = None
    search: str | None = Field(default=None, max_length=200, description="Part of slug, destination, partner, label")
    tag: str | None = Field(default=None, max_length=200)
    folder: str | None = Field(default=None, max_length=200, description="Empty: in none")
    archived: Archived = Archived.EXCLUDE


@router.get(
    "/api/platform/links.csv",
    response_class=Response,
    responses=file_response("text/csv"),
    openapi_extra=costs(EXPORT),
)
def get_links_csv(context: Context, scope: CallerScope, wanted: Annotated[LinksFileQuery, Query()]) -> Response:
    """The links of one website or of all, all that match and the newest first, in the columns of an import."""
    return csv_stream("links", COLUMNS, (_line(context, row) for row in _rows(scope, wanted)))


def _rows(scope: AccountScope, wanted: LinksFileQuery) -> Iterator[Mapping[str, Any]]:
    chosen = LinkFilter(
        scope.scope(wanted.website_id),
        partner_id=wanted.partner_id,
        tag=wanted.tag,
        folder=wanted.folder,
        archived=wanted.archived.value,
        search=wanted.search,
    )
    place: dict[str, Any] = {"at": None, "last": None}
    while True:
        page = scope.reader.rows(_SELECT, {**chosen.values(), **place, "limit": PAGE})
        yield from page
        if len(page) < PAGE:
            return
        place = {"at": page[-1]["created_at"], "last": page[-1]["id"]}


def _line(context: Services, row: Mapping[str, Any]) -> ExportedLink:
    return ExportedLink(
        slug=row["slug"],
        website=row["domain"],
        partner=row["partner"] or "",
        destination=row["destination"],
        variants=variants_text(Routing.model_validate(row["routing"]), row["of_variants"] or {}),
        tags=", ".join(row["tags"]),
        folder=row["folder"] or "",
        state="on" if row["is_active"] else "off",
        archived="yes" if row["is_archived"] else "no",
        partner_name=row["partner_name"] or "",
        address=address_of(context, row),
        created=row["created_at"],
    )


def variants_text(routing: Routing, slugs: Mapping[str, str]) -> str:
    """The variants as an import reads them: weight, address, and the partner unless it is the link's. `slugs`: of
    partners by id."""
    return " | ".join(
        f"{one.weight} {one.destination} {slugs.get(str(one.partner_id), '')}".rstrip() for one in routing.variants
    )
