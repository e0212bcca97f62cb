"""`GET /api/admin/accounts`: everybody who has an account."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from infra.identity import IDLE
from query_api import paging
from query_api.context import AsAdmin, Reads
from query_api.paging import Cursor, Limit
from schemas.events.accounts import Role

router = APIRouter(tags=["admin"])


class AdminAccount(BaseModel):
    """An account as admins see it."""

    id: UUID
    email: str
    name: str
    roles: list[str]
    createdAt: datetime
    disabledAt: datetime | None
    erasedAt: datetime | None
    twoFactor: bool
    sessions: int = Field(description="Places where it is signed in")
    lastSeenAt: datetime | None
    websites: int


_ACCOUNTS: Final = (
    "SELECT a.*, d.two_factor_since, s.sessions, s.last_seen_at,"
    " (SELECT count(*) FROM read.websites AS w WHERE w.account_id = a.id AND w.deleted_at IS NULL) AS websites"
    " FROM read.accounts AS a LEFT JOIN read.account_details AS d ON d.account_id = a.id"
    " LEFT JOIN LATERAL (SELECT count(*) AS sessions, max(last_seen_at) AS last_seen_at FROM auth.session AS s"
    " WHERE s.account_id = a.id AND s.revoked_at IS NULL AND s.expires_at > now()"
    " AND s.last_seen_at > now() - %(idle)s) AS s ON true"
    " WHERE (%(search)s::text IS NULL OR strpos(lower(concat_ws(' ', a.name, a.email)), %(search)s) > 0)"
    " AND (%(role)s::text IS NULL OR %(role)s = ANY (a.roles))"
    " AND (%(at)s::timestamptz IS NULL OR (a.created_at, a.id) < (%(at)s, %(id)s))"
    " ORDER BY a.created_at DESC, a.id DESC LIMIT %(limit)s"
)


@router.get("/api/admin/accounts", dependencies=[Depends(Reads("accounts", "account_details", "websites"))])
def get_admin_accounts(
    request: Request,
    response: Response,
    admin: AsAdmin,
    search: Annotated[str | None, Query(max_length=200, description="Part of name or address")] = None,
    role: Role | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> list[AdminAccount]:
    """Newest first."""
    at, last = paging.decode(cursor, datetime, UUID) if cursor else (None, None)
    search = search.lower() if search else None
    bound = {"idle": IDLE, "search": search, "role": role, "at": at, "id": last, "limit": limit + 1}
    rows = admin.reader.rows(_ACCOUNTS, bound)
    more, rows = len(rows) > limit, rows[:limit]
    paging.link_next(request, response, paging.encode(rows[-1]["created_at"], rows[-1]["id"]) if more else None)
    return [_shown(row) for row in rows]


def _shown(row: dict[str, Any]) -> AdminAccount:
    return AdminAccount(
        id=row["id"],
        email=row["email"],
        name=row["name"],
        roles=row["roles"],
        createdAt=row["created_at"],
        disabledAt=row["disabled_at"],
        erasedAt=row["erased_at"],
        twoFactor=row["two_factor_since"] is not None,
        sessions=row["sessions"],
        lastSeenAt=row["last_seen_at"],
        websites=row["websites"],
    )
