"""`GET /api/admin/accounts`: all accounts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from infra.kernel.security.sessions import IDLE
from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope
from query_api.kernel.pagination import Page50
from schemas.events.accounts import Role
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["admin"])


class AdminAccount(ResponseModel):
    """An account as admins see it."""

    id: UUID
    email: str
    name: str
    roles: list[str]
    created_at: datetime
    disabled_at: datetime | None
    erased_at: datetime | None
    two_factor: bool
    sessions: int = Field(description="Places where it is signed in")
    last_seen_at: datetime | None
    websites: int


_ACCOUNTS: Final = (
    "SELECT a.*, d.two_factor_since IS NOT NULL AS two_factor, s.sessions, s.last_seen_at,"
    " (SELECT count(*) FROM read.websites AS w WHERE w.account_id = a.id AND w.deleted_at IS NULL) AS websites"
    " FROM read.accounts AS a LEFT JOIN read.account_details AS d ON d.account_id = a.id"
    " LEFT JOIN LATERAL (SELECT count(*) AS sessions, max(last_seen_at) AS last_seen_at FROM accounts.session AS s"
    " WHERE s.account_id = a.id AND s.revoked_at IS NULL AND s.expires_at > now()"
    " AND s.last_seen_at > now() - %(idle)s) AS s ON true"
    " WHERE (%(search)s::text IS NULL OR strpos(lower(concat_ws(' ', a.name, a.email)), %(search)s) > 0)"
    " AND (%(role)s::text IS NULL OR %(role)s = ANY (a.roles))"
    " AND (%(state)s::text IS NULL OR %(state)s ="
    " CASE WHEN a.erased_at IS NOT NULL THEN 'erased' WHEN a.disabled_at IS NOT NULL THEN 'disabled' ELSE 'active' END)"
    " AND (%(at)s::timestamptz IS NULL OR (a.created_at, a.id) < (%(at)s, %(last)s))"
    " ORDER BY a.created_at DESC, a.id DESC LIMIT %(limit)s"
)


@router.get("/api/admin/accounts", dependencies=[READS_OWN_WRITES])
def get_admin_accounts(
    admin: AdminScope,
    page: Page50,
    search: Annotated[str | None, Query(max_length=200, description="Part of name or address")] = None,
    role: Role | None = None,
    state: Literal["active", "disabled", "erased"] | None = None,
) -> list[AdminAccount]:
    """Newest first."""
    bound = {"idle": IDLE, "search": search.lower() if search else None, "role": role, "state": state}
    return [AdminAccount.of_row(row) for row in page.rows(admin.reader, _ACCOUNTS, "created_at", bound)]
