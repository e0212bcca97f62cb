"""`events`: the very events behind a figure, each with its place in the log. "Explain any number".

Takes the range and the filters of the analytics calls, and `of` for what the figure counts.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from query_api import columnar, paging
from query_api.analytics.metrics import Source
from query_api.analytics.reading import rows
from query_api.analytics.request import AnalyticsQuery, asked
from query_api.context import Context, Reads, Theirs
from schemas.tracking import NO_ID

router = APIRouter(
    prefix="/api/platform/analytics", tags=["analytics"], dependencies=[Depends(Reads("events", "websites"))]
)


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


_COLUMNS: Final = ", ".join(
    f"t.{name} AS {name}"
    for name in (
        *("event_id", "type", "occurred_at", "received_at", "is_bot", "bot_reason", "path"),
        *(
            "country",
            "device",
            "source",
            "link_id",
            "partner_id",
            "click_id",
            "conversion_id",
            "_topic",
            "_partition",
            "_offset",
        ),
        *("d_pending", "d_approved", "d_rejected", "d_reversed", "c_pending", "c_approved", "c_reversed"),
    )
)


class EventsQuery(AnalyticsQuery):
    """The analytics calls' query, and what to list."""

    of: Of = Of.EVERYTHING
    limit: int = Field(default=50, ge=1, le=paging.MAX_LIMIT)
    cursor: str | None = Field(default=None, max_length=512)


class Change(BaseModel):
    """By how much a conversion's step moved each counter; money in minor units of the website's currency."""

    pending: int
    approved: int
    rejected: int
    reversed: int
    commissionPending: int
    commissionApproved: int
    commissionReversed: int


class LoggedEvent(BaseModel):
    """One row of the raw table, with its place in the log."""

    id: UUID
    type: str
    occurredAt: datetime
    receivedAt: datetime
    isBot: bool
    reason: str = Field(description="Why it is kept apart from the figures; empty: it is not")
    path: str
    country: str
    device: str
    source: str
    linkId: UUID | None
    partnerId: UUID | None
    clickId: str
    conversionId: UUID | None
    change: Change | None = Field(description="Of conversion rows only")
    topic: str
    partition: int
    offset: int


@router.get("/events")
def get_events(
    query: Annotated[EventsQuery, Query()], request: Request, response: Response, context: Context, theirs: Theirs
) -> list[LoggedEvent]:
    """Newest first; `topic`, `partition` and `offset` say where in the log each one lies."""
    what = asked(query, context, theirs)
    chosen = rows(Source.RAW, what.selection, what.range.start, what.range.end)
    bound: dict[str, Any] = {**chosen.parameters, "limit": query.limit + 1}
    after = ""
    if query.cursor is not None:
        milliseconds, event_id = paging.decode(query.cursor, int, UUID)
        bound |= {"after": milliseconds, "after_id": str(event_id)}
        after = " AND (toUnixTimestamp64Milli(t.occurred_at), t.event_id) < ({after:Int64}, {after_id:UUID})"
    sql = (
        f"SELECT {_COLUMNS}, toUnixTimestamp64Milli(t.occurred_at) AS place {chosen.sql} AND {_OF[query.of]}{after}"
        " ORDER BY t.occurred_at DESC, t.event_id DESC LIMIT {limit:UInt32}"
    )
    [found] = what.read(response, columnar.Query(sql, bound))
    page = found[: query.limit]
    more = len(found) > query.limit
    paging.link_next(request, response, paging.encode(page[-1]["place"], str(page[-1]["event_id"])) if more else None)
    return [_event(row) for row in page]


def _event(row: columnar.Row) -> LoggedEvent:
    return LoggedEvent(
        id=row["event_id"],
        type=row["type"],
        occurredAt=row["occurred_at"].replace(tzinfo=UTC),
        receivedAt=row["received_at"].replace(tzinfo=UTC),
        isBot=row["is_bot"],
        reason=row["bot_reason"],
        path=row["path"],
        country=row["country"],
        device=row["device"],
        source=row["source"],
        linkId=_or_none(row["link_id"]),
        partnerId=_or_none(row["partner_id"]),
        clickId=row["click_id"],
        conversionId=_or_none(row["conversion_id"]),
        change=_change(row) if row["type"] == "conversion" else None,
        topic=row["_topic"],
        partition=row["_partition"],
        offset=row["_offset"],
    )


def _change(row: columnar.Row) -> Change:
    return Change(
        pending=row["d_pending"],
        approved=row["d_approved"],
        rejected=row["d_rejected"],
        reversed=row["d_reversed"],
        commissionPending=row["c_pending"],
        commissionApproved=row["c_approved"],
        commissionReversed=row["c_reversed"],
    )


def _or_none(found: UUID) -> UUID | None:
    return None if found == NO_ID else found
