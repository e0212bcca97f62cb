"""The SQL of `breakdown`: counters by the values of one or two dimensions, sorted, searched and paged. Pure text.

Three sources give the same numbers: `breakdown_week` and `breakdown_day` for the whole days of an unfiltered report by
one dimension, rows with their visits for everything else, and the rows of conversions. `counted` has one row a value,
with the counters of `COUNTERS`, and one more for everything (`is_total`).
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from infra.domain.visits import dimensions, tables
from infra.domain.visits.dimensions import DAILY, QUARTER, TOTAL, WEEKDAY_HOUR
from query_api.analytics import filters, zone_offsets
from query_api.analytics.filters import Bots
from query_api.analytics.metrics import Source
from query_api.analytics.query_plan import Selection, edge, edges_of
from query_api.analytics.ranges import Range
from query_api.analytics.visit_rows import (
    CONVERSIONS_COUNTED,
    COUNTED,
    TRAFFIC_COUNTED,
    VisitRows,
    conversions,
    of_builds,
)
from query_api.kernel.clickhouse_reader import Query
from schemas.figures import COUNTERS as CONVERSION_SUMS
from schemas.tracking import SUBS

_TRAFFIC: Final = tables.COUNTERS
_MONEY: Final = ("pending", "approved", "rejected", "reversed", "c_pending", "c_approved", "c_reversed")
COUNTERS: Final = (*_TRAFFIC, "visitors", *_MONEY)

METRICS: Final[Mapping[str, str]] = {
    "visitors": "visitors",
    "visits": "visits",
    "pageviews": "pageviews",
    "clicks": "clicks",
    "impressions": "impressions",
    "events": "events",
    "conversions": "pending + approved",
    "pending": "pending",
    "approved": "approved",
    "rejected": "rejected",
    "reversed": "reversed",
    "revenue": "c_pending + c_approved",
    "views_per_visit": "if(visits = 0, 0, pageviews / visits)",
    "bounce_rate": "if(entries = 0, 0, bounces / entries)",
    "visit_duration": "if(entries = 0, 0, seconds / entries)",
    "click_through_rate": "if(pageviews = 0, 0, clicks / pageviews)",
    "click_rate": "if(impressions = 0, 0, clicks / impressions)",
    "conversion_rate": "if(clicks = 0, 0, (pending + approved) / clicks)",
    "epc": "if(clicks = 0, 0, toFloat64(c_pending + c_approved) / clicks)",
    "revenue_per_1000_visits": "if(visits = 0, 0, toFloat64(c_pending + c_approved) / visits)",
}
"""Each metric of a report, to sort by; what a report shows is computed exactly from the counters."""

MANY_VALUES: Final = frozenset(
    (
        *("page", "entry_page", "exit_page", "referrer", "city", "link"),
        *("utm_source", "utm_campaign", "utm_content", "utm_term", *SUBS),
    )
)
"""Dimensions that can have thousands of values: merging the visitor states of all of them takes longer than the rest of
a report, so `visitors` reads those of the shown rows."""

RATIOS: Final = frozenset(name for name, sql in METRICS.items() if sql.startswith("if("))


@dataclass(frozen=True, slots=True)
class Sorting:
    """By a metric or a dimension's value; ties by the values."""

    name: str
    is_descending: bool


@dataclass(frozen=True, slots=True)
class Report:
    """What one report counts. `only`: none, or the values that it is limited to."""

    selection: Selection
    range: Range
    by: tuple[str, ...]
    only: tuple[tuple[str, ...], ...] | None = None

    @property
    def visits(self) -> VisitRows:
        """The rows of the selection's website."""
        assert self.selection.visits is not None  # noqa: S101 - `request_for` plans them
        return self.selection.visits

    @property
    def is_daily(self) -> bool:
        """Whether whole days of it are counted already."""
        known = self.by[0] in DAILY or self.by[0] == WEEKDAY_HOUR
        return len(self.by) == 1 and known and not self.selection.filters

    @property
    def columns(self) -> set[str]:
        """The columns that it reads of rows with their visits."""
        return {*COUNTED, *self.selection.columns, *(column for name in self.by for column in dimensions.columns(name))}

    @property
    def values(self) -> tuple[str, ...]:
        """The names of the columns of the dimensions' values."""
        return tuple(f"v{number}" for number in range(len(self.by)))


def query(
    report: Report,
    sorting: Sorting,
    search: Mapping[str, Any] | None,
    after: Sequence[Any],
    limit: int,
    *,
    with_visitors: bool = True,
) -> Query:
    """One page of a report, and first the row of everything.

    `search`: `text` that a value contains, and `ids` of those whose names contain it. `after`: sort value and values of
    the row before the page, if there is one. Without visitors their counter is zero.
    """
    found = counted(report, with_visitors=with_visitors)
    key = METRICS.get(sorting.name, report.values[0])
    kind = _kind(sorting.name)
    bound: dict[str, Any] = {**found.parameters, "limit": limit + 1}
    conditions = [f"({' OR '.join(f'{METRICS[name]} <> 0' for name in _SHOWN)})"]
    if search is not None:
        columns = " OR ".join(f"positionCaseInsensitiveUTF8({value}, {{search:String}}) > 0" for value in report.values)
        named = " OR ".join(f"{value} IN {{search_ids:Array(String)}}" for value in report.values)
        conditions.append(f"({columns} OR {named})")
        bound |= {"search": search["text"], "search_ids": search["ids"]}
    if after:
        place = ", ".join(f"{{after_{number}:String}}" for number in range(len(report.by)))
        than = "<" if sorting.is_descending else ">"
        values = f"({', '.join(report.values)}) > ({place})"
        conditions.append(f"(sorted {than} {{after:{kind}}} OR (sorted = {{after:{kind}}} AND {values}))")
        bound |= {"after": str(after[0])} | {f"after_{number}": value for number, value in enumerate(after[1:])}
    direction = "DESC" if sorting.is_descending else "ASC"
    sql = (
        f"SELECT *, CAST({key} AS {kind}) AS sorted FROM ({found.sql}) WHERE is_total OR ({' AND '.join(conditions)})"
        f" ORDER BY is_total DESC, sorted {direction}, {', '.join(report.values)} LIMIT {{limit:UInt32}}"
    )
    return Query(sql, bound)


def counted(report: Report, *, with_visitors: bool = True) -> Query:
    """One row a value, and one of everything."""
    return _daily(report, with_visitors) if report.is_daily else _scanned(report, with_visitors)


def visitors(report: Report) -> Query:
    """Of a daily report: the visitors of the values of `only`, and of everything."""
    [name] = report.by
    rows = _daily_rows(report, name, ("visitors",))
    sql = (
        f"SELECT p.v0 AS v0, p.is_total AS is_total, {_MERGED_VISITORS} AS visitors FROM ({rows.sql}) AS p"
        " GROUP BY v0, is_total"
    )
    return Query(sql, rows.parameters)


def series(report: Report) -> Query:
    """Counters by bucket of the range (`edge`) and value, of the values of `only`; of everything without dimension."""
    rows = report.visits.everything(report.range.start, report.range.end, report.columns)
    where, bound = _where(report)
    columns = ", ".join(filter(None, (f"{edge(Source.VISITS)} AS edge", _named(report))))
    sql = (
        f"SELECT {columns}, {_counters(is_of_time=not report.by)} FROM ({rows}) AS t WHERE {where}"
        f" GROUP BY {', '.join(('edge', *report.values))}"
    )
    return Query(sql, {**bound, **edges_of(report.range)})


def total_series(report: Report) -> Query:
    """Counters by bucket; visits are those that begin in it. Every bucket begins with a quarter of an hour."""
    quarters = _daily_rows(report, QUARTER, COUNTERS)
    sql = (
        f"SELECT roundDown(toUInt32(p.v0), {{edges:Array(UInt32)}}) AS edge, {_sums(is_of_time=True)}"
        f" FROM ({quarters.sql}) AS p WHERE NOT p.is_total GROUP BY edge"
    )
    return Query(sql, {**quarters.parameters, **edges_of(report.range)})


def _kind(name: str) -> str:
    if name not in METRICS:
        return "String"
    return "Float64" if name in RATIOS else "Int128"


def _scanned(report: Report, with_visitors: bool) -> Query:
    """From rows with their visits."""
    rows = report.visits.everything(report.range.start, report.range.end, report.columns)
    where, bound = _where(report)
    values = ", ".join(report.values)
    counters = _counters(is_of_time=WEEKDAY_HOUR in report.by, with_visitors=with_visitors)
    sql = (
        f"SELECT {_named(report)}, grouping({report.values[0]}) = 1 AS is_total, {counters} FROM ({rows}) AS t"
        f" WHERE {where} GROUP BY GROUPING SETS (({values}), ())"
    )
    return Query(sql, bound)


def _daily(report: Report, with_visitors: bool) -> Query:
    """From counters of whole days, and rows of the rest."""
    [name] = report.by
    is_hourly = name == WEEKDAY_HOUR
    counters = tuple(each for each in COUNTERS if with_visitors or each != "visitors")
    rows = _daily_rows(report, QUARTER if is_hourly else name, counters)
    bound = dict(rows.parameters)
    value = "p.v0"
    if is_hourly:
        value = f"if(p.is_total, '', {zone_offsets.local_hour('toUInt32OrZero(p.v0)')})"
        bound |= zone_offsets.bound(report.range.timezone, report.range.start, report.range.end)
    sums = _sums(is_of_time=is_hourly, with_visitors=with_visitors)
    sql = f"SELECT {value} AS v0, p.is_total AS is_total, {sums} FROM ({rows.sql}) AS p GROUP BY v0, is_total"
    return Query(sql, bound)


def _daily_rows(report: Report, dimension: str, counters: Sequence[str]) -> Query:
    """Partial `counters` of one daily dimension, several rows a value (`v0`), and of everything (`is_total`)."""
    start, end = report.range.start, report.range.end
    visits, bots = report.visits, _bots(report.selection.bots)
    whole = visits.whole(start, end)
    bound = visits.bounds(start, end)
    traffic, sales = DAILY[dimension], _OF_CONVERSIONS.get(dimension, DAILY[dimension])
    only = ""
    if report.only is not None and dimension in report.by:
        only = f" AND (dimension = '{TOTAL}' OR value IN {{only:Array(String)}})"
        bound["only"] = [one[0] for one in report.only]
        traffic, sales = _limited(traffic), _limited(sales)
    values = ("occurred_at",) if dimension == QUARTER else dimensions.columns(dimension)
    read = f"SELECT if(dimension = '{TOTAL}', '', value) AS v0, dimension = '{TOTAL}' AS is_total"
    parts = []
    for table, built in ((tables.BREAKDOWN_WEEK, whole.weeks), (tables.BREAKDOWN_DAY, whole.days)):
        if built:
            parts.append(
                f"{read}, {_of(counters, _BUILT)} FROM {tables.table(table)} AS t"
                f" WHERE {of_builds(built)} AND dimension IN ('{dimension}', '{TOTAL}') AND {bots}{only}"
            )
    rest = visits.traffic(start, end, {*TRAFFIC_COUNTED, *values}, without=whole.covered)
    if rest:
        each_and_all = f"WHERE {bots} {_EACH_AND_ALL}"
        parts.append(
            f"SELECT {traffic} AS v0, {_IS_TOTAL}, {_of(counters, _OF_TRAFFIC)} FROM ({rest}) AS t {each_and_all}"
        )
    if set(counters) & set(_MONEY) or not parts:
        sold = conversions({*CONVERSIONS_COUNTED, *values})
        parts.append(
            f"SELECT {sales} AS v0, {_IS_TOTAL}, {_of(counters, _OF_CONVERSION)} FROM ({sold}) AS t"
            f" WHERE {bots} {_EACH_AND_ALL}"
        )
    return Query(" UNION ALL ".join(parts), bound)


def _of(counters: Sequence[str], expressions: Mapping[str, str]) -> str:
    return ", ".join(f"{expressions[name]} AS {name}" for name in counters)


def _limited(expression: str) -> str:
    """The value, or `_OTHERS` for one that the report leaves out: it counts in the total."""
    return f"if({expression} IN {{only:Array(String)}}, {expression}, '{_OTHERS}')"


def _where(report: Report) -> tuple[str, dict[str, Any]]:
    chosen = filters.condition(report.selection.filters, report.selection.bots)
    start, end = report.range.start, report.range.end
    bound: dict[str, Any] = {**report.visits.bounds(start, end), **chosen.parameters}
    where = chosen.sql
    if report.only is not None:
        for number, name in enumerate(report.by):
            where += f" AND {_expression(name)} IN {{only_{number}:Array(String)}}"
            bound[f"only_{number}"] = sorted({one[number] for one in report.only})
    if WEEKDAY_HOUR in report.by:
        bound |= zone_offsets.bound(report.range.timezone, start, end)
    return where, bound


def _named(report: Report) -> str:
    return ", ".join(f"{_expression(name)} AS {value}" for name, value in zip(report.by, report.values, strict=True))


def _expression(name: str) -> str:
    if name == WEEKDAY_HOUR:
        return zone_offsets.local_hour("toUnixTimestamp(t.occurred_at)")
    return dimensions.expression(name)


def _bots(bots: Bots) -> str:
    return {Bots.EXCLUDE: "NOT t.is_bot", Bots.ONLY: "t.is_bot", Bots.INCLUDE: "1"}[bots]


def _sums(*, is_of_time: bool, with_visitors: bool = True) -> str:
    """The counters over partial ones, called `p`. In buckets of time `visits` are those that begin in the bucket: a
    visit has one begin, so they add up."""
    columns = {name: f"sum(p.{name})" for name in COUNTERS}
    columns["visitors"] = _MERGED_VISITORS if with_visitors else "toInt64(0)"
    if is_of_time:
        columns["visits"] = columns["entries"]
    return _of(COUNTERS, columns)


def _counters(*, is_of_time: bool, with_visitors: bool = True) -> str:
    """The same over rows with their visits, called `t`."""
    columns = dict(_ROW_COUNTERS)
    if is_of_time:
        columns["visits"] = columns["entries"]
    if not with_visitors:
        columns["visitors"] = "toInt64(0)"
    return _of(COUNTERS, columns)


_MERGED_VISITORS: Final = "toInt64(uniqCombinedMerge(12)(p.visitors))"
_NO_TRAFFIC: Final = dict.fromkeys(_TRAFFIC, "toInt64(0)")
_NO_MONEY: Final = {name: f"{'toInt128' if name.startswith('c_') else 'toInt64'}(0)" for name in _MONEY}
_BUILT: Final = {name: name for name in (*_TRAFFIC, "visitors")} | _NO_MONEY
_OF_TRAFFIC: Final = {**tables.ROW_COUNTERS, "visitors": tables.VISITOR_STATE, **_NO_MONEY}
_OF_CONVERSION: Final = {
    **_NO_TRAFFIC,
    "visitors": "uniqCombinedStateIf(12)(t.visitor, 0)",
    **{name: CONVERSION_SUMS[name] for name in _MONEY},
}
"""Partial counters of each source."""
_IS_TOTAL: Final = "grouping(v0) = 1 AS is_total"
_EACH_AND_ALL: Final = "GROUP BY GROUPING SETS ((v0), ())"
_OTHERS: Final = "\\0"
"""No text of a row has this value: NUL is a control character."""
_OF_CONVERSIONS: Final = {"event": "toString(t.event_name)", "coupon": "toString(t.coupon)"}
_SHOWN: Final = ("events", "pending", "approved", "rejected", "reversed", "revenue")
_ROW_COUNTERS: Final = {
    **tables.ROW_COUNTERS,
    "visitors": "toInt64(uniqCombinedIf(12)(t.visitor, t.type <> 'conversion' AND t.visitor <> 0))",
    **{name: CONVERSION_SUMS[name] for name in _MONEY},
}
