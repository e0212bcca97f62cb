"""What happened per bucket of a range and in the whole of it: the statements that several calls share.

`overview`, `clicks` and `conversions` are cut from the same rows, so a total cannot differ from its series, and a
dashboard that requests all of them at once runs each statement once (`query_api.kernel.query_coalescing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from query_api.analytics import metrics
from query_api.analytics.metrics import COUNTERS, Source
from query_api.analytics.query_plan import (
    ROLLUPS,
    UNIQUES,
    Plan,
    Selection,
    counts_by_edge,
    edge,
    edges_of,
    plan,
)
from query_api.analytics.ranges import Range
from query_api.kernel.clickhouse_reader import Query, Row
from query_api.kernel.visitor_cache import CLICKERS, OF_PAST, VISITORS, WHOLE, VisitorQuery


def queries(selection: Selection, range_: Range) -> list[Query]:
    """Statements for every counter and both kinds of unique visitors."""
    counting, seeing = plan(selection, COUNTERS), plan(selection, UNIQUES)
    if counting.source is seeing.source:
        both = plan(selection, (*COUNTERS, *UNIQUES))
        return [_query(both, range_, f"{both.counters(COUNTERS)}, {both.uniques()}")]
    return [_query(counting, range_, counting.counters(COUNTERS)), visitors(selection, range_)]


def visitors(selection: Selection, range_: Range) -> Query:
    """Both kinds of unique visitors."""
    seeing = plan(selection, UNIQUES)
    whole = _query(seeing, range_, seeing.uniques())
    if seeing.source is not Source.VISITORS:
        return whole
    if len(range_.edges) == 2:
        return VisitorQuery(whole.sql, whole.parameters, *past_and_parts(selection, range_))
    past, last = replace(range_, edges=range_.edges[:-1]), replace(range_, edges=range_.edges[-2:])
    return VisitorQuery(whole.sql, whole.parameters, *past_and_parts(selection, past), _with_states(selection, last))


def past_and_parts(selection: Selection, range_: Range) -> tuple[Query, Query]:
    """`past` and `parts` of a `VisitorQuery` over buckets that are all past."""
    chosen = plan(selection, UNIQUES).rows(range_.start, range_.end)
    states = (
        f"SELECT {edge(Source.VISITORS)} AS edge, uniqCombinedMergeState(12)(t.clickers) AS c,"
        f" uniqCombinedMergeState(12)(t.visitors) AS v, groupUniqArray(t._part) AS p {chosen.sql}"
        " GROUP BY edge WITH ROLLUP"
    )
    past = (
        "SELECT edge, finalizeAggregation(c) AS unique_clickers, finalizeAggregation(v) AS unique_visitors,"  # noqa: S608 - own text
        f" if(edge = {WHOLE}, hex(CAST(c, 'String')), '') AS clickers,"
        f" if(edge = {WHOLE}, hex(CAST(v, 'String')), '') AS visitors,"
        f" if(edge = {WHOLE}, arraySort(p), []) AS parts, {_SERVER_TIME} FROM ({states})"
    )
    parts = f"SELECT arraySort(groupUniqArray(t._part)) AS parts, {_SERVER_TIME} {chosen.sql}"
    return Query(past, {**chosen.parameters, **edges_of(range_)}), Query(parts, chosen.parameters)


def counted(selection: Selection, range_: Range, names: tuple[str, ...]) -> Query:
    """One statement for at least the counters `names`; the same as one of `queries` where the same table answers."""
    source = plan(selection, names).source
    if source is plan(selection, COUNTERS).source:
        return queries(selection, range_)[0]
    known = [name for name in COUNTERS if name in ROLLUPS[source]]
    counting = plan(selection, known)
    return _query(counting, range_, counting.counters(known))


def whole(*found: Sequence[Row]) -> Mapping[str, Any]:
    """The row of the whole range, from the rows of each statement; empty when there was nothing."""
    return _by_edge(found).get(WHOLE, {})


def buckets(range_: Range, *found: Sequence[Row]) -> list[Mapping[str, Any]]:
    """One row per bucket of the range, in order; an empty mapping where there was nothing."""
    by_edge = _by_edge(found)
    by_edge.pop(WHOLE, None)
    return counts_by_edge(range_, list(by_edge.values()))


def _query(chosen_by: Plan, range_: Range, selected: str) -> Query:
    chosen = chosen_by.rows(range_.start, range_.end)
    sql = f"SELECT {edge(chosen_by.source)} AS edge, {selected} {chosen.sql} GROUP BY edge WITH ROLLUP"
    return Query(sql, {**chosen.parameters, **edges_of(range_)})


_SERVER_TIME = "toUnixTimestamp(now()) AS at, uptime() AS up"


def _with_states(selection: Selection, range_: Range) -> Query:
    """`last` of a `VisitorQuery`."""
    chosen = plan(selection, UNIQUES).rows(range_.start, range_.end)
    of_past = ", ".join(
        f"CAST(unhex({state}), 'AggregateFunction(uniqCombined(12), UInt64)')" for state in (CLICKERS, VISITORS)
    )
    sql = (
        f"SELECT edge, {metrics.uniques(Source.VISITORS)} FROM (SELECT {edge(Source.VISITORS)} AS edge, t.clickers AS"  # noqa: S608 - own text
        f" clickers, t.visitors AS visitors {chosen.sql} UNION ALL SELECT toUInt32({OF_PAST}), {of_past}) AS t"
        " GROUP BY edge WITH ROLLUP"
    )
    return Query(sql, {**chosen.parameters, **edges_of(range_)})


def _by_edge(found: Sequence[Sequence[Row]]) -> dict[int, dict[str, Any]]:
    """The statements' rows side by side: each brings columns of its own."""
    by_edge: dict[int, dict[str, Any]] = {}
    for rows_of_one in found:
        for row in rows_of_one:
            by_edge.setdefault(int(row["edge"]), {}).update(row)
    return by_edge
