"""Reads a website's history of whole days from ClickHouse: the counters of every dashboard (`schemas.figures`).

Days are those of the website's time zone: their edges are calculated here, and the query assigns each quarter of an
hour to a day, as for dashboards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any, Final

from command_api.insights.causes import PERIODS, Cell
from command_api.insights.finding import InsightSubject
from command_api.insights.history import DAYS, YOUNG_DAYS, Day, DaysAtAge, Dimension, History
from command_api.insights.significance import WEEK
from command_api.websites.model import Website
from infra.domain.visits.dimensions import stored
from infra.kernel.clickhouse.client import ClickHouseError, ClientPool
from schemas import instants
from schemas.days import day_start
from schemas.figures import COUNTERS, Counts, addend, in_rollup
from schemas.filters import NONE
from schemas.tracking import NO_ID
from schemas.zones import ZoneInfo

QUERY_TIMEOUT_S: Final = 10
RECENT_DAYS: Final = 35
"""Values are ranked by their clicks and page views of these days, which the finder compares."""

_PARTNER_COUNTERS: Final = tuple(name for name in COUNTERS if name != "pageviews")
_COUNTERS: Final = tuple(COUNTERS)
_VISIT_COUNTERS: Final = ("clicks", "pageviews")
_MAX_VALUE_LENGTH: Final = 256
_BUCKET: Final = timedelta(minutes=15)


class HistoryUnavailable(Exception):
    """ClickHouse does not answer."""


class HistoryIncomplete(HistoryUnavailable):
    """The last day is not completely projected."""


@dataclass(frozen=True, slots=True)
class _Breakdown:
    """The source of a dimension's series, and the value of rows without one."""

    dimension: Dimension
    table: str
    time: str
    column: str
    counters: Sequence[str]
    most: int
    nothing: str | None = None

    @property
    def is_raw(self) -> bool:
        """Returns whether it is counted from single events."""
        return self.table == "events"


_BREAKDOWNS: Final = (
    _Breakdown("partner", "partner_15m", "bucket", "partner_id", _PARTNER_COUNTERS, 50),
    _Breakdown("country", "country_15m", "bucket", "country", _COUNTERS, 10),
    _Breakdown("device", "events", "occurred_at", "device", _COUNTERS, 10),
    _Breakdown("source", "events", "occurred_at", "source", _COUNTERS, 10),
    _Breakdown("page", "events", "occurred_at", "path", _COUNTERS, 20, nothing=""),
    _Breakdown("link", "events", "occurred_at", "link_id", _PARTNER_COUNTERS, 20, nothing=str(NO_ID)),
)


def read_history(clients: ClientPool, website: Website, now: datetime) -> History:
    """The whole weeks up to yesterday, at most twelve, from the first one with events; all days while there are less
    than five weeks. For an older, imported history: the weeks up to its last day.

    Raises `HistoryUnavailable`.
    """
    zone, bound = ZoneInfo(website.timezone), {"website": str(website.id)}
    last = now.astimezone(zone).date() - timedelta(days=1)
    span = _Span.ending(last, zone)
    try:
        [newest] = query(clients, {**bound, "end": span.end}, _LATEST)
        latest = datetime.fromtimestamp(newest["latest"], UTC)
        if 0 < newest["latest"] < span.edges[0] and latest + _BUCKET <= website.created_at:
            last = latest.astimezone(zone).date()
            span = _Span.ending(last, zone)
        rows = partial(query, clients, {**bound, **span.bound})
        total = _series(span, rows(_TOTAL))
        cuts = [cut for cut in _BREAKDOWNS if not (cut.is_raw and _has_expired(website, span.edges[0]))]
        by = {cut.dimension: _by_value(span, rows(_of(cut)), cut) for cut in cuts}
        partner_of = {str(row["link"]): str(row["partner"]) for row in rows(_PARTNER_OF)}
    except (ClickHouseError, OSError, TimeoutError) as error:
        raise HistoryUnavailable(str(error).partition("\n")[0]) from error
    first = next((index for index, day in enumerate(total) if day != Day()), len(total))
    lived = len(total) - first
    begin = len(total) - (lived if lived < YOUNG_DAYS else lived // WEEK * WEEK)
    return History(
        last,
        website.currency,
        total[begin:],
        {dimension: {value: days[begin:] for value, days in values.items()} for dimension, values in by.items()},
        partner_of,
    )


def read_cells(
    clients: ClientPool, website: Website, last: date, subjects: Sequence[InsightSubject]
) -> list[Cell] | None:
    """Returns the events that the subjects have in common, in the periods that end with the day `last`; none where the
    single events have expired.

    Raises `HistoryUnavailable`.
    """
    span = _Span.ending(last, ZoneInfo(website.timezone))
    starts = [span.edges[-back] for back in PERIODS]
    if _has_expired(website, starts[-1]):
        return None
    bound: dict[str, Any] = {"website": str(website.id), "start": starts[-1], "end": span.end, "starts": starts}
    tests = []
    for index, subject in enumerate(subjects):
        in_events = stored(subject.dimension, ["" if subject.value == NONE else subject.value])
        assert in_events is not None  # noqa: S101 - all dimensions of a history are columns
        column, kind, [bound[f"value{index}"]] = in_events
        tests.append(f"{column} = {{value{index}:{kind}}}")
    counted = ", ".join(f"{expression} AS {name}" for name, expression in COUNTERS.items())
    sql = (
        f"SELECT arrayFirstIndex(start -> t.occurred_at >= toDateTime64(start, 3, 'UTC'), {{starts:Array(UInt32)}}) - 1"  # noqa: S608 - own text
        f" AS period, [{', '.join(tests)}] AS belongs, {counted} FROM events AS t"
        f" WHERE {_where('occurred_at', 'start')} AND NOT t.is_bot GROUP BY period, belongs"
    )
    try:
        rows = query(clients, bound, sql)
    except (ClickHouseError, OSError, TimeoutError) as error:
        raise HistoryUnavailable(str(error).partition("\n")[0]) from error
    return [
        Cell(
            frozenset(subject for subject, belongs in zip(subjects, row["belongs"], strict=True) if belongs),
            int(row["period"]),
            _day(row),
        )
        for row in rows
    ]


def _has_expired(website: Website, start: int) -> bool:
    """Returns whether single events since `start` have expired: what is counted from the others would look like
    growth."""
    expired_before = website.expired_before
    return expired_before is not None and start < datetime.combine(expired_before, time(), UTC).timestamp()


def read_days_at_age(clients: ClientPool, website: Website, now: datetime) -> tuple[date, DaysAtAge]:
    """Returns yesterday, and the days up to it, from the first one with events, `RECENT_DAYS` at most. Changes of
    conversions count if they were received by that age; clicks are all there.

    Raises `HistoryUnavailable`.
    """
    zone = ZoneInfo(website.timezone)
    local = now.astimezone(zone)
    last = local.date() - timedelta(days=1)
    span = _Span.ending(last, zone)
    bound = {"website": str(website.id), **span.bound}

    def stood(ages: Iterable[timedelta]) -> list[Day]:
        until = [int((local - age).timestamp()) for age in ages]
        return _series(span, query(clients, {**bound, "until": until}, _STOOD))

    backs = range(len(span.edges) - 1, -1, -1)
    try:
        total = _series(span, query(clients, bound, _TOTAL))
        by_day = stood(timedelta(days=back) for back in backs)
        by_week = stood(timedelta(weeks=back // WEEK) for back in backs)
    except (ClickHouseError, OSError, TimeoutError) as error:
        raise HistoryUnavailable(str(error).partition("\n")[0]) from error
    first = next((index for index, day in enumerate(total) if day != Day()), len(total))
    first = max(first, len(total) - RECENT_DAYS)
    return last, DaysAtAge(_with_conversions(total, by_day)[first:], _with_conversions(total, by_week)[first:])


@dataclass(frozen=True, slots=True)
class _Span:
    """`edges`: Unix times at which the days begin; `end`: of the one after the last."""

    edges: Sequence[int]
    end: int

    @classmethod
    def ending(cls, last: date, zone: ZoneInfo) -> _Span:
        starts = [day_start(zone, last - timedelta(days=back)) for back in range(DAYS - 1, -2, -1)]
        seconds = [int(start.astimezone(UTC).timestamp()) for start in starts]
        return cls(seconds[:-1], seconds[-1])

    @property
    def bound(self) -> Mapping[str, Any]:
        return {
            "edges": list(self.edges),
            "start": self.edges[0],
            "recent": self.edges[-RECENT_DAYS],
            "end": self.end,
        }


def query(clients: ClientPool, bound: Mapping[str, Any], sql: str) -> list[dict[str, Any]]:
    """The rows of a statement, by column name; it ends after `QUERY_TIMEOUT_S`. Raises `ClickHouseError`."""
    settings = {"max_execution_time": QUERY_TIMEOUT_S, "max_threads": 2}
    with clients.use() as client:
        result = client.query(sql, parameters=dict(bound), settings=settings)
        return [dict(zip(result.column_names, row, strict=True)) for row in result.result_rows]


def _series(span: _Span, rows: Iterable[Mapping[str, Any]]) -> list[Day]:
    """Returns one day for each edge. Where a zone skipped a whole day, two begin together: the later one gets the
    rows."""
    by_edge = {int(row["edge"]): row for row in rows}
    return [_day(by_edge.pop(edge, {})) for edge in reversed(span.edges)][::-1]


def _day(row: Mapping[str, Any]) -> Day:
    counts = Counts.of(row)
    return Day(
        clicks=counts.clicks,
        pageviews=counts.pageviews,
        conversions=counts.conversions,
        rejected=counts.rejected,
        revenue=counts.revenue,
        bot_clicks=int(row.get("bot_clicks", 0)),
        bot_pageviews=int(row.get("bot_pageviews", 0)),
    )


def _with_conversions(days: Sequence[Day], stood: Sequence[Day]) -> list[Day]:
    return [
        replace(day, conversions=then.conversions, rejected=then.rejected, revenue=then.revenue)
        for day, then in zip(days, stood, strict=True)
    ]


def _by_value(span: _Span, rows: Iterable[Mapping[str, Any]], cut: _Breakdown) -> dict[str, list[Day]]:
    by_value: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_value.setdefault(str(row["value"]), []).append(row)
    return {
        value or NONE: _series(span, group)
        for value, group in by_value.items()
        if value != cut.nothing and _is_a_filter(value)
    }


def _is_a_filter(value: str) -> bool:
    """Returns whether dashboards can be filtered by it, and it cannot be taken for the lack of a value."""
    return value != NONE and len(value) <= _MAX_VALUE_LENGTH


_EDGE: Final = "roundDown(toUnixTimestamp(t.{time}), {{edges:Array(UInt32)}}) AS edge"


def _where(time: str, begin: str) -> str:
    at = instants.bound_second if time == "bucket" else instants.bound
    return f"t.website_id = {{website:UUID}} AND t.{time} >= {at(begin)} AND t.{time} < {at('end')}"


_TOTAL: Final = (
    f"SELECT {_EDGE.format(time='bucket')}, "  # noqa: S608 - own text
    + ", ".join(f"sumIf({addend(name)}, NOT t.is_bot) AS {name}" for name in COUNTERS)
    + ", sumIf(t.clicks, t.is_bot) AS bot_clicks, sumIf(t.pageviews, t.is_bot) AS bot_pageviews"
    " FROM traffic_15m AS t WHERE " + _where("bucket", "start") + " GROUP BY edge"
)
_STOOD: Final = (
    f"SELECT {_EDGE.format(time='occurred_at')}, "  # noqa: S608 - own text
    + ", ".join(f"{counted} AS {name}" for name, counted in COUNTERS.items())
    + " FROM conversion_events AS t WHERE "
    + _where("occurred_at", "recent")
    + " AND NOT t.is_bot AND toUnixTimestamp(t.received_at)"
    " < transform(edge, {edges:Array(UInt32)}, {until:Array(UInt32)}, toUInt32(0)) GROUP BY edge"
)
"""The statement that counts a day's conversions as they were at a time of its own."""
_LATEST: Final = (
    "SELECT toUnixTimestamp(max(t.bucket)) AS latest FROM traffic_15m AS t"  # noqa: S608 - own text
    f" WHERE t.website_id = {{website:UUID}} AND t.bucket < {instants.bound_second('end')}"
)
_PARTNER_OF: Final = (
    "SELECT t.link_id AS link, any(t.partner_id) AS partner FROM events AS t WHERE "  # noqa: S608 - own text
    + _where("occurred_at", "start")
    + f" AND t.type = 'click' AND t.link_id <> toUUID('{NO_ID}') GROUP BY link ORDER BY count() DESC LIMIT 100"
)


def _of(cut: _Breakdown) -> str:
    """The statement that counts the largest values of a dimension by day."""
    raw = cut.is_raw
    counted = ", ".join(f"{COUNTERS[name] if raw else in_rollup(name)} AS {name}" for name in cut.counters)
    seen = "count()" if raw else " + ".join(f"sum(t.{name})" for name in cut.counters if name in _VISIT_COUNTERS)
    visits = ", ".join(repr(name.removesuffix("s")) for name in cut.counters if name in _VISIT_COUNTERS)
    visiting, rows = "NOT t.is_bot", "NOT t.is_bot"
    if raw:
        visiting += f" AND t.type IN ({visits})"
        rows += f" AND t.type IN ({visits}, 'conversion')"
    where = _where(cut.time, "start")
    recent = _where(cut.time, "recent")
    return (
        f"SELECT {_EDGE.format(time=cut.time)}, t.{cut.column} AS value, {counted} FROM {cut.table} AS t"  # noqa: S608 - own text
        f" WHERE {where} AND {rows} AND t.{cut.column} IN (SELECT t.{cut.column} FROM {cut.table} AS t WHERE {recent}"
        f" AND {visiting} GROUP BY t.{cut.column} ORDER BY {seen} DESC, t.{cut.column} LIMIT {cut.most})"
        " GROUP BY edge, value"
    )
