"""`GET /api/platform/conversions/{id}/clicks`: clicks that may have earned a conversion, to assign it by hand."""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import Field

from infra.domain.visits.statement import visits
from query_api.conversions.missing_click import CLOCK_TOLERANCE
from query_api.conversions.routes import ConversionInFull, find_conversion
from query_api.kernel import clickhouse_reader
from query_api.kernel.authorization import AccountScope
from query_api.kernel.clickhouse_reader import Row, live_table
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services
from query_api.kernel.kept_from import note_kept_from
from query_api.kernel.postgres_reader import like
from schemas.http.responses import ResponseModel
from schemas.tracking import NO_ID

router = APIRouter(tags=["conversions"])

MAX_CLICKS: Final = 200
MAX_SEARCH: Final = 200
MAX_VISITOR_EVENTS: Final = 1_000
"""Maximum number of events of one visitor and day in which the page of a click is looked for, as the attribution
does."""
WINDOWS: Final = (timedelta(days=3), timedelta(days=30), timedelta(days=366))
"""The time spans of the readings: each goes further back only when the nearer past has too few clicks."""


class CandidateClick(ResponseModel):
    """A click before the sale."""

    click_id: str
    at: datetime
    link_id: UUID
    link: str | None = Field(description="The link's slug")
    partner_id: UUID
    partner_name: str | None
    page: str = Field(description="Host and path of the page that it stood on; empty: not known")
    source: str
    campaign: str
    country: str
    device: str
    is_within_window: bool = Field(description="Whether the partner's window would have credited the sale to it")
    conversions: int = Field(description="Conversions that it has earned already")


@router.get(
    "/api/platform/conversions/{id}/clicks",
    dependencies=[READS_OWN_WRITES],
)
def get_candidate_clicks(
    id: UUID,
    response: Response,
    scope: CallerScope,
    context: Context,
    partner_id: Annotated[UUID | None, Query(alias="partnerId")] = None,
    search: Annotated[str | None, Query(max_length=MAX_SEARCH, description="Of link, source or click ID")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_CLICKS)] = 20,
) -> list[CandidateClick]:
    """The latest clicks of its website before it occurred, bots left out, the newest first. `X-Events-Kept-From`:
    earlier ones have expired."""
    conversion = find_conversion(scope, id)
    note_kept_from(response, scope.website(conversion.website_id))
    rows = _read(scope, context, conversion, partner_id, search, limit)
    return _with_names(scope, context, conversion, rows) if rows else []


def _read(
    scope: AccountScope,
    context: Services,
    conversion: ConversionInFull,
    partner_id: UUID | None,
    search: str | None,
    limit: int,
) -> Sequence[Row]:
    until = conversion.occurred_at + CLOCK_TOLERANCE
    where, bound = [_CLICKS], dict[str, Any]()
    bound |= {"site": str(conversion.website_id), "until": _ms(until), "limit": limit}
    if partner_id is not None:
        where.append("partner_id = {partner:UUID}")
        bound["partner"] = str(partner_id)
    if search and search.strip():
        pattern = like(search)
        sql = "SELECT id FROM read.links WHERE website_id = %s AND slug ILIKE %s ORDER BY created_at DESC LIMIT 1000"
        links = [str(row["id"]) for row in scope.reader.rows(sql, (conversion.website_id, pattern))]
        where.append("(source ILIKE {pattern:String} OR click_id = {text:String} OR link_id IN {links:Array(UUID)})")
        bound |= {"pattern": pattern, "text": search.strip(), "links": links}
    rows: Sequence[Row] = []
    for window in WINDOWS:
        bound["since"] = _ms(until - window)
        rows = context.clickhouse.rows(clickhouse_reader.Query(_SELECT + " AND ".join(where) + _NEWEST, dict(bound)))
        if len(rows) >= limit:
            break
    return rows


def _with_names(
    scope: AccountScope, context: Services, conversion: ConversionInFull, rows: Sequence[Row]
) -> list[CandidateClick]:
    ids = [row["link_id"] for row in rows]
    links = {row["id"]: row["slug"] for row in scope.reader.rows(_LINKS, (ids, conversion.website_id))}
    partner_ids = [row["partner_id"] for row in rows]
    partners = {row["id"]: row for row in scope.reader.rows(_PARTNERS, (partner_ids,))}
    earned = {row["click_id"]: row["count"] for row in scope.reader.rows(_EARNED, ([row["click_id"] for row in rows],))}
    pages = _visits(context, conversion.website_id, rows)
    candidates = []
    for row in rows:
        at = row["occurred_at"].replace(tzinfo=UTC)
        partner, visit = partners.get(row["partner_id"]), pages.get(row["event_id"])
        days = partner["cookie_days"] if partner else 0
        candidates.append(
            CandidateClick.of_row(
                row,
                at=at,
                link=links.get(row["link_id"]),
                partner_name=partner["name"] if partner else None,
                page=f"{visit['hostname']}{visit['path']}" if visit else "",
                source=visit["source"] if visit else row["source"],
                campaign=visit["utm_campaign"] if visit else "",
                is_within_window=conversion.occurred_at - at <= timedelta(days=days),
                conversions=earned.get(row["click_id"], 0),
            )
        )
    return candidates


def _visits(context: Services, website_id: UUID, rows: Sequence[Row]) -> dict[UUID, Row]:
    """The visits of the clicks by event id."""
    bound = {
        "site": str(website_id),
        "days": sorted({row["occurred_at"].date().isoformat() for row in rows}),
        "visitors": sorted({row["visitor"] for row in rows} - {0}),
        "ids": [str(row["event_id"]) for row in rows],
    }
    return {row["event_id"]: row for row in context.clickhouse.rows(clickhouse_reader.Query(_VISITS, bound))}


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)


_CLICKS: Final = (
    f"website_id = {{site:UUID}} AND type = 'click' AND click_id <> '' AND link_id <> toUUID('{NO_ID}') AND NOT is_bot"
    " AND toDate(occurred_at) >= toDate(fromUnixTimestamp64Milli({since:Int64}))"
    " AND occurred_at >= fromUnixTimestamp64Milli({since:Int64})"
    " AND occurred_at <= fromUnixTimestamp64Milli({until:Int64})"
)
_SELECT: Final = (
    "SELECT event_id, occurred_at, click_id, link_id, partner_id, visitor, source, country, device"
    f" FROM {live_table('events')} WHERE "
)
_NEWEST: Final = " ORDER BY occurred_at DESC, event_id DESC LIMIT {limit:UInt32}"
_EVENTS: Final = (
    f"(SELECT * FROM {live_table('events')} WHERE website_id = {{site:UUID}}"
    " AND toDate(occurred_at) IN {days:Array(Date)}"
    " AND (visitor IN {visitors:Array(UInt64)} OR event_id IN {ids:Array(UUID)}) AND type <> 'conversion'"
    f" ORDER BY occurred_at DESC LIMIT {MAX_VISITOR_EVENTS} BY toDate(occurred_at), visitor)"
)
_VISITS: Final = (
    f"SELECT event_id, hostname, path, source, utm_campaign FROM ({visits(_EVENTS, '1')})"
    " WHERE event_id IN {ids:Array(UUID)}"
)
_LINKS: Final = "SELECT id, slug FROM read.links WHERE id = ANY(%s) AND website_id = %s"
_PARTNERS: Final = "SELECT id, name, cookie_days FROM read.partners WHERE id = ANY(%s)"
_EARNED: Final = "SELECT click_id, count(*) AS count FROM read.conversions WHERE click_id = ANY(%s) GROUP BY click_id"
