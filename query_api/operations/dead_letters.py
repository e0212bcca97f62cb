"""`GET /api/admin/dead-letters`: records that projections and policies could not take, by reason and one by one.

Their content is not here: `POST /api/admin/dead-letters/{id}/reveal` gives it, and keeps who looked.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from infra.kernel.subscriptions.dead_letters import CORRELATION_SQL
from query_api.kernel.authorization import require_existing
from query_api.kernel.dependencies import AdminScope
from query_api.kernel.pagination import Page50
from schemas.http.operations import LetterHead, State
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["admin"])

Text = Annotated[str | None, Query(max_length=100)]


class DeadLetter(LetterHead):
    """A record that a projection could not process, without its content."""

    is_waiting: bool = Field(description="A retry was requested and is not done yet")
    decided_at: datetime | None
    correlation_id: str = Field(description="Of the record; empty: it has none")


class DeadLetterStep(ResponseModel):
    """One action on a dead letter."""

    type: str
    at: datetime
    actor: str | None


class DeadLetterDetail(DeadLetter):
    """With what was done to it, newest first."""

    history: list[DeadLetterStep]


class DeadLetterGroup(ResponseModel):
    """Dead letters of one projection that have the same reason."""

    projection: str
    reason: str
    open: int
    waiting: int
    retried: int
    skipped: int
    superseded: int = Field(description="Their generation was replaced by one that read the records again")
    oldest_at: datetime
    newest_at: datetime
    last_error: str


_COLUMNS: Final = (
    'd.id, d.projection, d.generation, d.topic, d.partition, d."offset", d.reason, d.error, length(d.value) AS bytes,'
    " d.first_at, d.attempts, d.state, d.decided_at,"
    " (d.state = 'open' AND d.retry_requested_at IS NOT NULL) AS is_waiting,"
    f" {CORRELATION_SQL} AS correlation_id"
)
_GROUPS: Final = (
    "SELECT projection, reason, count(*) FILTER (WHERE state = 'open') AS open,"
    " count(*) FILTER (WHERE state = 'open' AND retry_requested_at IS NOT NULL) AS waiting,"
    " count(*) FILTER (WHERE state = 'retried') AS retried, count(*) FILTER (WHERE state = 'skipped') AS skipped,"
    " count(*) FILTER (WHERE state = 'superseded') AS superseded,"
    " min(first_at) AS oldest_at, max(first_at) AS newest_at,"
    " (array_agg(error ORDER BY first_at DESC))[1] AS last_error FROM engine.dead_letter"
    " GROUP BY projection, reason ORDER BY 3 DESC, projection, reason"
)
_ONE: Final = f"SELECT {_COLUMNS} FROM engine.dead_letter AS d WHERE d.id = %s"  # noqa: S608 - own text
_HISTORY: Final = (
    "SELECT v.type, v.at, a.name AS actor FROM read.activity AS v LEFT JOIN read.accounts AS a ON a.id = v.account_id"
    " WHERE v.aggregate_id = %s ORDER BY v.position DESC LIMIT 50"
)


@router.get("/api/admin/dead-letters/groups")
def get_dead_letter_groups(admin: AdminScope) -> list[DeadLetterGroup]:
    """Counts by projection and reason, most open ones first."""
    return [DeadLetterGroup(**row) for row in admin.reader.rows(_GROUPS)]


@router.get("/api/admin/dead-letters")
def get_dead_letters(
    admin: AdminScope, page: Page50, projection: Text = None, reason: Text = None, state: State | None = None
) -> list[DeadLetter]:
    """Newest first."""
    after = "" if page.is_first else " AND (d.first_at, d.id) < (%(at)s, %(last)s)"
    sql = (
        f"SELECT {_COLUMNS} FROM engine.dead_letter AS d"  # noqa: S608 - bound
        " WHERE (%(projection)s::text IS NULL OR d.projection = %(projection)s)"
        " AND (%(reason)s::text IS NULL OR d.reason = %(reason)s)"
        f" AND (%(state)s::text IS NULL OR d.state = %(state)s){after}"
        " ORDER BY d.first_at DESC, d.id DESC LIMIT %(limit)s"
    )
    bound = {"projection": projection, "reason": reason, "state": state}
    return [DeadLetter(**row) for row in page.rows(admin.reader, sql, "first_at", bound)]


@router.get("/api/admin/dead-letters/{id}")
def get_dead_letter(id: UUID, admin: AdminScope) -> DeadLetterDetail:
    """One of them, with what was done to it."""
    row = require_existing(admin.reader.row(_ONE, (id,)), "dead letter")
    return DeadLetterDetail(**row, history=[DeadLetterStep(**step) for step in admin.reader.rows(_HISTORY, (id,))])
