"""What happened per bucket of a range and in the whole of it: the statements that several calls share.

`overview`, `clicks` and `conversions` are cut from the same rows, so a total cannot differ from its series, and a
dashboard that requests all of them at once runs each statement once (`query_api.kernel.query_coalescing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from query_api.analytics import metrics
from query_api.analytics.metrics import COUNTERS, Source
from query_api.analytics.query_plan import (
    NOT_IN_PARTNER_ROLLUP,
    Selection,
    counts_by_edge,
    edge,
    edges_of,
    rows,
    source_of,
)
from query_api.analytics.ranges import Range
from query_api.kernel.clickhouse_reader import Query, Row


def queries(selection: Selection, range_: Range) -> list[Query]:
    """Statements for every counter and both kinds of unique visitors."""
    counting, seeing = source_of(selection, Source.TRAFFIC, tuple(COUNTERS)), source_of(selection, Source.VISITORS)
    if counting is seeing:
        return [_query(counting, selection, range_, f"{metrics.counters(counting)}, {metrics.uniques(seeing)}")]
    return [
        _query(counting, selection, range_, metrics.counters(counting)),
        _query(seeing, selection, range_, metrics.uniques(seeing)),
    ]


def counted(selection: Selection, range_: Range, names: tuple[str, ...]) -> Query:
    """One statement for at least the counters `names`; the same as one of `queries` where the same table answers."""
    source = source_of(selection, Source.TRAFFIC, names)
    if source is source_of(selection, Source.TRAFFIC, tuple(COUNTERS)):
        return queries(selection, range_)[0]
    known = tuple(name for name in COUNTERS if name not in NOT_IN_PARTNER_ROLLUP)
    return _query(source, selection, range_, metrics.counters(source, known))


def whole(*found: Sequence[Row]) -> Mapping[str, Any]:
    """The row of the whole range, from the rows of each statement; empty when there was nothing."""
    return _by_edge(found).get(_WHOLE, {})


def buckets(range_: Range, *found: Sequence[Row]) -> list[Mapping[str, Any]]:
    """One row per bucket of the range, in order; an empty mapping where there was nothing."""
    by_edge = _by_edge(found)
    by_edge.pop(_WHOLE, None)
    return counts_by_edge(range_, list(by_edge.values()))


_WHOLE = 0
"""`edge` in the row that WITH ROLLUP adds: no range reaches back to 1970-01-01."""


def _query(source: Source, selection: Selection, range_: Range, selected: str) -> Query:
    chosen = rows(source, selection, range_.start, range_.end)
    sql = f"SELECT {edge(source)} AS edge, {selected} {chosen.sql} GROUP BY edge WITH ROLLUP"
    return Query(sql, {**chosen.parameters, **edges_of(range_)})


def _by_edge(found: Sequence[Sequence[Row]]) -> dict[int, dict[str, Any]]:
    """The statements' rows side by side: each brings columns of its own."""
    by_edge: dict[int, dict[str, Any]] = {}
    for rows_of_one in found:
        for row in rows_of_one:
            by_edge.setdefault(int(row["edge"]), {}).update(row)
    return by_edge
