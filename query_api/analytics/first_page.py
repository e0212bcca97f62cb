"""The first page of a report by a dimension with thousands of values, sorted by a metric of traffic.

One statement about traffic and conversions takes as long as two of them, one after the other: ClickHouse plans it that
long. So they are read at once by two statements, and united here. A value that the traffic's page lacks but conversions
have has no traffic, or comes after the page.

Sorted by visitors, merging the visitor states of all values takes longer than the rest of the report. The visitors of
each build are stored as a number, too: added up, they are a bound (`breakdown_query.VISITOR_BOUND`). So the values are
sorted by their bounds, visitors are merged for the first of them, and the page is complete when no other value can have
more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from fastapi import Response

from query_api.analytics import breakdown_query
from query_api.analytics.breakdown_query import (
    MONEY,
    RATIOS,
    VISITOR_BOUND,
    Report,
    Sorting,
    others_of,
    total_of,
    values_of,
)
from query_api.analytics.request import AnalyticsRequest
from query_api.kernel.clickhouse_reader import Row

MAX_ROWS: Final = 101
MAX_SOLD: Final = 5_000
"""Values with conversions that are read before it is known which ones are shown."""
CANDIDATES: Final = 3
"""Values whose visitors are merged, for each row of the page."""
ERROR: Final = 0.1
"""Of an estimate: six standard deviations, each 1.04 / sqrt(2^12)."""


@dataclass(frozen=True, slots=True)
class FirstPage:
    """The row of everything, if there is one, and the first rows. `late`: counters that they lack."""

    rows: list[Row]
    late: tuple[str, ...]


def read(
    request: AnalyticsRequest,
    response: Response,
    report: Report,
    sorting: Sorting,
    search: Mapping[str, Any] | None,
    limit: int,
) -> FirstPage | None:
    """The first `limit` rows; none for another report, or if they are not among those that were read."""
    if limit > MAX_ROWS or not breakdown_query.is_led_by_traffic(report, sorting):
        return None
    money = tuple(name for name in report.counters if name in MONEY)
    traffic = replace(report, counters=tuple(name for name in report.counters if name not in (*MONEY, "visitors")))
    page = breakdown_query.query(traffic, sorting, search, (), limit)
    if sorting.name == "visitors":
        bounded = replace(traffic, counters=(*traffic.counters, VISITOR_BOUND))
        page = breakdown_query.query(bounded, _BY_BOUND, search, (), limit * CANDIDATES)
    sales = breakdown_query.query(replace(report, counters=money), Sorting(report.by[0], False), search, (), MAX_SOLD)
    found, sold = request.read(response, page, sales)
    if sorting.name == "visitors":
        visited = _most_visited(request, response, report, found, limit)
        if visited is None:
            return None
        found = visited
    late = breakdown_query.late(report, sorting)
    if len(others_of(sold)) < MAX_SOLD:
        return FirstPage(_united(report, sorting, found, sold, limit), late)
    is_settled = len(others_of(found)) == limit and found[-1]["sorted"] > 0
    return FirstPage(found, (*late, *money)) if is_settled else None


_BY_BOUND: Final = Sorting(VISITOR_BOUND, is_descending=True)


def _most_visited(
    request: AnalyticsRequest, response: Response, report: Report, found: Sequence[Row], limit: int
) -> list[Row] | None:
    """The row of everything and the first `limit` rows by visitors, of rows by bound; none if the bounds don't tell."""
    candidates = others_of(found)
    is_cut = len(candidates) == limit * CANDIDATES
    if is_cut and _may_reach(candidates[-1], candidates[limit - 1][VISITOR_BOUND]):
        return None
    only = tuple(values_of(row, report.by) for row in candidates)
    [merged] = request.read(response, breakdown_query.counted(replace(report, only=only, counters=("visitors",))))
    visitors = {values_of(row, report.by): row["visitors"] for row in others_of(merged)}
    rows = [_with_visitors(row, visitors.get(values_of(row, report.by), 0)) for row in candidates]
    rows = _first(report, rows, limit)
    if is_cut and _may_reach(candidates[-1], rows[-1]["sorted"]):
        return None
    total = total_of(found)
    return [_with_visitors(total, total_of(merged).get("visitors", 0)), *rows] if total else rows


def _may_reach(last: Row, visitors: int) -> bool:
    """Whether a value with a bound up to that of `last` may have so many visitors."""
    return bool(last[VISITOR_BOUND] * (1 + ERROR) >= visitors)


def _with_visitors(row: Row, visitors: int) -> Row:
    return {**row, "visitors": visitors, "sorted": visitors}


def _united(report: Report, sorting: Sorting, found: Sequence[Row], sold: Sequence[Row], limit: int) -> list[Row]:
    """The first rows of traffic with their conversions, and of conversions without traffic."""
    nothing = 0.0 if sorting.name in RATIOS else 0
    money = {values_of(row, report.by): {**row, "sorted": nothing} for row in others_of(sold)}
    rows = [{**money.pop(values_of(row, report.by), {}), **row} for row in others_of(found)]
    total = {**total_of(sold), **total_of(found)}
    first = _first(report, (*rows, *money.values()), limit)
    return [total, *first] if total else first


def _first(report: Report, rows: Iterable[Row], limit: int) -> list[Row]:
    return sorted(rows, key=lambda row: (-row["sorted"], values_of(row, report.by)))[:limit]
