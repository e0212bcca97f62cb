"""The SQL of `breakdown`: counters by the values of one or two dimensions, sorted, searched and paged. Pure text.

Three sources give the same numbers: `breakdown` for the builds of an unfiltered report by one dimension, rows with
their visits for everything else, and the rows of conversions. Each comes to partial counters; `counted` adds them up to
one row a value, and one more for everything (`is_total`).
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from infra.domain.visits import dimensions, tables
from infra.domain.visits.dimensions import DAILY, HOUR, QUARTER, TOTAL, WEEKDAY_HOUR
from query_api.analytics import filters, zone_offsets
from query_api.analytics.metrics import Source
from query_api.analytics.query_plan import Selection, edge, edges_of
from query_api.analytics.ranges import Range
from query_api.analytics.visit_rows import (
    CONVERSIONS,
    CONVERSIONS_COUNTED,
    TRAFFIC_COUNTED,
    VisitRows,
    conversions,
    of_builds,
)
from query_api.kernel.clickhouse_reader import Query, Row
from schemas.figures import COUNTERS as CONVERSION_SUMS
from schemas.http.analytics import Bots
from schemas.tracking import SUBS

_TRAFFIC: Final = tables.COUNTERS
MONEY: Final = ("pending", "approved", "rejected", "reversed", "c_pending", "c_approved", "c_reversed")
COUNTERS: Final = (*_TRAFFIC, "visitors", *MONEY)

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
a report."""

VISITOR_BOUND: Final = "visitor_bound"
"""A counter that is at least `visitors`, but for the error of the estimates: the visitors of each build, added up."""

RATIOS: Final = frozenset(name for name, sql in METRICS.items() if sql.startswith("if("))


@dataclass(frozen=True, slots=True)
class Sorting:
    """By a metric or a dimension's value; ties by the values."""

    name: str
    is_descending: bool


@dataclass(frozen=True, slots=True)
class Report:
    """What one report counts: `counters` of `COUNTERS`. `only`: none, or the values that it is limited to."""

    selection: Selection
    range: Range
    by: tuple[str, ...]
    counters: tuple[str, ...] = COUNTERS
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
    def is_of_time(self) -> bool:
        """Whether its rows are parts of time. Their `visits` are those that begin in the part: they add up."""
        return not self.by or WEEKDAY_HOUR in self.by

    @property
    def columns(self) -> set[str]:
        """The columns of rows that its values and filters are about."""
        return {*self.selection.columns, *(column for name in self.by for column in dimensions.columns(name))}

    @property
    def values(self) -> tuple[str, ...]:
        """The names of the columns of the dimensions' values."""
        return tuple(f"v{number}" for number in range(len(self.by)))


def counters_of(metrics: Iterable[str]) -> tuple[str, ...]:
    """The counters that these metrics are computed from, and those that tell whether a row is shown."""
    found = {counter for name in (*metrics, *_SHOWN) for counter in _counters(name)}
    return tuple(name for name in COUNTERS if name in found)


def query(
    report: Report, sorting: Sorting, search: Mapping[str, Any] | None, after: Sequence[Any], limit: int
) -> Query:
    """One page of a report, and first the row of everything.

    `search`: `text` that a value contains, and `ids` of those whose names contain it. `after`: sort value and values of
    the row before the page, if there is one.
    """
    rows = _daily(report) if report.is_daily else _scanned(report)
    key = _SORTED_BY.get(sorting.name, report.values[0])
    kind = _kind(sorting.name)
    bound: dict[str, Any] = {**rows.parameters, "limit": limit + 1}
    shown = [name for name in _SHOWN if set(_counters(name)) <= set(report.counters)]
    conditions = [f"({' OR '.join(f'{METRICS[name]} <> 0' for name in shown)})"]
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
        _added_up(report, rows.sql, f"CAST({key} AS {kind}) AS sorted")
        + f" HAVING is_total OR ({' AND '.join(conditions)})"
        f" ORDER BY is_total DESC, sorted {direction}, {', '.join(report.values)} LIMIT {{limit:UInt32}}"
    )
    return Query(sql, bound)


def counted(report: Report, limit: int | None = None) -> Query:
    """One row a value, and one of everything. At most `limit` rows, any of them, if it is given."""
    rows = _daily(report) if report.is_daily else _scanned(report)
    sql = _added_up(report, rows.sql)
    return Query(sql if limit is None else f"{sql} LIMIT {limit}", rows.parameters)


def _added_up(report: Report, rows: str, *more: str) -> str:
    """The counters of each value, and `more`, from partial ones."""
    shown = ", ".join((_each("p", report), "p.is_total AS is_total", _sums(report), *more))
    return f"SELECT {shown} FROM ({rows}) AS p GROUP BY {', '.join(report.values)}, is_total"


def values_of(row: Row, by: Sequence[str]) -> tuple[str, ...]:
    """The values of a row."""
    return tuple(row[f"v{number}"] for number in range(len(by)))


def total_of(found: Iterable[Row]) -> Row:
    """The row of everything, if there is one."""
    return next((row for row in found if row["is_total"]), {})


def others_of(found: Iterable[Row]) -> list[Row]:
    """All others."""
    return [row for row in found if not row["is_total"]]


def late(report: Report, sorting: Sorting) -> tuple[str, ...]:
    """The counters that are read for the shown rows alone: counting what is distinct among all values takes longer than
    the rest of the report."""
    if report.is_daily:
        found = {"visitors"} if report.by[0] in MANY_VALUES else set()
    elif report.selection.filters:
        found = set()  # the row of everything needs them anyway
    else:
        found = {"visitors"} if report.is_of_time else {"visitors", "visits"}
    return tuple(name for name in report.counters if name in found and name not in _counters(sorting.name))


def is_led_by_traffic(report: Report, sorting: Sorting) -> bool:
    """Whether traffic alone tells the first of thousands of values: those without have zero."""
    of_traffic = sorting.name in METRICS and not set(_counters(sorting.name)) & set(MONEY)
    return report.is_daily and report.by[0] in MANY_VALUES and of_traffic and sorting.is_descending


def series(report: Report) -> Query:
    """Counters by bucket of the range (`edge`) and value, of the values of `only`; of everything without dimension."""
    where, bound = _where(report)
    where = _within_only(report, where)
    columns = ", ".join(filter(None, (f"{edge(Source.VISITS)} AS edge", _named(report))))
    keys = ", ".join(("edge", *report.values))
    is_of_time = not report.by
    rows = " UNION ALL ".join(
        f"SELECT {columns}, {_of(_read(report.counters, is_of_time), expressions)} FROM ({source}) AS t WHERE {where}"
        f" GROUP BY {keys}"
        for source, expressions in _sources(report, {"occurred_at"})
    )
    named = ", ".join(("p.edge AS edge", *filter(None, (_each("p", report),))))
    sql = f"SELECT {named}, {_sums_of(report.counters, is_of_time)} FROM ({rows}) AS p GROUP BY {keys}"
    return Query(sql, {**bound, **edges_of(report.range)})


def total_series(report: Report) -> Query:
    """Counters by bucket. Every bucket begins with an hour, or with a quarter of one."""
    times = _daily_rows(report, _time_of(report))
    sql = (
        f"SELECT roundDown(toUInt32(p.v0), {{edges:Array(UInt32)}}) AS edge, {_sums(report)}"
        f" FROM ({times.sql}) AS p WHERE NOT p.is_total GROUP BY edge"
    )
    return Query(sql, {**times.parameters, **edges_of(report.range)})


def _counters(name: str) -> Sequence[str]:
    """The counters that a metric is computed from; none of another name."""
    return [word for word in re.findall(r"\w+", METRICS.get(name, "")) if word in COUNTERS]


def _kind(name: str) -> str:
    if name not in _SORTED_BY:
        return "String"
    return "Float64" if name in RATIOS else "Int128"


def _scanned(report: Report) -> Query:
    """Partial counters from rows with their visits. Of everything, visits and visitors are counted once more, and that
    takes as long again: without filters, the builds have them."""
    where, bound = _where(report)
    values = ", ".join(report.values)
    if report.selection.filters:
        named, is_total = _limited_values(report), f"grouping({report.values[0]}) = 1"
        group = f"GROUPING SETS (({values}), ())"
    else:
        named, is_total, group = _named(report), "0", values
        where = _within_only(report, where)
    counters = _read(report.counters, report.is_of_time)
    parts = [
        f"SELECT {named}, {is_total} AS is_total, {_of(counters, expressions)} FROM ({source}) AS t"
        f" WHERE {where} GROUP BY {group}"
        for source, expressions in _sources(report)
    ]
    if not report.selection.filters:
        everything = _daily_rows(report, TOTAL)
        empty = ", ".join(f"'' AS {value}" for value in report.values)
        parts.append(
            f"SELECT {empty}, 1 AS is_total, {', '.join(counters)} FROM ({everything.sql}) AS e WHERE e.is_total"
        )
        bound |= everything.parameters
    return Query(" UNION ALL ".join(parts), bound)


def _sources(report: Report, more: Collection[str] = ()) -> list[tuple[str, Mapping[str, str]]]:
    """The SELECTs of rows that a report reads, each with what its counters are."""
    start, end = report.range.start, report.range.end
    columns = {*report.columns, *more}
    traffic = report.visits.traffic(start, end, {*TRAFFIC_COUNTED, *columns})
    sources: list[tuple[str, Mapping[str, str]]] = [(traffic, _OF_TRAFFIC)] if traffic else []
    if set(report.counters) & set(MONEY) or not sources:
        sources.append((conversions({*CONVERSIONS_COUNTED, *columns}), _OF_CONVERSION))
    return sources


def _daily(report: Report) -> Query:
    """Partial counters from builds, and from the rows of the rest."""
    [name] = report.by
    if name != WEEKDAY_HOUR:
        return _daily_rows(report, name)
    rows = _daily_rows(report, _time_of(report))
    hour = f"if(q.is_total, '', {zone_offsets.local_hour('toUInt32OrZero(q.v0)')})"
    shown = ", ".join(("is_total", *_read(report.counters, is_of_time=True)))
    zone = zone_offsets.bound(report.range.timezone, report.range.start, report.range.end)
    return Query(f"SELECT {hour} AS v0, {shown} FROM ({rows.sql}) AS q", {**rows.parameters, **zone})


def _time_of(report: Report) -> str:
    """The daily dimension whose values lie within one local hour and one bucket of the range."""
    found = zone_offsets.offsets(report.range.timezone, report.range.start, report.range.end)
    seconds = (*(offset for _, offset in found), *edges_of(report.range)["edges"])
    return QUARTER if any(each % 3600 for each in seconds) else HOUR


def _daily_rows(report: Report, dimension: str) -> Query:
    """Partial counters of one daily dimension, several rows a value (`v0`), and of everything (`is_total`)."""
    start, end = report.range.start, report.range.end
    counters = _read(report.counters, report.is_of_time)
    visits, bots = report.visits, _bots(report.selection.bots)
    whole = visits.whole(start, end)
    bound = visits.bounds(start, end)
    traffic, sales = DAILY[dimension], _OF_CONVERSIONS.get(dimension, DAILY[dimension])
    only = ""
    if report.only is not None and dimension in report.by:
        only = f" AND (dimension = '{TOTAL}' OR value IN {{only_0:Array(String)}})"
        bound["only_0"] = [one[0] for one in report.only]
        traffic, sales = _limited(traffic, 0), _limited(sales, 0)
    values = _COLUMNS_OF.get(dimension) or dimensions.columns(dimension)
    parts = []
    has_traffic = not set(counters) <= set(MONEY)
    if whole and has_traffic:
        parts.append(
            f"SELECT if(dimension = '{TOTAL}', '', value) AS v0, dimension = '{TOTAL}' AS is_total,"
            f" {_of(counters, _BUILT)} FROM {tables.table(tables.BREAKDOWN)} AS t"
            f" WHERE {of_builds(whole)} AND dimension IN ('{dimension}', '{TOTAL}') AND {bots}{only}"
        )
    covered = {day for build in whole for day in build.covered}
    rest = visits.traffic(start, end, {*TRAFFIC_COUNTED, *values}, covered) if has_traffic else ""
    if rest:
        parts.append(
            f"SELECT {traffic} AS v0, {_IS_TOTAL}, {_of(counters, _OF_TRAFFIC)} FROM ({rest}) AS t"
            f" WHERE {bots} {_EACH_AND_ALL}"
        )
    if set(counters) & set(MONEY) or not parts:
        # All that is counted of conversions adds up over the values: each row is read once.
        of_rows = [name for name in counters if name not in _NOT_SOLD]
        each = ", ".join(filter(None, (f"{sales} AS v0", _of(of_rows, _OF_CONVERSION))))
        shown = _of(counters, {**_NOT_SOLD, **{name: f"c.{name}" for name in of_rows}})
        parts.append(
            f"SELECT if(is_total, '', c.v0) AS v0, is_total, {shown}"
            f" FROM (SELECT {each} FROM {CONVERSIONS} AND {bots} GROUP BY v0) AS c ARRAY JOIN [0, 1] AS is_total"
        )
    return Query(" UNION ALL ".join(parts), bound)


def _read(counters: Sequence[str], is_of_time: bool) -> tuple[str, ...]:
    """The partial counters that these are computed from."""
    return tuple(dict.fromkeys("entries" if is_of_time and name == "visits" else name for name in counters))


def _of(counters: Sequence[str], expressions: Mapping[str, str]) -> str:
    return ", ".join(f"{expressions[name]} AS {name}" for name in counters)


def _limited(expression: str, number: int) -> str:
    """The value, or `_OTHERS` for one that the report leaves out: it counts in the total."""
    return f"if({expression} IN {{only_{number}:Array(String)}}, {expression}, '{_OTHERS}')"


def _where(report: Report) -> tuple[str, dict[str, Any]]:
    chosen = filters.condition(report.selection.filters, report.selection.bots)
    start, end = report.range.start, report.range.end
    bound: dict[str, Any] = {**report.visits.bounds(start, end), **chosen.parameters}
    if report.only is not None:
        for number in range(len(report.by)):
            bound[f"only_{number}"] = sorted({one[number] for one in report.only})
    if WEEKDAY_HOUR in report.by:
        bound |= zone_offsets.bound(report.range.timezone, start, end)
    return chosen.sql, bound


def _within_only(report: Report, where: str) -> str:
    """The condition, and that the values are some of those that the report is limited to."""
    if report.only is None:
        return where
    limits = (f"{_expression(name)} IN {{only_{number}:Array(String)}}" for number, name in enumerate(report.by))
    return " AND ".join((where, *limits))


def _named(report: Report) -> str:
    """The values of a row `t`, as columns."""
    names = zip(report.by, report.values, strict=True)
    return ", ".join(f"{_expression(name)} AS {value}" for name, value in names)


def _limited_values(report: Report) -> str:
    """The same, with `_OTHERS` for those that the report leaves out."""
    if report.only is None:
        return _named(report)
    names = zip(report.by, report.values, strict=True)
    found = (f"{_limited(_expression(name), number)} AS {value}" for number, (name, value) in enumerate(names))
    return ", ".join(found)


def _each(source: str, report: Report) -> str:
    return ", ".join(f"{source}.{value} AS {value}" for value in report.values)


def _expression(name: str) -> str:
    if name == WEEKDAY_HOUR:
        return zone_offsets.local_hour("toUnixTimestamp(t.occurred_at)")
    return dimensions.expression(name)


def _bots(bots: Bots) -> str:
    return {Bots.EXCLUDE: "NOT t.is_bot", Bots.ONLY: "t.is_bot", Bots.INCLUDE: "1"}[bots]


def _sums(report: Report) -> str:
    return _sums_of(report.counters, report.is_of_time)


def _sums_of(counters: Sequence[str], is_of_time: bool) -> str:
    """The counters over partial ones, called `p`."""
    columns = {name: f"sum(p.{name})" for name in COUNTERS}
    columns["visitors"] = "toInt64(uniqCombinedMerge(12)(p.visitors))"
    columns[VISITOR_BOUND] = f"sum(p.{VISITOR_BOUND})"
    if is_of_time:
        columns["visits"] = columns["entries"]
    return _of(counters, columns)


_NO_TRAFFIC: Final = dict.fromkeys(_TRAFFIC, "toInt64(0)")
_NO_MONEY: Final = {name: f"{'toInt128' if name.startswith('c_') else 'toInt64'}(0)" for name in MONEY}
_BUILT: Final = {name: name for name in (*_TRAFFIC, "visitors")} | {VISITOR_BOUND: "own_visitors"} | _NO_MONEY
_OF_TRAFFIC: Final = {
    **tables.ROW_COUNTERS,
    "visitors": tables.VISITOR_STATE,
    VISITOR_BOUND: "toInt64(countIf(t.visitor <> 0))",
    **_NO_MONEY,
}
_NOT_SOLD: Final = {**_NO_TRAFFIC, VISITOR_BOUND: "toInt64(0)"}
_OF_CONVERSION: Final = {
    **_NOT_SOLD,
    "visitors": "uniqCombinedStateIf(12)(t.visitor, 0)",
    **{name: CONVERSION_SUMS[name] for name in MONEY},
}
"""Partial counters of each source."""
_SORTED_BY: Final = {**METRICS, VISITOR_BOUND: VISITOR_BOUND}
_IS_TOTAL: Final = "grouping(v0) = 1 AS is_total"
_EACH_AND_ALL: Final = "GROUP BY GROUPING SETS ((v0), ())"
_COLUMNS_OF: Final = {HOUR: ("occurred_at",), QUARTER: ("occurred_at",), TOTAL: ("type",)}
_OTHERS: Final = "\\0"
"""No text of a row has this value: NUL is a control character."""
_OF_CONVERSIONS: Final = {
    "event": "toString(t.event_name)",
    "coupon": "toString(t.coupon)",
    "exit_page": "toString(t.path)",
}
_SHOWN: Final = ("events", "pending", "approved", "rejected", "reversed", "revenue")
