"""`GET /api/admin/clicks` and `.csv`: every click with its way: where it led, who it was, what came of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Any, Final
from uuid import UUID

import orjson
from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from infra.kernel.http.openapi import file_response
from query_api.analytics import filters
from query_api.analytics.request import parse_filter
from query_api.kernel import clickhouse_reader, pagination
from query_api.kernel.csv import columns_of, csv_response
from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope, CallerScope, Context, Services
from query_api.kernel.kept_from import kept_from_header, note_kept_from
from query_api.kernel.postgres_reader import PostgresReader
from query_api.kernel.requests import QueryModel
from schemas.currencies import decimal_text
from schemas.events.conversions import ConversionStatus
from schemas.http.analytics import Bots
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel
from schemas.tracking import NO_ID

router = APIRouter(tags=["admin"], dependencies=[READS_OWN_WRITES])

links_router = APIRouter(tags=["links"], dependencies=[READS_OWN_WRITES])

MAX_EXPORTED: Final = 10_000
_END_OF_TIME: Final = 10**13
"""Unix time in ms; what the analytics store can tell apart ends a little later."""
_WINDOWS: Final = (timedelta(days=1), timedelta(days=14), timedelta(days=180), None)
"""The time spans of the readings: each goes further back only when the nearer past does not fill the page, and no part
is read twice."""


class ClickBots(StrEnum):
    """What to do with clicks of machines."""

    INCLUDE = "include"
    EXCLUDE = "exclude"
    ONLY = "only"


class ClicksQuery(QueryModel):
    """Which clicks. What is not given does not narrow."""

    website_id: UUID | None = None
    partner_id: UUID | None = None
    link_id: UUID | None = None
    conversion_id: UUID | None = Field(default=None, description="The click of this conversion")
    country: str | None = Field(
        default=None,
        max_length=512,
        description="ISO 3166-1 alpha-2, ZZ: unknown; a comma means any of them, a leading `-` not",
    )
    device: str | None = Field(default=None, pattern="^(desktop|mobile|tablet|bot|other)$")
    bots: ClickBots = ClickBots.INCLUDE


class ClicksPage(ClicksQuery):
    """The filters of the list, and which page of it."""

    limit: int = Field(default=50, ge=1, le=pagination.MAX_LIMIT)
    cursor: str | None = Field(default=None, max_length=512)


class ClickConversion(ResponseModel):
    """The conversion of a click."""

    id: UUID
    kind: str
    txid: str
    status: ConversionStatus
    amount: Amount
    commission: Amount = Field(description="Remaining commission, in the website's currency")
    occurred_at: datetime


class TrackedClick(ResponseModel):
    """A click on its way: from a website over a link to a partner, and what came back."""

    id: UUID
    occurred_at: datetime
    website_id: UUID
    domain: str | None
    partner_id: UUID | None
    partner_name: str | None
    link_id: UUID | None
    slug: str | None
    click_id: str
    route: str = Field(description="rule 1, variant 2, fallback; empty: the plain destination")
    country: str
    device: str
    browser: str
    os: str
    source: str
    sub1: str
    is_bot: bool
    bot_reason: str
    conversions: list[ClickConversion]


class ClickLine(ResponseModel, alias_generator=None):
    """A click as one line of a file."""

    time: datetime
    website: str
    partner: str
    link: str
    click_id: str
    route: str
    country: str
    device: str
    browser: str
    os: str
    source: str
    sub1: str
    bot: str
    conversions: int
    status: str
    commission: str
    currency: str


@router.get("/api/admin/clicks")
def get_admin_clicks(
    query: Annotated[ClicksPage, Query()], request: Request, response: Response, context: Context, admin: AdminScope
) -> list[TrackedClick]:
    """Newest first. `X-Events-Kept-From`: earlier ones have expired, of all of these websites or of some."""
    response.headers.update(_kept_from(query, admin.reader))
    return _page(query, request, response, context, admin.reader)


def _page(
    query: ClicksPage, request: Request, response: Response, context: Services, reader: PostgresReader
) -> list[TrackedClick]:
    """Returns one page, newest first."""
    page = pagination.Page(request, response, query.limit, query.cursor)
    after = None if page.is_first else page.after(int, UUID)
    if after is not None and not 0 <= after[0] < _END_OF_TIME:
        raise pagination.bad_cursor()
    rows = _read(context, reader, query, after, page.limit + 1)
    return _with_names(reader, page.take(rows, "place", "event_id"))


@links_router.get("/api/platform/links/{id}/clicks")
def get_link_clicks(
    id: UUID,
    request: Request,
    response: Response,
    context: Context,
    scope: CallerScope,
    limit: pagination.Limit = 50,
    cursor: pagination.Cursor = None,
    bots: ClickBots = ClickBots.EXCLUDE,
) -> list[TrackedClick]:
    """The clicks of one link, newest first, with their conversions. `X-Events-Kept-From`: earlier ones have expired."""
    link = scope.row("SELECT id, website_id FROM read.links WHERE deleted_at IS NULL AND id = %s", id, "link")
    note_kept_from(response, scope.website(link["website_id"]))
    query = ClicksPage.named(website_id=link["website_id"], link_id=id, bots=bots, limit=limit, cursor=cursor)
    return _page(query, request, response, context, scope.reader)


@router.get("/api/admin/clicks.csv", response_class=Response, responses=file_response("text/csv"))
def get_admin_clicks_csv(query: Annotated[ClicksQuery, Query()], context: Context, admin: AdminScope) -> Response:
    """The newest 10,000 of them, with the header of the list."""
    clicks = _with_names(admin.reader, _read(context, admin.reader, query, None, MAX_EXPORTED))
    answer = csv_response("clicks", columns_of(ClickLine), [_line(click) for click in clicks])
    answer.headers.update(_kept_from(query, admin.reader))
    return answer


def _kept_from(query: ClicksQuery, reader: PostgresReader) -> dict[str, str]:
    """The header about the one website that the filters leave, else about all."""
    one = {"website": query.website_id, "link": query.link_id, "conversion": query.conversion_id}
    row = reader.row(_EXPIRED if any(one.values()) else _ALL_EXPIRED, one)
    return kept_from_header(row["before"] if row is not None else None)


def _read(
    context: Services, reader: PostgresReader, query: ClicksQuery, after: Sequence[Any] | None, limit: int
) -> list[clickhouse_reader.Row]:
    """Reads up to `limit` rows, newest first, looking back only as far as it takes."""
    chosen = _chosen(reader, query)
    if chosen is None:
        return []
    end = datetime.fromtimestamp(after[0] / 1000, UTC) if after else datetime.now(UTC)
    where, bound = chosen
    if after:
        where.append("t.occurred_at <= fromUnixTimestamp64Milli({after:Int64})")  # for the index
        where.append("(toUnixTimestamp64Milli(t.occurred_at), t.event_id) < ({after:Int64}, {after_id:UUID})")
        bound |= {"after": after[0], "after_id": str(after[1])}
    rows: list[clickhouse_reader.Row] = []
    until: int | None = None
    for window in _WINDOWS:
        slice_, bound["limit"] = list(where), limit - len(rows)
        if until is not None:
            slice_.append("t.occurred_at < fromUnixTimestamp64Milli({until:Int64})")
            bound["until"] = until
        if window is not None:
            slice_.append("t.occurred_at >= fromUnixTimestamp64Milli({since:Int64})")
            bound["since"] = until = int((end - window).timestamp() * 1000)
        rows += context.clickhouse.rows(clickhouse_reader.Query(_SELECT + " AND ".join(slice_) + _NEWEST, bound))
        if len(rows) >= limit:
            break
    return rows


def _chosen(reader: PostgresReader, query: ClicksQuery) -> tuple[list[str], dict[str, Any]] | None:
    """The conditions and their values; none when nothing can fit them."""
    where, bound = ["t.type = 'click'"], dict[str, Any]()
    for column in ("website_id", "partner_id", "link_id"):
        if (one := getattr(query, column)) is not None:
            where.append(f"t.{column} = {{{column}:UUID}}")
            bound[column] = str(one)
    if query.country and (countries := parse_filter("country", query.country)) is not None:
        condition = filters.condition([countries], Bots.INCLUDE)
        where.append(condition.sql)
        bound |= condition.parameters
    if query.device is not None:
        where.append("t.device = {device:String}")
        bound["device"] = query.device
    if query.bots is not ClickBots.INCLUDE:
        where.append("t.is_bot" if query.bots is ClickBots.ONLY else "NOT t.is_bot")
    if query.conversion_id is not None:
        sql = "SELECT website_id::text, click_id FROM read.conversions WHERE id = %s AND click_id <> ''"
        row = reader.row(sql, (query.conversion_id,))
        if row is None:
            return None
        where += ["t.website_id = {its_website:UUID}", "t.click_id = {its_click:String}"]
        bound |= {"its_website": row["website_id"], "its_click": row["click_id"]}
    return where, bound


_COLUMNS: Final = ", ".join(
    f"t.{name} AS {name}"
    for name in (
        *("event_id", "website_id", "occurred_at", "partner_id", "link_id", "click_id", "props", "country", "device"),
        *("browser", "os", "source", "sub1", "is_bot", "bot_reason"),
    )
)
_ALL_EXPIRED: Final = "SELECT max(before) AS before FROM read.event_expiries"
_EXPIRED: Final = (
    f"{_ALL_EXPIRED} WHERE website_id = coalesce(%(website)s,"  # noqa: S608 - own text
    " (SELECT website_id FROM read.links WHERE id = %(link)s),"
    " (SELECT website_id FROM read.conversions WHERE id = %(conversion)s))"
)
_SELECT: Final = (
    f"SELECT {_COLUMNS}, toUnixTimestamp64Milli(t.occurred_at) AS place"  # noqa: S608 - own text
    f" FROM {clickhouse_reader.live_table('events')} AS t WHERE "
)
_NEWEST: Final = " ORDER BY t.occurred_at DESC, t.event_id DESC LIMIT {limit:UInt32}"
_NAMES: Final = (
    "SELECT 'website' AS kind, id, domain AS name FROM read.websites WHERE id = ANY(%(websites)s)"
    " UNION ALL SELECT 'partner', id, name FROM read.partners WHERE id = ANY(%(partners)s)"
    " UNION ALL SELECT 'link', id, slug FROM read.links WHERE id = ANY(%(links)s)"
)
_CONVERSIONS: Final = (
    "SELECT id, click_id, kind, txid, status, amount, currency, commission, commission_currency, occurred_at"
    " FROM read.conversions WHERE click_id = ANY(%s) ORDER BY occurred_at, id"
)


def _with_names(reader: PostgresReader, rows: Sequence[clickhouse_reader.Row]) -> list[TrackedClick]:
    ids = {name: list({row[f"{name}_id"] for row in rows}) for name in ("website", "partner", "link")}
    named = reader.rows(_NAMES, {f"{name}s": values for name, values in ids.items()}) if rows else []
    names = {(row["kind"], row["id"]): row["name"] for row in named}
    clicks = [row["click_id"] for row in rows if row["click_id"]]
    conversions: defaultdict[str, list[ClickConversion]] = defaultdict(list)
    for row in reader.rows(_CONVERSIONS, (clicks,)) if clicks else []:
        conversions[row["click_id"]].append(_conversion(row))
    return [
        TrackedClick.of_row(
            row,
            id=row["event_id"],
            occurred_at=row["occurred_at"].replace(tzinfo=UTC),
            domain=names.get(("website", row["website_id"])),
            partner_id=row["partner_id"] if row["partner_id"] != NO_ID else None,
            partner_name=names.get(("partner", row["partner_id"])),
            link_id=row["link_id"] if row["link_id"] != NO_ID else None,
            slug=names.get(("link", row["link_id"])),
            route=_route(row["props"]),
            conversions=conversions[row["click_id"]] if row["click_id"] else [],
        )
        for row in rows
    ]


def _conversion(row: Mapping[str, Any]) -> ClickConversion:
    return ClickConversion.of_row(
        row,
        amount=Amount(amount=row["amount"], currency=row["currency"]),
        commission=Amount(amount=row["commission"], currency=row["commission_currency"]),
    )


def _route(props: str) -> str:
    """The conversion path that ingest wrote; other clicks carry their website's own properties."""
    if '"route"' not in props:
        return ""
    try:
        kept = orjson.loads(props)
    except orjson.JSONDecodeError:
        return ""
    route = kept.get("route") if isinstance(kept, dict) else None
    return route if isinstance(route, str) else ""


_SAME: Final = {"route", "country", "device", "browser", "os", "source", "sub1"}


def _line(click: TrackedClick) -> ClickLine:
    currency = click.conversions[0].commission.currency if click.conversions else ""
    earned = sum(one.commission.amount for one in click.conversions)
    return ClickLine(
        **click.model_dump(include=_SAME),
        time=click.occurred_at,
        website=click.domain or "",
        partner=click.partner_name or "",
        link=click.slug or "",
        click_id=click.click_id,
        bot=click.bot_reason if click.is_bot else "",
        conversions=len(click.conversions),
        status=" ".join(dict.fromkeys(one.status.value for one in click.conversions)),
        commission=decimal_text(earned, currency) if currency else "",
        currency=currency,
    )
