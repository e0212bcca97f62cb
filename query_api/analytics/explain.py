"""`events`: the very events behind a figure, each with its place in the log. "Explain any number".

Takes the range and the filters of the analytics calls, and `of` for what the figure counts.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from query_api.analytics import statement
from query_api.analytics.query_plan import TablePlan
from query_api.analytics.request import AnalyticsQuery, parse_request
from query_api.kernel import clickhouse_reader, pagination
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from schemas.http.responses import ResponseModel
from schemas.tracking import NO_ID

router = APIRouter(prefix="/api/platform/analytics", tags=["analytics"], dependencies=[READS_OWN_WRITES])


class Of(StrEnum):
    """What the figure counts."""

    EVERYTHING = "everything"
    CLICKS = "clicks"
    PAGEVIEWS = "pageviews"
    CONVERSIONS = "conversions"


_OF: Final = {
    Of.EVERYTHING: "1",
    Of.CLICKS: "t.type = 'click'",
    Of.PAGEVIEWS: "t.type = 'pageview'",
    Of.CONVERSIONS: "t.type = 'conversion'",
}


_COLUMNS: Final = (
    "t.event_id AS id, t.type AS type, t.occurred_at AS occurred_at, t.received_at AS received_at, t.is_bot AS is_bot,"
    " t.bot_reason AS reason, t.path AS path, t.country AS country, t.device AS device, t.source AS source,"
    " t.link_id AS link_id, t.partner_id AS partner_id, t.click_id AS click_id, t.conversion_id AS conversion_id,"
    " t._topic AS topic, t._partition AS partition, t._offset AS offset, t.d_pending AS pending,"
    " t.d_approved AS approved, t.d_rejected AS rejected, t.d_reversed AS reversed, t.c_pending AS commission_pending,"
    " t.c_approved AS commission_approved, t.c_reversed AS commission_reversed"
)


class EventsQuery(AnalyticsQuery):
    """The analytics calls' query, and what to list."""

    of: Of = Of.EVERYTHING
    limit: int = Field(default=50, ge=1, le=pagination.MAX_LIMIT)
    cursor: str | None = Field(default=None, max_length=512)


class Change(ResponseModel):
    """By how much a conversion's step moved each counter; money in minor units of the website's currency."""

    pending: int
    approved: int
    rejected: int
    reversed: int
    commission_pending: int
    commission_approved: int
    commission_reversed: int


class LoggedEvent(ResponseModel):
    """One row of the raw table, with its place in the log."""

    id: UUID
    type: str
    occurred_at: datetime
    received_at: datetime
    is_bot: bool
    reason: str = Field(description="Why it is excluded from metrics; empty: included")
    path: str
    country: str
    device: str
    source: str
    link_id: UUID | None
    partner_id: UUID | None
    click_id: str
    conversion_id: UUID | None
    change: Change | None = Field(description="Of conversion rows only")
    topic: str
    partition: int
    offset: int


@router.get("/events")
def get_events(
    query: Annotated[EventsQuery, Query()], request: Request, response: Response, context: Context, scope: CallerScope
) -> list[LoggedEvent]:
    """Newest first; `topic`, `partition` and `offset` are the position of each event in the log."""
    what = parse_request(query, context, scope)
    selection = what.selection.of_conversions if query.of is Of.CONVERSIONS else what.selection
    page = pagination.Page(request, response, query.limit, query.cursor)
    bound: dict[str, Any] = {"limit": page.limit + 1}
    after = ""
    if not page.is_first:
        milliseconds, event_id = page.after(int, UUID)
        bound |= {"after": milliseconds, "after_id": str(event_id)}
        after = " AND (toUnixTimestamp64Milli(t.occurred_at), t.event_id) < ({after:Int64}, {after_id:UUID})"
    plan = TablePlan(
        selection,
        what.range,
        columns=statement.COLUMNS,
        before=(_COLUMNS, "toUnixTimestamp64Milli(t.occurred_at) AS place"),
        where=f"{_OF[query.of]}{after}",
        order="t.occurred_at DESC, t.event_id DESC",
        limit="{limit:UInt32}",
        bound=bound,
    )
    [rows] = what.read(response, statement.table(plan))
    return [_event(row) for row in page.take(rows, "place", "id")]


def _event(row: clickhouse_reader.Row) -> LoggedEvent:
    return LoggedEvent.of_row(
        row,
        occurred_at=row["occurred_at"].replace(tzinfo=UTC),
        received_at=row["received_at"].replace(tzinfo=UTC),
        link_id=_or_none(row["link_id"]),
        partner_id=_or_none(row["partner_id"]),
        conversion_id=_or_none(row["conversion_id"]),
        change=Change.of_row(row) if row["type"] == "conversion" else None,
    )


def _or_none(found: UUID) -> UUID | None:
    return None if found == NO_ID else found
