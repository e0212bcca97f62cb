"""`GET /api/admin/audit-trail`: who did what and when, who was refused, and whether the chain is whole."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from query_api import audit_trail
from query_api.audit_trail import AuditEntry
from query_api.context import AsAdmin
from query_api.paging import Cursor, Limit

router = APIRouter(tags=["admin"])


class AuditCheck(BaseModel):
    """The chain of hashes over all rows. Write `head` down elsewhere: whoever could rewrite all rows cannot that."""

    rows: int
    head: str = Field(description="Hash of the last row; it covers all before")
    firstBroken: int | None = Field(
        description="The first row that was changed or is missing; null: the chain is whole"
    )


@router.get("/api/admin/audit-trail")
def get_audit_trail(
    request: Request,
    response: Response,
    admin: AsAdmin,
    account_id: Annotated[UUID | None, Query(alias="accountId")] = None,
    action: Annotated[str | None, Query(max_length=100, description="How actions begin: `account.`")] = None,
    outcome: Literal["done", "refused"] | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> list[AuditEntry]:
    """Newest first."""
    return audit_trail.entries(
        admin.reader, request, response, limit=limit, cursor=cursor, account=account_id, action=action, outcome=outcome
    )


@router.get("/api/admin/audit-trail/check")
def check_audit_trail(admin: AsAdmin) -> AuditCheck:
    """Works out all hashes anew."""
    row = admin.reader.row(
        "SELECT auth.broken_audit() AS broken, (SELECT count(*) FROM auth.audit) AS rows,"
        " (SELECT encode(hash, 'hex') FROM auth.audit ORDER BY seq DESC LIMIT 1) AS head"
    )
    assert row is not None  # noqa: S101 - a SELECT without FROM has one row
    return AuditCheck(rows=row["rows"], head=row["head"] or "", firstBroken=row["broken"])
