"""The sessions of an account, and its audit entries."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from infra.kernel.security.access_tokens import require_whole_account
from infra.kernel.security.sessions import IDLE
from query_api.kernel import audit_rows
from query_api.kernel.audit_rows import AuditFilter
from query_api.kernel.dependencies import CallerScope
from query_api.kernel.pagination import Page50
from schemas.http.operations import AuditEntry
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["account"])


class Session(ResponseModel):
    """A place where the account is signed in."""

    id: UUID
    device: str = Field(description="The browser's name; may be empty")
    country: str = Field(description="ISO 3166-1 alpha-2, ZZ unknown")
    created_at: datetime
    last_seen_at: datetime
    current: bool


_LIVE: Final = (
    "SELECT id, user_agent_family AS device, country, created_at, last_seen_at FROM accounts.session"
    " WHERE account_id = %s AND revoked_at IS NULL AND expires_at > now() AND last_seen_at > now() - %s"
    " ORDER BY last_seen_at DESC, id DESC LIMIT 200"
)


@router.get("/api/platform/sessions")
def get_sessions(scope: CallerScope) -> list[Session]:
    """Active sessions, last used first, at most 200."""
    require_whole_account(scope.principal)
    rows = scope.reader.rows(_LIVE, (scope.principal.account_id, IDLE))
    return [Session.of_row(row, current=row["id"] == scope.principal.session_id) for row in rows]


@router.get("/api/platform/user/activity")
def get_user_activity(scope: CallerScope, page: Page50) -> list[AuditEntry]:
    """Actions on your account, including rejected ones; newest first."""
    return audit_rows.entries(scope.reader, page, AuditFilter(account=scope.principal.account_id))
