"""Counts events per bucket of a range and in the whole of it: the statements that several calls share.

`overview`, `clicks` and `conversions` are cut from the same rows, so a total cannot differ from its series, and a
dashboard that requests all of them at once runs each statement once (`query_api.kernel.query_coalescing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from query_api.analytics import metrics, statement
from query_api.analytics.metrics import COUNTERS, UNIQUES, Source
from query_api.analytics.query_plan import TablePlan, TrafficSelection, counts_by_edge
from query_api.analytics.ranges import Range
from query_api.analytics.rewrites import ROLLUPS, choose_table
from query_api.kernel.clickhouse_reader import Query, Row
from query_api.kernel.visitor_cache import CLICKERS, OF_PAST, VISITORS, WHOLE, CachedVisitorQuery


def queries(selection: TrafficSelection, range_: Range) -> list[Query]:
    """Statements for every counter and both kinds of unique visitors."""
    counting, seeing = _by_bucket(selection, range_, tuple(COUNTERS)), _by_bucket(selection, range_, UNIQUES)
    if choose_table(counting).source is choose_table(seeing).source:
        return [statement.table(replace(counting, counters=(*COUNTERS, *UNIQUES)))]
    return [statement.table(counting), visitors(selection, range_)]


def visitors(selection: TrafficSelection, range_: Range) -> Query:
    """Returns the query of both kinds of unique visitors."""
    seeing = _by_bucket(selection, range_, UNIQUES)
    whole = statement.table(seeing)
    if choose_table(seeing).source is not Source.VISITORS:
        return whole
    if len(range_.edges) == 2:
        return CachedVisitorQuery(whole.sql, whole.parameters, *past_and_parts(selection, range_))
    past, last = replace(range_, edges=range_.edges[:-1]), replace(range_, edges=range_.edges[-2:])
    return CachedVisitorQuery(
        whole.sql, whole.parameters, *past_and_parts(selection, past), _with_states(selection, last)
    )


def past_and_parts(selection: TrafficSelection, range_: Range) -> tuple[Query, Query]:
    """`past` and `parts` of a `CachedVisitorQuery` over buckets that are all past."""
    merged = (f"uniqCombinedMergeState(12)(t.{name}) AS {of}" for of, name in _STATES.items())
    merged_states = (*merged, "groupUniqArray(t._part) AS p")
    states = statement.table(_of_states(selection, range_, merged_states, by_bucket=True, group=_BY_BUCKET))
    selected = (
        *("edge", "finalizeAggregation(c) AS unique_clickers", "finalizeAggregation(v) AS unique_visitors"),
        *(f"if(edge = {WHOLE}, hex(CAST({of}, 'String')), '') AS {name}" for of, name in _STATES.items()),
        *(f"if(edge = {WHOLE}, arraySort(p), []) AS parts", _SERVER_TIME),
    )
    past = statement.over(states, "", *selected)
    parts = _of_states(selection, range_, ("arraySort(groupUniqArray(t._part)) AS parts", _SERVER_TIME))
    return past, statement.table(parts)


def counted(selection: TrafficSelection, range_: Range, names: tuple[str, ...]) -> Query:
    """Returns one statement for at least the counters `names`; the same as one of `queries` where the same table
    answers."""
    source = choose_table(TablePlan(selection, range_, names)).source
    if source is choose_table(TablePlan(selection, range_, tuple(COUNTERS))).source:
        return queries(selection, range_)[0]
    return statement.table(_by_bucket(selection, range_, tuple(name for name in COUNTERS if name in ROLLUPS[source])))


def whole(*found: Sequence[Row]) -> Mapping[str, Any]:
    """The row of the whole range, from the rows of each statement; empty when there was nothing."""
    return _by_edge(found).get(WHOLE, {})


def buckets(range_: Range, *found: Sequence[Row]) -> list[Mapping[str, Any]]:
    """Returns one row per bucket of the range, in order; an empty mapping for a bucket without events."""
    by_edge = _by_edge(found)
    by_edge.pop(WHOLE, None)
    return counts_by_edge(range_, list(by_edge.values()))


def _by_bucket(selection: TrafficSelection, range_: Range, names: tuple[str, ...]) -> TablePlan:
    return TablePlan(selection, range_, names, by_bucket=True, group=_BY_BUCKET)


def _of_states(
    selection: TrafficSelection, range_: Range, shown: tuple[str, ...], *, by_bucket: bool = False, group: str = ""
) -> TablePlan:
    """Returns a plan over the states of visitors."""
    return TablePlan(selection, range_, columns=UNIQUES, before=shown, by_bucket=by_bucket, group=group)


_BY_BUCKET = "edge WITH ROLLUP"
_STATES = {"c": "clickers", "v": "visitors"}
_SERVER_TIME = "toUnixTimestamp(now()) AS at, uptime() AS up"


def _with_states(selection: TrafficSelection, range_: Range) -> Query:
    """`last` of a `CachedVisitorQuery`."""
    of_past = ", ".join(
        f"CAST(unhex({state}), 'AggregateFunction(uniqCombined(12), UInt64)')" for state in (CLICKERS, VISITORS)
    )
    states = _of_states(selection, range_, ("t.clickers AS clickers, t.visitors AS visitors",), by_bucket=True)
    rows = statement.union(statement.table(states), Query(f"SELECT toUInt32({OF_PAST}), {of_past}", {}))
    return statement.over(rows, "t", "edge", metrics.counters(Source.VISITORS, UNIQUES), group=_BY_BUCKET)


def _by_edge(found: Sequence[Sequence[Row]]) -> dict[int, dict[str, Any]]:
    """The statements' rows side by side: each brings columns of its own."""
    by_edge: dict[int, dict[str, Any]] = {}
    for rows_of_one in found:
        for row in rows_of_one:
            by_edge.setdefault(int(row["edge"]), {}).update(row)
    return by_edge
