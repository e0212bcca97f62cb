"""Where an account is signed in, and what was done with it."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from infra.identity import IDLE
from query_api import audit_trail
from query_api.audit_trail import AuditEntry
from query_api.context import Context, Theirs
from query_api.paging import Cursor, Limit
from query_api.reader import Reader

router = APIRouter(tags=["account"])


class Session(BaseModel):
    """A place where the account is signed in."""

    id: UUID
    device: str = Field(description="The browser's name; may be empty")
    country: str = Field(description="ISO 3166-1 alpha-2, ZZ unknown")
    createdAt: datetime
    lastSeenAt: datetime
    current: bool


_LIVE: Final = (
    "SELECT id, user_agent_family, country, created_at, last_seen_at FROM auth.session WHERE account_id = %s"
    " AND revoked_at IS NULL AND expires_at > now() AND last_seen_at > now() - %s"
    " ORDER BY last_seen_at DESC, id DESC LIMIT 200"
)


@router.get("/api/platform/sessions")
def get_sessions(theirs: Theirs) -> list[Session]:
    """Those that live, last used first, at most 200."""
    principal = theirs.principal
    return [
        Session(
            id=row["id"],
            device=row["user_agent_family"],
            country=row["country"],
            createdAt=row["created_at"],
            lastSeenAt=row["last_seen_at"],
            current=row["id"] == principal.session_id,
        )
        for row in theirs.reader.rows(_LIVE, (principal.account_id, IDLE))
    ]


@router.get("/api/platform/user/activity")
def get_user_activity(
    request: Request, response: Response, context: Context, theirs: Theirs, limit: Limit = 50, cursor: Cursor = None
) -> list[AuditEntry]:
    """What was done with one's own account, and what was refused; newest first."""
    mine = theirs.principal.account_id
    reader = Reader(context.pool, mine)
    return audit_trail.entries(reader, request, response, limit=limit, cursor=cursor, account=mine)
