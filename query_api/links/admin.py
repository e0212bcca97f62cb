"""`GET /api/admin/links`: every tracked link with whose it is and what it brought."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response

from query_api import paging
from query_api.context import AsAdmin, Context, Reads
from query_api.platform.links import COLUMNS, FROM, Link, shown

router = APIRouter(tags=["admin"])


class AdminLink(Link):
    """A tracked link of anybody."""

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
    " AND (%(at)s::timestamptz IS NULL OR (l.created_at, l.id) < (%(at)s, %(id)s))"
    " ORDER BY l.created_at DESC, l.id DESC LIMIT %(limit)s"
)


@router.get(
    "/api/admin/links",
    dependencies=[Depends(Reads("links", "partners", "websites", "accounts", "custom_domains", "events"))],
)
def get_admin_links(
    request: Request,
    response: Response,
    context: Context,
    admin: AsAdmin,
    search: Annotated[str | None, Query(max_length=200, description="Part of slug, address, partner, owner")] = None,
    websiteId: Annotated[UUID | None, Query()] = None,
    partnerId: Annotated[UUID | None, Query()] = None,
    linkId: Annotated[UUID | None, Query()] = None,
    limit: paging.Limit = 50,
    cursor: paging.Cursor = None,
) -> list[AdminLink]:
    """Newest first."""
    at, last = paging.decode(cursor, datetime, UUID) if cursor else (None, None)
    bound: dict[str, Any] = {
        "search": search.casefold() if search else None,
        "website": websiteId,
        "partner": partnerId,
        "link": linkId,
        "at": at,
        "id": last,
        "limit": limit + 1,
    }
    rows = admin.reader.rows(_LINKS, bound)
    more, rows = len(rows) > limit, rows[:limit]
    paging.link_next(request, response, paging.encode(rows[-1]["created_at"], rows[-1]["id"]) if more else None)
    return [
        AdminLink(
            **dict(link),
            domain=row["domain"],
            ownerId=row["account_id"],
            ownerName=row["owner_name"],
        )
        for link, row in zip(shown(context, rows, response), rows, strict=True)
    ]
