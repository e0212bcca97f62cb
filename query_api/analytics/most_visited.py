"""The first page of a report by visitors, of a dimension with thousands of values.

Merging the visitor states of all values takes longer than the rest of the report. The visitors of each build are
stored as a number, too: added up, they are a bound (`breakdown_query.VISITOR_BOUND`). So the values are sorted by their
bounds, visitors are merged for the first of them, and the page is complete when no other value can have more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from fastapi import Response

from query_api.analytics import breakdown_query
from query_api.analytics.breakdown_query import VISITOR_BOUND, Report, Sorting, others_of, total_of, values_of
from query_api.analytics.request import AnalyticsRequest
from query_api.kernel.clickhouse_reader import Row

MAX_ROWS: Final = 101
CANDIDATES: Final = 3
"""Values whose visitors are merged, for each row of the page."""
ERROR: Final = 0.1
"""Of an estimate: six standard deviations, each 1.04 / sqrt(2^12)."""


def first_page(
    request: AnalyticsRequest,
    response: Response,
    report: Report,
    sorting: Sorting,
    search: Mapping[str, Any] | None,
    limit: int,
) -> list[Row] | None:
    """The row of everything and the first `limit` rows; none for another report, or if the bounds don't tell."""
    if limit > MAX_ROWS or not breakdown_query.has_bound(report, sorting):
        return None
    counters = (*(name for name in report.counters if name != "visitors"), VISITOR_BOUND)
    by_bound = Sorting(VISITOR_BOUND, is_descending=True)
    page = breakdown_query.query(replace(report, counters=counters), by_bound, search, (), limit * CANDIDATES)
    [found] = request.read(response, page)
    candidates = others_of(found)
    is_cut = len(candidates) == limit * CANDIDATES
    if is_cut and _may_reach(candidates[-1], candidates[limit - 1][VISITOR_BOUND]):
        return None
    only = tuple(values_of(row, report.by) for row in candidates)
    [merged] = request.read(response, breakdown_query.counted(replace(report, only=only, counters=("visitors",))))
    visitors = {values_of(row, report.by): row["visitors"] for row in others_of(merged)}
    rows = [_with(row, visitors.get(values_of(row, report.by), 0)) for row in candidates]
    rows = sorted(rows, key=lambda row: (-row["sorted"], values_of(row, report.by)))[:limit]
    if is_cut and _may_reach(candidates[-1], rows[-1]["sorted"]):
        return None
    total = total_of(found)
    return [_with(total, total_of(merged).get("visitors", 0)), *rows] if total else rows


def _may_reach(last: Row, visitors: int) -> bool:
    """Whether a value with a bound up to that of `last` may have so many visitors."""
    return bool(last[VISITOR_BOUND] * (1 + ERROR) >= visitors)


def _with(row: Row, visitors: int) -> Row:
    return {**row, "visitors": visitors, "sorted": visitors}
