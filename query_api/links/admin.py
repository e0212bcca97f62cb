"""`GET /api/admin/links`: every tracked link with whose it is and what it brought."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response

from query_api.kernel.dependencies import AdminScope, Context, Reads
from query_api.kernel.pagination import Page50
from query_api.links.routes import COLUMNS, FROM, Link, shown

router = APIRouter(tags=["admin"])


class AdminLink(Link):
    """A tracked link of any account."""

    domain: str
    ownerId: UUID
    ownerName: str


_LINKS: Final = (
    f"SELECT {COLUMNS}, w.domain, w.account_id, a.name AS owner_name"
    f"{FROM} JOIN read.accounts AS a ON a.id = w.account_id WHERE l.deleted_at IS NULL AND w.deleted_at IS NULL"
    " AND (%(website)s::uuid IS NULL OR l.website_id = %(website)s)"
    " AND (%(partner)s::uuid IS NULL OR l.partner_id = %(partner)s)"
    " AND (%(link)s::uuid IS NULL OR l.id = %(link)s)"
    " AND (%(search)s::text IS NULL OR strpos(lower(concat_ws(' ', l.slug, l.destination, l.coupon, p.name, w.domain,"
    " a.name)), %(search)s) > 0)"
    " AND (%(at)s::timestamptz IS NULL OR (l.created_at, l.id) < (%(at)s, %(last)s))"
    " ORDER BY l.created_at DESC, l.id DESC LIMIT %(limit)s"
)


@router.get(
    "/api/admin/links",
    dependencies=[Depends(Reads("links", "partners", "websites", "accounts", "custom_domains", "events"))],
)
def get_admin_links(
    response: Response,
    context: Context,
    admin: AdminScope,
    page: Page50,
    search: Annotated[str | None, Query(max_length=200, description="Part of slug, address, partner, owner")] = None,
    website_id: Annotated[UUID | None, Query(alias="websiteId")] = None,
    partner_id: Annotated[UUID | None, Query(alias="partnerId")] = None,
    link_id: Annotated[UUID | None, Query(alias="linkId")] = None,
) -> list[AdminLink]:
    """Newest first."""
    words = search.casefold() if search else None
    bound = {"search": words, "website": website_id, "partner": partner_id, "link": link_id}
    rows = page.rows(admin.reader, _LINKS, "created_at", bound)
    return [
        AdminLink(**dict(link), domain=row["domain"], ownerId=row["account_id"], ownerName=row["owner_name"])
        for link, row in zip(shown(context, rows, response), rows, strict=True)
    ]
