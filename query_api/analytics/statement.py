"""The SQL of plans: the one place where analytics calls write statements. Pure text; values are bound, never spliced.

Tables have the rows of every website: each is read by `_own_rows`. Rows with their visits come from builds
(`visit_events`) and, for other days, from `events`; conversions from a rollup that has their rows alone.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from infra.domain.visits import dimensions, tables
from infra.domain.visits.builds import VisitBuild
from infra.domain.visits.dimensions import DAILY, HOUR, QUARTER, TOTAL, WEEKDAY_HOUR
from infra.domain.visits.statement import ROW_COLUMNS, TYPES, visits
from query_api.analytics import cost_rows, filters, metrics, zone_offsets
from query_api.analytics.breakdown_metrics import COST, COUNTERS, METRICS, MONEY, SHOWN, VISITOR_BOUND
from query_api.analytics.filters import Condition
from query_api.analytics.metrics import UNIQUES, Source
from query_api.analytics.query_plan import (
    NO_PARTNER,
    Plan,
    RowPage,
    TablePlan,
    TrafficSelection,
    edges_of,
    seconds,
)
from query_api.analytics.ranges import Range
from query_api.analytics.rewrites import SOURCES, TABLE, rewritten
from query_api.analytics.visit_growth import GrownDay, up_to
from query_api.analytics.visit_rows import DayRows
from query_api.kernel.clickhouse_reader import Query, live_table
from schemas import instants
from schemas.figures import COUNTERS as CONVERSION_SUMS
from schemas.tracking import CONVERSION_COLUMNS

_CONVERSION: Final = tuple(column for column in CONVERSION_COLUMNS if column.name not in ROW_COLUMNS)
COLUMNS: Final = (*ROW_COLUMNS, *(column.name for column in _CONVERSION))
"""The columns of every row, traffic or conversion."""


def table(plan: TablePlan) -> Query:
    """The statement of one table. Raises `Problem` 422 and 503 (`rewrites.find_rows`)."""
    plan = rewritten(plan, TABLE)
    source, chosen = plan.source, _chosen(plan)
    where = chosen.sql, f"t.partner_id <> {NO_PARTNER}" if plan.of_partners else "", plan.where
    edge = bucket_of(source.time) if plan.by_bucket else ""
    selected = (edge, *plan.before, metrics.counters(source, plan.counters), *plan.after)
    clauses = {"group": plan.group, "having": plan.having, "order": plan.order, "limit": plan.limit}
    if source is Source.VISITS:
        read = {column for name in plan.needs for column in _columns_of(name)}
        columns = {*plan.selection.columns, *read, "is_bot", "occurred_at"}
        rows = " UNION ALL ".join(filter(None, (traffic(plan.rows, columns), _conversions(columns))))
        sql = _select(selected, f"({rows}) AS t", where, **clauses)
    else:
        time = f"t.{source.time}"
        within = f"{time} >= {source.instant('start')}", f"{time} < {source.instant('end')}"
        sql = _own_rows(selected, f"{source.table} AS t", (*within, *where), **clauses)
    edges = edges_of(plan.range) if plan.by_bucket else {}
    return Query(sql, {**_span(plan.selection.website_id, plan.range), **chosen.parameters, **edges, **plan.bound})


def report(plan: Plan) -> Query:
    """The statement of a report: partial counters of its sources, added up. Raises `Problem` 422 and 503
    (`VisitRows.rows`)."""
    plan = rewritten(plan, SOURCES)
    rows, sums, bound = f"({_partial(plan)}) AS p", _sums(plan), _bound(plan)
    if plan.by_bucket and plan.daily:
        # Every bucket begins with an hour, or with a quarter of one.
        edge = "roundDown(toUInt32(p.v0), {edges:Array(UInt32)}) AS edge"
        return Query(_select((edge, sums), rows, ("NOT p.is_total",), group="edge"), bound)
    keys = (*plan.values, "is_total") if not plan.by_bucket else ("edge", *plan.values)
    selected = (*(f"p.{key} AS {key}" for key in keys), sums)
    group, limit = ", ".join(keys), ""
    if plan.limit is not None:
        bound["limit"], limit = plan.limit + 1, "{limit:UInt32}"
    if plan.page is None:
        return Query(_select(selected, rows, group=group, limit=limit), bound)
    key, kind = _sort_key(plan.page)
    having = " AND ".join(_page_conditions(plan, plan.page, kind))
    order = f"is_total DESC, sorted {'DESC' if plan.page.is_descending else 'ASC'}, {', '.join(plan.values)}"
    clauses = {"group": group, "having": f"is_total OR ({having})", "order": order, "limit": limit}
    return Query(
        _select((*selected, f"CAST({key} AS {kind}) AS sorted"), rows, **clauses), bound | _page_bound(plan.page)
    )


def of_range(
    website_id: str, range_: Range, table: str, time: str, shown: Iterable[str], *where: str, **clauses: str
) -> Query:
    """A SELECT over a table `t` of what came in a range, by its exact time. `clauses`: those of `_CLAUSES`."""
    within = f"t.{time} >= {instants.bound('start')}", f"t.{time} < {instants.bound('end')}"
    sql = _own_rows(shown, f"{table} AS t", (*within, *where), **clauses)
    return Query(sql, _span(website_id, range_))


def used_dimensions(selection: TrafficSelection, range_: Range, names: Sequence[str]) -> Query:
    """The names of the dimensions that an event of the range has a value of, whatever the filters; maybe empty texts.
    Raises `Problem` 422 and 503 (`VisitRows.rows`)."""
    builds = selection.known_visits.whole(range_.start, range_.end)
    rows = selection.rows(range_, {day for build in builds for day in build.covered})
    chosen = filters.condition((), selection.bots)
    columns = {"is_bot", "occurred_at", *(column for name in names for column in dimensions.columns(name))}
    counted = " UNION ALL ".join(filter(None, (traffic(rows, columns), _conversions(columns))))
    each = ", ".join(f"if(max({dimensions.expression(name)} <> ''), '{name}', '')" for name in names)
    selects = [_select((f"arrayJoin([{each}]) AS name",), f"({counted}) AS t", (chosen.sql,))]
    if builds:
        named = (f"(days, day, build) IN ({_listed(builds)})", "dimension IN {names:Array(String)}", "value <> ''")
        source = f"{tables.table(tables.BREAKDOWN)} AS t"
        selects.append(_own_rows(("toString(dimension) AS name",), source, (*named, chosen.sql), group="name"))
    bound = {**_span(selection.website_id, range_), **chosen.parameters, "names": list(names)}
    return Query(" UNION ALL ".join(selects), bound)


def over(inner: Query, alias: str, *shown: str, group: str = "") -> Query:
    """A SELECT from the rows of another one."""
    source = f"({inner.sql}) AS {alias}" if alias else f"({inner.sql})"
    return Query(_select(shown, source, group=group), inner.parameters)


def union(*queries: Query) -> Query:
    """The rows of all."""
    bound = {name: value for query in queries for name, value in query.parameters.items()}
    return Query(" UNION ALL ".join(query.sql for query in queries), bound)


def traffic(rows: DayRows, columns: Collection[str], span: str = "") -> str:
    """A SELECT of `columns`: the rows of traffic. Needs the website and the range, whose parameters are named `start`
    and `end` behind `span`."""
    selected = _cast(columns, _NO_CONVERSION)
    selects = []
    if rows.whole or rows.cut:
        cut = f"{_rows_of(rows.cut)} AND {_at_the_time(span)}" if rows.cut else ""
        chosen = " OR ".join(filter(None, (_rows_of(rows.whole) if rows.whole else "", cut)))
        selects.append(_own_rows(selected, tables.table(tables.VISIT_EVENTS), (f"({chosen})",)))
    if rows.live:
        days = ", ".join(f"'{day}'" for day in rows.live)
        selects.append(_found(selected, columns, f"{_OF_WEBSITE} AND toDate(occurred_at) IN ({days})", span))
    for day in rows.grown:
        selects += _grown(day, selected, columns, span)
    return " UNION ALL ".join(selects)


def _own_rows(shown: Iterable[str], source: str, where: Iterable[str], **clauses: str) -> str:
    """A SELECT of the website's own rows from a table."""
    return _select(shown, source, (_OF_WEBSITE, *where), **clauses)


def _select(shown: Iterable[str], source: str, where: Iterable[str] = (), **clauses: str) -> str:
    """Returns a SELECT; `clauses` are those of `_CLAUSES`. Empty ones are left out."""
    parts = [f"SELECT {', '.join(filter(None, shown))} FROM {source}"]
    if conditions := " AND ".join(filter(None, where)):
        parts.append(f"WHERE {conditions}")
    parts += [f"{keyword} {clauses[name]}" for name, keyword in _CLAUSES.items() if clauses.get(name)]
    return " ".join(parts)


_CLAUSES: Final = {"group": "GROUP BY", "having": "HAVING", "order": "ORDER BY", "limit": "LIMIT"}
_OF_WEBSITE: Final = "website_id = {website:UUID}"


def _span(website_id: str, range_: Range) -> dict[str, Any]:
    """Returns the parameters of every statement."""
    return {"website": website_id, "start": seconds(range_.start), "end": seconds(range_.end)}


def _chosen(plan: Plan | TablePlan) -> Condition:
    return filters.condition(plan.selection.filters, plan.selection.bots)


def bucket_of(time: str) -> str:
    """The Unix time `edge` at which the bucket of a row's time begins. Needs `edges_of`."""
    return f"roundDown(toUnixTimestamp(t.{time}), {{edges:Array(UInt32)}}) AS edge"


def _columns_of(name: str) -> Collection[str]:
    """The columns of rows that a counter of a table, or a column, is made from."""
    if name in UNIQUES:
        return ("type", "visitor")
    if name in ("clicks", "pageviews"):
        return ("type",)
    return (f"d_{name}",) if name in MONEY and not name.startswith("c_") else (name,)


def _bound(plan: Plan) -> dict[str, Any]:
    bound: dict[str, Any] = {**_span(plan.selection.website_id, plan.range), **_chosen(plan).parameters}
    for number in range(len(plan.values)) if plan.wanted is not None else ():
        bound[f"only_{number}"] = sorted({one[number] for one in plan.wanted or ()})
    if plan.cost_days is not None:
        bound |= cost_rows.bound(plan.cost_days, plan.selection.costs.shapes)
    if WEEKDAY_HOUR in plan.by:
        bound |= zone_offsets.bound(plan.range.timezone, plan.range.start, plan.range.end)
    return {**bound, **edges_of(plan.range)} if plan.by_bucket else bound


def _sort_key(page: RowPage) -> tuple[str, str]:
    """Returns the expression that a page is sorted by, and its type."""
    if page.sorted_by == VISITOR_BOUND:
        return VISITOR_BOUND, "Int128"
    metric = METRICS.get(page.sorted_by)
    return ("v0", "String") if metric is None else (metric.sql, "Float64" if metric.per else "Int128")


def _page_conditions(plan: Plan, page: RowPage, kind: str) -> Iterator[str]:
    """Yields the conditions on the rows of a page, except the row of everything."""
    counted = (METRICS[name] for name in SHOWN if {*METRICS[name].counters} <= {*plan.counters})
    yield f"({' OR '.join(f'{metric.sql} <> 0' for metric in counted)})"
    if page.search is not None:
        matching = (f"positionCaseInsensitiveUTF8({value}, {{search:String}}) > 0" for value in plan.values)
        named = (f"{value} IN {{search_ids:Array(String)}}" for value in plan.values)
        yield f"({' OR '.join((*matching, *named))})"
    if page.after:
        place = ", ".join(f"{{after_{number}:String}}" for number in range(len(plan.values)))
        than, after = "<" if page.is_descending else ">", f"{{after:{kind}}}"
        is_tie = f"sorted = {after} AND ({', '.join(plan.values)}) > ({place})"
        yield f"(sorted {than} {after} OR ({is_tie}))"


def _page_bound(page: RowPage) -> dict[str, Any]:
    bound: dict[str, Any] = {}
    if page.search is not None:
        bound |= {"search": page.search.text, "search_ids": list(page.search.ids)}
    if page.after:
        bound |= {"after": page.after[0], **{f"after_{number}": one for number, one in enumerate(page.after[1:])}}
    return bound


def _sums(plan: Plan) -> str:
    """The counters, added up."""
    sums = {name: f"sum(p.{name})" for name in (*COUNTERS, VISITOR_BOUND)}
    sums["visitors"] = "toInt64(uniqCombinedMerge(12)(p.visitors))"
    if plan.is_of_time:
        sums["visits"] = sums["entries"]
    return _of(plan.counters, sums)


def _partial(plan: Plan) -> str:
    """SELECTs of partial counters, several rows a value (`v0`, `v1`), and of everything (`is_total`)."""
    selects = []
    if plan.builds:
        selects.append(_of_builds(plan))
    if plan.rows:
        rows = traffic(plan.rows, {*_TRAFFIC_COUNTED, *plan.columns})
        selects.append(_of_rows(plan, rows, _OF_TRAFFIC))
    if plan.reads_sales and plan.daily:
        selects.append(_of_sales(plan))
    elif plan.reads_sales:
        selects.append(_of_rows(plan, _conversions({*_CONVERSIONS_COUNTED, *plan.columns}), _OF_CONVERSION))
    if plan.cost_days is not None:
        selects.append(_of_rows(plan, _costs(plan), _OF_COST))
    if plan.total is not None:
        values = (f"'' AS {value}" for value in plan.values)
        selected = (*values, "1 AS is_total", *plan.partial)
        selects.append(_select(selected, f"({_partial(plan.total)}) AS e", ("e.is_total",)))
    rows = " UNION ALL ".join(selects)
    if plan.daily not in (HOUR, QUARTER) or plan.by_bucket:
        return rows
    hour = f"if(q.is_total, '', {zone_offsets.local_hour('toUInt32OrZero(q.v0)')}) AS v0"
    return _select((hour, "is_total", *plan.partial), f"({rows}) AS q")


def _of_builds(plan: Plan) -> str:
    """Counters of builds."""
    value = f"if(dimension = '{TOTAL}', '', value) AS v0", f"dimension = '{TOTAL}' AS is_total"
    only = f"(dimension = '{TOTAL}' OR value IN {{only_0:Array(String)}})" if plan.wanted is not None else ""
    named = f"(days, day, build) IN ({_listed(plan.builds)})", f"dimension IN ('{plan.daily}', '{TOTAL}')"
    selected = (*value, _of(plan.partial, _BUILT))
    return _own_rows(selected, f"{tables.table(tables.BREAKDOWN)} AS t", (*named, _chosen(plan).sql, only))


def _costs(plan: Plan) -> str:
    """A SELECT of the rows that costs come to, within the range."""
    columns = {*plan.columns, "occurred_at", "is_bot"}
    rows = traffic(plan.cost_rows, {*columns, *cost_rows.MATCHED}, cost_rows.SPAN)
    return _select(("*",), f"({cost_rows.rows(rows, plan.selection.costs.shapes, columns)})", (_AT_THE_TIME,))


def _listed(builds: Sequence[VisitBuild]) -> str:
    return ", ".join(f"({build.days}, toDate('{build.day}'), {build.number})" for build in builds)


def _of_rows(plan: Plan, rows: str, expressions: Mapping[str, str]) -> str:
    """Counters of rows with their visits, or of conversions."""
    expressions_by = (DAILY[plan.daily],) if plan.daily else map(_value, plan.by)
    values, where = dict(zip(plan.values, expressions_by, strict=True)), [_chosen(plan).sql]
    if plan.wanted is not None and plan.counts_all:
        values = {name: _limited(value, number) for number, (name, value) in enumerate(values.items())}
    elif plan.wanted is not None:
        where += [f"{value} IN {{only_{number}:Array(String)}}" for number, value in enumerate(values.values())]
    selected, groups = [f"{value} AS {name}" for name, value in values.items()], ", ".join(values)
    if plan.counts_all:
        selected, groups = [*selected, "grouping(v0) = 1 AS is_total"], f"GROUPING SETS (({groups}), ())"
    elif plan.by_bucket:
        selected, groups = [bucket_of(Source.VISITS.time), *selected], ", ".join(("edge", *values))
    else:
        selected = [*selected, "0 AS is_total"]
    return _select((*selected, _of(plan.partial, expressions)), f"({rows}) AS t", where, group=groups)


def _of_sales(plan: Plan) -> str:
    """Counters of conversions by a daily dimension. They add up over the values: each row is read once."""
    counters = [name for name in plan.partial if name not in _NOT_SOLD]
    value = _OF_SALES.get(plan.daily, DAILY[plan.daily])
    value = _limited(value, 0) if plan.wanted is not None else value
    each = (f"{value} AS v0", _of(counters, _OF_CONVERSION))
    rows = _own_rows(each, _CONVERSION_EVENTS, (_AT_THE_TIME, _chosen(plan).sql), group="v0")
    sums = _of(plan.partial, {**_NOT_SOLD, **{name: f"c.{name}" for name in counters}})
    return _select(("if(is_total, '', c.v0) AS v0", "is_total", sums), f"({rows}) AS c ARRAY JOIN [0, 1] AS is_total")


def _of(counters: Iterable[str], expressions: Mapping[str, str]) -> str:
    return ", ".join(f"{expressions[name]} AS {name}" for name in counters)


def _value(dimension: str) -> str:
    """The value of a dimension in a row."""
    if dimension == WEEKDAY_HOUR:
        return zone_offsets.local_hour("toUnixTimestamp(t.occurred_at)")
    return dimensions.expression(dimension)


def _limited(value: str, number: int) -> str:
    """The value, or `_OTHERS` for one that the report leaves out: it counts in the total."""
    return f"if({value} IN {{only_{number}:Array(String)}}, {value}, '{_OTHERS}')"


def _conversions(columns: Collection[str]) -> str:
    """A SELECT of `columns`: the rows of conversions."""
    return _own_rows(_cast(columns, _NO_VISIT), _CONVERSION_EVENTS, (_AT_THE_TIME,))


def _cast(columns: Collection[str], expressions: Mapping[str, str]) -> list[str]:
    return [
        f"CAST({expressions[name]} AS {_TYPES[name]}) AS {name}" if name in expressions else name
        for name in COLUMNS
        if name in columns
    ]


def _rows_of(builds: Sequence[VisitBuild]) -> str:
    listed = ", ".join(f"(toDate('{build.day}'), {build.number})" for build in builds)
    return f"(day, build) IN ({listed})"


def _found(shown: Iterable[str], columns: Collection[str], condition: str, span: str) -> str:
    """A SELECT of rows whose visits are found now."""
    return _select(shown, f"({visits(_EVENTS, condition, {*columns, 'occurred_at'})})", (_within(span),))


def _grown(day: GrownDay, shown: Sequence[str], columns: Collection[str], span: str) -> Iterator[str]:
    """SELECTs of a grown day's rows."""
    of_day = f"toDate(occurred_at) = '{day.build.day}' AND {up_to(day.until)}"
    is_newer = f"NOT {up_to(day.build.offsets)}"
    changed = _own_rows(("visitor",), _EVENTS, (of_day, "type <> 'conversion'", is_newer, "visitor <> 0"))
    build = f"day = '{day.build.day}' AND build = {day.build.number} AND visitor GLOBAL NOT IN ({changed})"
    yield _own_rows(shown, tables.table(tables.VISIT_EVENTS), (build, _within(span)))
    newer = f"(visitor GLOBAL IN ({changed}) OR visitor = 0 AND {is_newer})"
    yield _found(shown, columns, f"{_OF_WEBSITE} AND {of_day} AND {newer}", span)


def _at_the_time(span: str = "") -> str:
    start, end = instants.bound(f"{span}start"), instants.bound(f"{span}end")
    return f"occurred_at >= {start} AND occurred_at < {end}"


def _within(span: str) -> str:
    """The condition on the time of rows, with the days that it lies in."""
    start, end = instants.bound(f"{span}start"), instants.bound(f"{span}end")
    return f"{_at_the_time(span)} AND toDate(occurred_at) >= toDate({start}) AND toDate(occurred_at) <= toDate({end})"


_EVENTS: Final = live_table("events")
"""Resolving the view of that name, with all its columns, takes longer than reading a small website."""
_CONVERSION_EVENTS: Final = f"{live_table(tables.CONVERSION_EVENTS)} AS t"
_AT_THE_TIME: Final = _at_the_time()
_TYPES: Final = {**TYPES, **{column.name: column.type for column in _CONVERSION}}
_NO_CONVERSION: Final = {column.name: "0" if column.default == 0 else repr(column.default) for column in _CONVERSION}
"""The columns of conversions in rows of traffic."""
_NO_VISIT: Final = {"exit_page": "path", "visit": "0", "is_entry": "0", "is_bounce": "0", "visit_seconds": "0"}
"""The columns of visits in rows of conversions. The exit page of a conversion is the page of its click: there the
visitor left for the partner."""
_TRAFFIC_COUNTED: Final = (
    *("type", "value", "occurred_at", "visitor", "is_bot", "visit", "is_entry", "is_bounce", "visit_seconds"),
)
_CONVERSIONS_COUNTED: Final = (
    *("visitor", "is_bot"),
    *(column.name for column in _CONVERSION if column.type in ("Int8", "Int64")),
)
"""The columns that the counters read of traffic, and of conversions."""
_NO_MONEY: Final = {name: f"{'toInt128' if name.startswith('c_') else 'toInt64'}(0)" for name in MONEY}
_NO_COST: Final = {COST: "toInt128(0)"}
_NOT_SOLD: Final = dict.fromkeys((*tables.COUNTERS, VISITOR_BOUND), "toInt64(0)") | _NO_COST
_BUILT: Final = {
    **{name: name for name in (*tables.COUNTERS, "visitors")},
    VISITOR_BOUND: "own_visitors",
    **_NO_MONEY,
    **_NO_COST,
}
_OF_TRAFFIC: Final = {
    **tables.ROW_COUNTERS,
    "visitors": tables.VISITOR_STATE,
    VISITOR_BOUND: "toInt64(countIf(t.visitor <> 0))",
    **_NO_MONEY,
    **_NO_COST,
}
_OF_CONVERSION: Final = {
    **_NOT_SOLD,
    "visitors": "uniqCombinedStateIf(12)(t.visitor, 0)",
    **{name: CONVERSION_SUMS[name] for name in MONEY},
}
_OF_COST: Final = {
    **_NOT_SOLD,
    "visitors": "uniqCombinedStateIf(12)(toUInt64(0), 0)",
    **_NO_MONEY,
    COST: "toInt128(sum(t.cost))",
}
"""Partial counters of each source."""
_OF_SALES: Final = {
    "event": "toString(t.event_name)",
    "coupon": "toString(t.coupon)",
    "exit_page": "toString(t.path)",
}
"""The values of daily dimensions in rows of conversions, where they are others than in traffic."""
_OTHERS: Final = "\\0"
"""No text of a row has this value: NUL is a control character."""
