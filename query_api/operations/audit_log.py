"""`GET /api/admin/audit-trail`: who did what and when, who was refused, and whether the chain is whole."""

from __future__ import annotations

from typing import Annotated, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from query_api import audit_trail
from query_api.audit_trail import AuditEntry
from query_api.context import AsAdmin
from query_api.paging import Cursor, Limit

router = APIRouter(tags=["admin"])


ROWS_AT_ONCE: Final = 20_000


class AuditCheck(BaseModel):
    """A stretch of the chain of hashes. Anchors, of which the log has a copy, are compared with what they cover."""

    rows: int = Field(description="Entries there are")
    anchored: int = Field(description="The last entry that an anchor covers; 0: none yet")
    after: int = Field(description="This check began behind that entry")
    checkedTo: int = Field(description="The last entry that was looked at; below `rows`: go on with it as `after`")
    head: str = Field(description="Hash of that entry; it covers all before")
    firstBroken: int | None = Field(
        description="The first entry that was changed, is missing, or is not what an anchor says; null: all are whole"
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
def check_audit_trail(
    admin: AsAdmin,
    after: Annotated[int | None, Query(ge=0, le=2**53, description="0: the beginning; without: the anchor")] = None,
) -> AuditCheck:
    """Works out the hashes of the next 20,000 entries anew. The whole trail is checked by going on until `checkedTo`
    is `rows`."""
    row = admin.reader.row(_CHECK, {"after": after, "most": ROWS_AT_ONCE})
    assert row is not None  # noqa: S101 - a function has one row
    return AuditCheck(
        rows=row["newest"],
        anchored=row["anchored"],
        after=row["after"],
        checkedTo=row["upto"],
        head=row["head"],
        firstBroken=row["broken"],
    )


_CHECK: Final = (
    "WITH a AS (SELECT coalesce(max(seq), 0) AS anchored FROM auth.audit_anchor)"
    " SELECT anchored, place.after, c.newest, c.upto, encode(c.head, 'hex') AS head, c.broken FROM a"
    " CROSS JOIN LATERAL (SELECT coalesce(%(after)s::bigint, anchored) AS after) AS place"
    " CROSS JOIN LATERAL auth.check_audit(place.after, %(most)s::int) AS c"
)
