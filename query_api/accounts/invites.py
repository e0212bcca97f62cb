"""`GET /api/platform/invite-codes`: one's own invites, with their codes, and who joined by them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter

from infra.domain.invite_codes import decrypt_code
from infra.kernel.config.settings import Settings
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from schemas.http.accounts import InviteCode, Joined

router = APIRouter(tags=["account"])


MAX_INVITES: Final = 1_000
"""Invites that are listed, and people who joined by them: the newest."""

_INVITES: Final = (
    "SELECT i.*, c.code_sealed FROM read.invites AS i JOIN accounts.invite_code AS c ON c.invite_id = i.id"  # noqa: S608 - own text
    f" WHERE i.account_id = %s ORDER BY i.created_at DESC, i.id DESC LIMIT {MAX_INVITES}"
)
_JOINS: Final = (
    "SELECT invite_id, name, joined_at FROM read.invite_joins WHERE invited_by = %s"  # noqa: S608 - own text
    f" ORDER BY joined_at DESC, account_id LIMIT {MAX_INVITES}"
)


@router.get("/api/platform/invite-codes", dependencies=[READS_OWN_WRITES])
def get_invite_codes(context: Context, scope: CallerScope) -> list[InviteCode]:
    """Newest first, at most 1,000; of those who joined the last 1,000. Admins, too, see their own alone."""
    mine, reader = scope.principal.account_id, scope.reader
    joined: dict[UUID, list[Joined]] = {}
    for row in reversed(reader.rows(_JOINS, (mine,))):
        joined.setdefault(row["invite_id"], []).append(Joined.of_row(row))
    return [_to_response(context.settings, row, joined) for row in reader.rows(_INVITES, (mine,))]


def _to_response(settings: Settings, row: dict[str, Any], joined: dict[UUID, list[Joined]]) -> InviteCode:
    code = decrypt_code(settings, row["id"], row["code_sealed"])
    return InviteCode.of_row(row, code=code, status=_status(row), joined=joined.get(row["id"], []))


def _status(row: dict[str, Any]) -> Literal["active", "used_up", "expired", "revoked"]:
    if row["revoked_at"] is not None:
        return "revoked"
    if row["current_uses"] >= row["max_uses"]:
        return "used_up"
    return "expired" if row["expires_at"] <= datetime.now(UTC) else "active"
