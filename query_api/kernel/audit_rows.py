"""Rows of the audit trail as both its readers get them: an admin all, everybody else those of the own account."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from fastapi import Request, Response
from pydantic import BaseModel, Field

from query_api import paging
from query_api.reader import Reader


class AuditEntry(BaseModel):
    """Something that was done or refused. Names are empty for accounts that are not known (any more)."""

    seq: int
    at: datetime
    action: str
    outcome: str
    actorId: UUID | None
    actorName: str
    accountId: UUID | None = Field(description="Whose account it concerns")
    accountName: str
    subjectId: UUID | None = Field(description="What else it concerns: a website, an invite, a partner")
    address: str = Field(description="Cut to /24 or /48")
    device: str
    details: dict[str, Any]


_ENTRIES: Final = (
    "SELECT e.seq, e.at, e.action, e.outcome, e.actor_id, e.account_id, e.subject_id, e.address, e.device, e.details,"
    " actor.name AS actor_name, concerned.name AS account_name FROM auth.audit AS e"
    " LEFT JOIN read.accounts AS actor ON actor.id = e.actor_id"
    " LEFT JOIN read.accounts AS concerned ON concerned.id = e.account_id"
    " WHERE (%(account)s::uuid IS NULL OR e.account_id = %(account)s)"
    " AND (%(action)s::text IS NULL OR starts_with(e.action, %(action)s))"
    " AND (%(outcome)s::text IS NULL OR e.outcome = %(outcome)s)"
    " AND (%(before)s::bigint IS NULL OR e.seq < %(before)s) ORDER BY e.seq DESC LIMIT %(limit)s"
)


def entries(
    reader: Reader,
    request: Request,
    response: Response,
    *,
    limit: int,
    cursor: str | None,
    account: UUID | None = None,
    action: str | None = None,
    outcome: str | None = None,
) -> list[AuditEntry]:
    """One page, newest first; adds the link to the next."""
    before = paging.decode(cursor, int)[0] if cursor else None
    bound = {"account": account, "action": action, "outcome": outcome, "before": before, "limit": limit + 1}
    rows = reader.rows(_ENTRIES, bound)
    more = len(rows) > limit
    rows = rows[:limit]
    paging.link_next(request, response, paging.encode(rows[-1]["seq"]) if more else None)
    return [_shown(row) for row in rows]


def _shown(row: dict[str, Any]) -> AuditEntry:
    return AuditEntry(
        seq=row["seq"],
        at=row["at"],
        action=row["action"],
        outcome=row["outcome"],
        actorId=row["actor_id"],
        actorName=row["actor_name"] or "",
        accountId=row["account_id"],
        accountName=row["account_name"] or "",
        subjectId=row["subject_id"],
        address=row["address"],
        device=row["device"],
        details=row["details"],
    )
