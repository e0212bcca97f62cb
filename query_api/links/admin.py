"""`GET /api/admin/links`: every tracked link with its owner and its results."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response

from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope, Context
from query_api.kernel.owned_lists import OWNER, OwnedSort, OwnerId, owned_rows
from query_api.kernel.pagination import Page50
from query_api.links.routes import COLUMNS, FROM, LinkWithFigures, to_responses

router = APIRouter(tags=["admin"])


class AdminLink(LinkWithFigures):
    """A tracked link of any account."""

    domain: str
    owner_id: UUID
    owner_name: str
    owner_email: str


_LINKS: Final = (
    f"SELECT {COLUMNS}, lower(l.slug) AS sort_name, w.domain, {OWNER}"
    f"{FROM} JOIN read.accounts AS o ON o.id = w.account_id WHERE l.deleted_at IS NULL AND w.deleted_at IS NULL"
    " AND (%(owner)s::uuid IS NULL OR w.account_id = %(owner)s)"
    " AND (%(website)s::uuid IS NULL OR l.website_id = %(website)s)"
    " AND (%(partner)s::uuid IS NULL OR l.partner_id = %(partner)s)"
    " AND (%(link)s::uuid IS NULL OR l.id = %(link)s)"
    " AND (%(search)s::text IS NULL OR strpos(lower(concat_ws(' ', l.slug, l.destination, l.coupon, p.name, w.domain,"
    " o.name, o.email)), %(search)s) > 0)"
)


@router.get(
    "/api/admin/links",
    dependencies=[READS_OWN_WRITES],
)
def get_admin_links(
    response: Response,
    context: Context,
    admin: AdminScope,
    page: Page50,
    search: Annotated[str | None, Query(max_length=200, description="Part of slug, address, partner, owner")] = None,
    owner_id: OwnerId = None,
    website_id: Annotated[UUID | None, Query(alias="websiteId")] = None,
    partner_id: Annotated[UUID | None, Query(alias="partnerId")] = None,
    link_id: Annotated[UUID | None, Query(alias="linkId")] = None,
    sort: OwnedSort = OwnedSort.CREATED,
) -> list[AdminLink]:
    """Newest first, or by slug."""
    bound = {"owner": owner_id, "website": website_id, "partner": partner_id, "link": link_id}
    rows = owned_rows(page, admin.reader, _LINKS, sort, search, bound)
    return [
        AdminLink(
            **dict(link),
            domain=row["domain"],
            owner_id=row["owner_id"],
            owner_name=row["owner_name"],
            owner_email=row["owner_email"],
        )
        for link, row in zip(to_responses(context, rows, response), rows, strict=True)
    ]
