"""`GET /api/admin/dead-letters`: records that projections and policies could not take, by reason and one by one.

Their content is not here: `POST /api/admin/dead-letters/{id}/reveal` gives it, and keeps who looked.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from query_api import paging
from query_api.context import AsAdmin
from query_api.owned import not_found

router = APIRouter(tags=["admin"])

State = Literal["open", "retried", "skipped"]
Text = Annotated[str | None, Query(max_length=100)]


class DeadLetter(BaseModel):
    """A record that a projection could not take, without its content."""

    id: UUID
    projection: str
    generation: int
    topic: str
    partition: int
    offset: int
    reason: str
    error: str
    bytes: int
    firstAt: datetime
    attempts: int
    state: State
    isWaiting: bool = Field(description="A retry was asked for and is not done yet")
    decidedAt: datetime | None


class Step(BaseModel):
    """Something that was done to a dead letter."""

    type: str
    at: datetime
    actor: str | None


class DeadLetterDetail(DeadLetter):
    """With what was done to it, newest first."""

    history: list[Step]


class DeadLetterGroup(BaseModel):
    """Dead letters of one projection that have the same reason."""

    projection: str
    reason: str
    open: int
    waiting: int
    retried: int
    skipped: int
    oldestAt: datetime
    newestAt: datetime
    lastError: str


_COLUMNS: Final = (
    'd.id, d.projection, d.generation, d.topic, d.partition, d."offset", d.reason, d.error, length(d.value) AS bytes,'
    ' d.first_at AS "firstAt", d.attempts, d.state, d.decided_at AS "decidedAt",'
    " (d.state = 'open' AND d.retry_requested_at IS NOT NULL) AS \"isWaiting\""
)
_GROUPS: Final = (
    "SELECT projection, reason, count(*) FILTER (WHERE state = 'open') AS open,"
    " count(*) FILTER (WHERE state = 'open' AND retry_requested_at IS NOT NULL) AS waiting,"
    " count(*) FILTER (WHERE state = 'retried') AS retried, count(*) FILTER (WHERE state = 'skipped') AS skipped,"
    ' min(first_at) AS "oldestAt", max(first_at) AS "newestAt",'
    ' (array_agg(error ORDER BY first_at DESC))[1] AS "lastError" FROM engine.dead_letter'
    " GROUP BY projection, reason ORDER BY 3 DESC, projection, reason"
)
_ONE: Final = f"SELECT {_COLUMNS} FROM engine.dead_letter AS d WHERE d.id = %s"  # noqa: S608 - own text
_HISTORY: Final = (
    "SELECT v.type, v.at, a.name AS actor FROM read.activity AS v LEFT JOIN read.accounts AS a ON a.id = v.account_id"
    " WHERE v.aggregate_id = %s ORDER BY v.position DESC LIMIT 50"
)


@router.get("/api/admin/dead-letters/groups")
def get_dead_letter_groups(admin: AsAdmin) -> list[DeadLetterGroup]:
    """Counts by projection and reason, most open ones first."""
    return [DeadLetterGroup(**row) for row in admin.reader.rows(_GROUPS)]


@router.get("/api/admin/dead-letters")
def get_dead_letters(
    request: Request,
    response: Response,
    admin: AsAdmin,
    projection: Text = None,
    reason: Text = None,
    state: State | None = None,
    limit: paging.Limit = 50,
    cursor: paging.Cursor = None,
) -> list[DeadLetter]:
    """Newest first."""
    bound: dict[str, Any] = {"projection": projection, "reason": reason, "state": state, "limit": limit + 1}
    after = ""
    if cursor is not None:
        bound["at"], bound["id"] = paging.decode(cursor, datetime, UUID)
        after = " AND (d.first_at, d.id) < (%(at)s, %(id)s)"
    sql = (
        f"SELECT {_COLUMNS} FROM engine.dead_letter AS d"  # noqa: S608 - bound
        " WHERE (%(projection)s::text IS NULL OR d.projection = %(projection)s)"
        " AND (%(reason)s::text IS NULL OR d.reason = %(reason)s)"
        f" AND (%(state)s::text IS NULL OR d.state = %(state)s){after}"
        " ORDER BY d.first_at DESC, d.id DESC LIMIT %(limit)s"
    )
    rows = admin.reader.rows(sql, bound)
    page = rows[:limit]
    last = paging.encode(page[-1]["firstAt"], page[-1]["id"]) if len(rows) > limit else None
    paging.link_next(request, response, last)
    return [DeadLetter(**row) for row in page]


@router.get("/api/admin/dead-letters/{id}")
def get_dead_letter(id: UUID, admin: AsAdmin) -> DeadLetterDetail:
    """One of them, with what was done to it."""
    row = admin.reader.row(_ONE, (id,))
    if row is None:
        raise not_found("dead letter")
    return DeadLetterDetail(**row, history=[Step(**step) for step in admin.reader.rows(_HISTORY, (id,))])
