"""`GET /api/platform/partner-requests`: the account's requests for programs; `GET /api/admin/partner-requests`: all."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope, CallerScope
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["partners"])

MAX_REQUESTS: Final = 500
State = Literal["open", "accepted", "declined", "withdrawn"]


class PartnerRequest(ResponseModel):
    """A request that the directory gets a program."""

    id: UUID
    name: str
    website: str
    note: str
    proposed_id: UUID | None = Field(description="The member's private partner that is proposed")
    state: State
    requested_at: datetime
    decided_at: datetime | None
    partner_id: UUID | None = Field(description="The partner of the directory that was added")
    reason: str = Field(description="Why it was declined")


class AdminPartnerRequest(PartnerRequest):
    """A request of any account."""

    account_id: UUID
    account_name: str


_COLUMNS: Final = (
    "r.id, r.name, r.website, r.note, r.proposed_id, r.state, r.requested_at, r.decided_at, r.partner_id, r.reason"
)
_OWN: Final = (
    f"SELECT {_COLUMNS} FROM read.partner_requests AS r WHERE r.account_id = %s AND r.state <> 'withdrawn'"  # noqa: S608 - own text
    f" ORDER BY r.requested_at DESC, r.id LIMIT {MAX_REQUESTS}"
)
_ALL: Final = (
    f"SELECT {_COLUMNS}, r.account_id, a.name AS account_name FROM read.partner_requests AS r"  # noqa: S608 - own text
    f" JOIN read.accounts AS a ON a.id = r.account_id WHERE r.state = %s ORDER BY r.requested_at, r.id"
    f" LIMIT {MAX_REQUESTS}"
)


@router.get("/api/platform/partner-requests", dependencies=[READS_OWN_WRITES])
def get_partner_requests(scope: CallerScope) -> list[PartnerRequest]:
    """Newest first, withdrawn ones left out."""
    rows = scope.reader.rows(_OWN, (scope.principal.account_id,))
    return [PartnerRequest.of_row(row) for row in rows]


@router.get("/api/admin/partner-requests", dependencies=[READS_OWN_WRITES])
def get_admin_partner_requests(
    admin: AdminScope, state: Annotated[State, Query(description="open: those that await a decision")] = "open"
) -> list[AdminPartnerRequest]:
    """Oldest first, at most 500."""
    return [AdminPartnerRequest.of_row(row) for row in admin.reader.rows(_ALL, (state,))]
