"""`GET /api/platform/custom-domains`: one's own custom domains, what proves them, and how their checks stand."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from query_api.context import Context, Reads, Theirs
from query_api.reader import Reader
from schemas.custom_domains import record_name

router = APIRouter(tags=["domains"])


class CustomDomain(BaseModel):
    """A custom domain. The token is public: it belongs into a TXT record at `verificationName`."""

    id: UUID
    domain: str
    websiteId: UUID
    isVerified: bool
    sslEnabled: bool
    verificationToken: str
    verificationName: str
    state: Literal["pending", "verified", "lost", "expired"]
    addedAt: datetime
    verifiedAt: datetime | None
    lastCheckedAt: datetime | None
    expiresAt: datetime | None = Field(description="Until when the record is looked for; null once verified")
    problem: str | None = Field(description="What the last look found wanting, for a person")


_DOMAINS: Final = (
    "SELECT d.*, c.checked_at, c.problem FROM read.custom_domains AS d"
    " LEFT JOIN policy.custom_domain AS c ON c.domain_id = d.id"
    " WHERE d.account_id = %s AND d.removed_at IS NULL ORDER BY d.added_at DESC, d.id"
)


@router.get("/api/platform/custom-domains", dependencies=[Depends(Reads("custom_domains"))])
def get_custom_domains(context: Context, theirs: Theirs) -> list[CustomDomain]:
    """Newest first. Admins, too, see their own alone."""
    mine = theirs.principal.account_id
    return [_shown(row) for row in Reader(context.pool, mine).rows(_DOMAINS, (mine,))]


def _shown(row: dict[str, Any]) -> CustomDomain:
    is_verified = row["is_verified"]
    return CustomDomain(
        id=row["id"],
        domain=row["domain"],
        websiteId=row["website_id"],
        isVerified=is_verified,
        sslEnabled=row["ssl_enabled"],
        verificationToken=row["token"],
        verificationName=record_name(row["domain"]),
        state=_state(row),
        addedAt=row["added_at"],
        verifiedAt=row["verified_at"] if is_verified else None,
        lastCheckedAt=row["checked_at"],
        expiresAt=None if is_verified else row["expires_at"],
        problem=row["problem"],
    )


def _state(row: dict[str, Any]) -> Literal["pending", "verified", "lost", "expired"]:
    if row["is_verified"]:
        return "verified"
    if row["expires_at"] <= datetime.now(UTC):
        return "expired"
    return "pending" if row["lost_at"] is None else "lost"
