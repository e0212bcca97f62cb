"""`GET /api/admin/audit-trail`: who did what and when, who was refused, and whether the chain is whole."""

from __future__ import annotations

from typing import Annotated, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, Field

from query_api.kernel import audit_rows
from query_api.kernel.audit_rows import AuditFilter
from query_api.kernel.dependencies import AdminScope
from query_api.kernel.pagination import Page50
from schemas.http.operations import AuditEntry
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["admin"])


BATCH_SIZE: Final = 20_000


class AuditCheck(ResponseModel):
    """A stretch of the chain of hashes. Anchors, of which the log has a copy, are compared with what they cover."""

    rows: int = Field(description="Entries there are")
    anchored: int = Field(description="The last entry that an anchor covers; 0: none yet")
    after: int = Field(description="The check starts after that entry")
    checked_to: int = Field(description="The last checked entry; if below `rows`, continue with it as `after`")
    head: str = Field(description="Hash of that entry; it covers all before")
    first_broken: int | None = Field(
        description="The first entry that was changed, is missing or differs from its anchor; null: all are intact"
    )


@router.get("/api/admin/audit-trail")
def get_audit_trail(
    admin: AdminScope,
    page: Page50,
    account_id: Annotated[UUID | None, Query(alias="accountId")] = None,
    action: Annotated[str | None, Query(max_length=100, description="How actions begin: `account.`")] = None,
    outcome: Literal["done", "refused"] | None = None,
    actor: Annotated[str | None, Query(max_length=200, description="Part of the actor's name or email")] = None,
    object_id: Annotated[
        UUID | None, Query(alias="objectId", description="The account, website, link, ... that is affected")
    ] = None,
    since: AwareDatetime | None = None,
    until: Annotated[AwareDatetime | None, Query(description="Exclusive")] = None,
) -> list[AuditEntry]:
    """Newest first."""
    part = actor.strip().lower() if actor else None
    chosen = AuditFilter(account_id, action, outcome, part or None, object_id, since, until)
    return audit_rows.entries(admin.reader, page, chosen)


@router.get("/api/admin/audit-trail/check")
def check_audit_trail(
    admin: AdminScope,
    after: Annotated[int | None, Query(ge=0, le=2**53, description="0: the beginning; without: the anchor")] = None,
) -> AuditCheck:
    """Recalculates the hashes of the next 20,000 entries. To check the whole trail, continue until `checkedTo` equals
    `rows`.
    """
    row = admin.reader.row(_CHECK, {"after": after, "most": BATCH_SIZE})
    assert row is not None  # noqa: S101 - a function has one row
    return AuditCheck.of_row(row)


_CHECK: Final = (
    "WITH a AS (SELECT coalesce(max(seq), 0) AS anchored FROM kernel.audit_anchor)"
    " SELECT anchored, place.after, c.newest AS rows, c.upto AS checked_to, encode(c.head, 'hex') AS head,"
    " c.broken AS first_broken FROM a"
    " CROSS JOIN LATERAL (SELECT coalesce(%(after)s::bigint, anchored) AS after) AS place"
    " CROSS JOIN LATERAL kernel.check_audit(place.after, %(most)s::int) AS c"
)
