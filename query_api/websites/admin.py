"""`GET /api/admin/websites`: every website with its owner. Its measurements are visible to its owner alone."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from pydantic import Field

from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope
from query_api.kernel.owned_lists import OWNER, MemberItem, OwnedSort, OwnerId, Search, owned_rows
from query_api.kernel.pagination import Page50

router = APIRouter(tags=["admin"])


class AdminWebsite(MemberItem):
    """A website of any account."""

    domain: str
    timezone: str
    currency: str
    links: int = Field(description="Tracked links that it has")
    custom_domains: int


_WEBSITES: Final = (
    f"SELECT w.id, w.domain, lower(w.domain) AS sort_name, w.timezone, w.currency, w.created_at, {OWNER},"  # noqa: S608 - own text
    " (SELECT count(*) FROM read.links AS l WHERE l.website_id = w.id AND l.deleted_at IS NULL) AS links,"
    " (SELECT count(*) FROM read.custom_domains AS d WHERE d.website_id = w.id AND d.removed_at IS NULL)"
    " AS custom_domains"
    " FROM read.websites AS w JOIN read.accounts AS o ON o.id = w.account_id"
    " WHERE w.deleted_at IS NULL AND (%(owner)s::uuid IS NULL OR w.account_id = %(owner)s)"
    " AND (%(search)s::text IS NULL OR strpos(lower(concat_ws(' ', w.domain, o.name, o.email)), %(search)s) > 0)"
)


@router.get("/api/admin/websites", dependencies=[READS_OWN_WRITES])
def get_admin_websites(
    admin: AdminScope,
    page: Page50,
    search: Search = None,
    owner_id: OwnerId = None,
    sort: OwnedSort = OwnedSort.CREATED,
) -> list[AdminWebsite]:
    """All websites, newest first or by name."""
    rows = owned_rows(page, admin.reader, _WEBSITES, sort, search, {"owner": owner_id})
    return [AdminWebsite.of_row(row) for row in rows]
