"""`GET /api/platform/invite-codes`: one's own invites, with their codes, and who joined by them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from infra.invite_codes import opened
from infra.settings import Settings
from query_api.context import Context, Reads, Theirs
from query_api.reader import Reader

router = APIRouter(tags=["account"])


class Joined(BaseModel):
    """Somebody who registered with the invite."""

    name: str
    joinedAt: datetime


class InviteCode(BaseModel):
    """An invite. Revoked, expired and used-up ones stay in the list."""

    id: UUID
    code: str
    maxUses: int
    currentUses: int
    createdAt: datetime
    expiresAt: datetime
    revokedAt: datetime | None
    status: Literal["active", "used_up", "expired", "revoked"]
    joined: list[Joined] = Field(description="Oldest first")


MOST: Final = 1_000
"""Invites that are listed, and people who joined by them: the newest."""

_INVITES: Final = (
    "SELECT i.*, c.code_sealed FROM read.invites AS i JOIN auth.invite_code AS c ON c.invite_id = i.id"  # noqa: S608 - own text
    f" WHERE i.account_id = %s ORDER BY i.created_at DESC, i.id DESC LIMIT {MOST}"
)
_JOINS: Final = (
    "SELECT invite_id, name, joined_at FROM read.invite_joins WHERE invited_by = %s"  # noqa: S608 - own text
    f" ORDER BY joined_at DESC, account_id LIMIT {MOST}"
)


@router.get("/api/platform/invite-codes", dependencies=[Depends(Reads("invites", "invite_joins"))])
def get_invite_codes(context: Context, theirs: Theirs) -> list[InviteCode]:
    """Newest first, at most 1,000; of those who joined the last 1,000. Admins, too, see their own alone."""
    mine = theirs.principal.account_id
    reader = Reader(context.pool, mine)
    joined: dict[UUID, list[Joined]] = {}
    for row in reversed(reader.rows(_JOINS, (mine,))):
        joined.setdefault(row["invite_id"], []).append(Joined(name=row["name"], joinedAt=row["joined_at"]))
    return [_shown(context.settings, row, joined) for row in reader.rows(_INVITES, (mine,))]


def _shown(settings: Settings, row: dict[str, Any], joined: dict[UUID, list[Joined]]) -> InviteCode:
    return InviteCode(
        id=row["id"],
        code=opened(settings, row["id"], row["code_sealed"]),
        maxUses=row["max_uses"],
        currentUses=row["current_uses"],
        createdAt=row["created_at"],
        expiresAt=row["expires_at"],
        revokedAt=row["revoked_at"],
        status=_status(row),
        joined=joined.get(row["id"], []),
    )


def _status(row: dict[str, Any]) -> Literal["active", "used_up", "expired", "revoked"]:
    if row["revoked_at"] is not None:
        return "revoked"
    if row["current_uses"] >= row["max_uses"]:
        return "used_up"
    return "expired" if row["expires_at"] <= datetime.now(UTC) else "active"
