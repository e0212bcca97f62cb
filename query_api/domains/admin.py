"""`GET /api/admin/domains`: every custom domain with its owner, and the state of its checks."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from fastapi import APIRouter

from query_api.domains.routes import state_of
from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope
from query_api.kernel.owned_lists import OWNER, MemberItem, OwnedSort, OwnerId, Search, owned_rows
from query_api.kernel.pagination import Page50
from schemas.http.domains import State

router = APIRouter(tags=["admin"])


class AdminDomain(MemberItem):
    """A custom domain of any account."""

    domain: str
    website_id: UUID
    website_domain: str
    state: State
    ssl_enabled: bool


_DOMAINS: Final = (
    "SELECT d.id, d.domain, lower(d.domain) AS sort_name, d.added_at AS created_at, d.website_id, d.is_verified,"  # noqa: S608 - own text
    " d.lost_at, d.expires_at, d.ssl_enabled,"
    f" coalesce(w.domain, '') AS website_domain, {OWNER}"
    " FROM read.custom_domains AS d JOIN read.accounts AS o ON o.id = d.account_id"
    " LEFT JOIN read.websites AS w ON w.id = d.website_id"
    " WHERE d.removed_at IS NULL AND (%(owner)s::uuid IS NULL OR d.account_id = %(owner)s)"
    " AND (%(search)s::text IS NULL"
    " OR strpos(lower(concat_ws(' ', d.domain, w.domain, o.name, o.email)), %(search)s) > 0)"
)


@router.get("/api/admin/domains", dependencies=[READS_OWN_WRITES])
def get_admin_domains(
    admin: AdminScope,
    page: Page50,
    search: Search = None,
    owner_id: OwnerId = None,
    sort: OwnedSort = OwnedSort.CREATED,
) -> list[AdminDomain]:
    """All custom domains, newest first or by name."""
    rows = owned_rows(page, admin.reader, _DOMAINS, sort, search, {"owner": owner_id})
    return [AdminDomain.of_row(row, state=state_of(row)) for row in rows]
