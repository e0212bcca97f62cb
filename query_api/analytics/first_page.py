"""The first page of a report by a dimension with thousands of values, sorted by a metric of traffic.

One statement about traffic and conversions takes as long as two of them, one after the other: ClickHouse plans it that
long. So they are read at once by two statements, and united here. A value that the traffic's page lacks but conversions
have has no traffic, or comes after the page.

Sorted by visitors, merging the visitor states of all values takes longer than the rest of the report. The visitors of
each build are stored as a number, too: added up, they are a bound (`breakdown_metrics.VISITOR_BOUND`). So the values
are sorted by their bounds, visitors are merged for the first of them, and the page is complete when no other value can
have more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from fastapi import Response

from query_api.analytics import statement
from query_api.analytics.breakdown_metrics import BESIDE_TRAFFIC, METRICS, VISITOR_BOUND
from query_api.analytics.query_plan import Plan
from query_api.analytics.request import AnalyticsRequest
from query_api.analytics.rewrites import CANDIDATES, LEADING_TRAFFIC, MAX_SOLD, count_sales, rewritten
from query_api.kernel.clickhouse_reader import Row

MAX_ROWS: Final = 101
ERROR: Final = 0.1
"""Relative error of an estimate: six standard deviations, each 1.04 / sqrt(2^12)."""


@dataclass(frozen=True, slots=True)
class FirstPage:
    """The row of everything, if there is one, and the first rows. `late`: counters that they lack."""

    rows: list[Row]
    late: tuple[str, ...]


def read(request: AnalyticsRequest, response: Response, plan: Plan) -> FirstPage | None:
    """The rows of a page (after `rewrites.PAGE`); none for another report, or if they are not among those that were
    read."""
    limit, page = plan.limit or 0, plan.page
    if page is None or page.after or limit > MAX_ROWS or not plan.is_led_by_traffic:
        return None
    leading, sales = rewritten(plan, LEADING_TRAFFIC), count_sales(plan)
    leading_rows, sold = request.read(response, statement.report(leading), statement.report(sales))
    if page.sorted_by == "visitors":
        visited = _most_visited(request, response, leading, leading_rows, limit)
        if visited is None:
            return None
        leading_rows = visited
    if len(others_of(sold)) < MAX_SOLD:
        return FirstPage(_united(plan, bool(METRICS[page.sorted_by].per), leading_rows, sold, limit), plan.late)
    is_settled = len(others_of(leading_rows)) == limit and leading_rows[-1]["sorted"] > 0
    late = (*plan.late, *(name for name in plan.counters if name in BESIDE_TRAFFIC))
    return FirstPage(leading_rows, late) if is_settled else None


def values_of(row: Row, by: Sequence[str]) -> tuple[str, ...]:
    """The values of a row."""
    return tuple(row[f"v{number}"] for number in range(len(by)))


def total_of(found: Iterable[Row]) -> Row:
    """The row of everything, if there is one."""
    return next((row for row in found if row["is_total"]), {})


def others_of(found: Iterable[Row]) -> list[Row]:
    """The rows without that of everything."""
    return [row for row in found if not row["is_total"]]


def _most_visited(
    request: AnalyticsRequest, response: Response, plan: Plan, found: Sequence[Row], limit: int
) -> list[Row] | None:
    """Returns the row of everything and the first `limit` rows by visitors, of rows by bound; none if the bounds do not
    decide it."""
    candidates = others_of(found)
    is_cut = len(candidates) == limit * CANDIDATES
    if is_cut and _may_reach(candidates[-1], candidates[limit - 1][VISITOR_BOUND]):
        return None
    only = tuple(values_of(row, plan.by) for row in candidates)
    merging = replace(plan, only=only, counters=("visitors",), page=None, limit=None)
    [merged] = request.read(response, statement.report(merging))
    visitors = {values_of(row, plan.by): row["visitors"] for row in others_of(merged)}
    rows = [_with_visitors(row, visitors.get(values_of(row, plan.by), 0)) for row in candidates]
    rows = _first(plan, rows, limit)
    if is_cut and _may_reach(candidates[-1], rows[-1]["sorted"]):
        return None
    total = total_of(found)
    return [_with_visitors(total, total_of(merged).get("visitors", 0)), *rows] if total else rows


def _may_reach(last: Row, visitors: int) -> bool:
    """Returns whether a value with a bound up to that of `last` may have so many visitors."""
    return bool(last[VISITOR_BOUND] * (1 + ERROR) >= visitors)


def _with_visitors(row: Row, visitors: int) -> Row:
    return {**row, "visitors": visitors, "sorted": visitors}


def _united(plan: Plan, is_ratio: bool, found: Sequence[Row], sold: Sequence[Row], limit: int) -> list[Row]:
    """The first rows of traffic with their conversions, and of conversions without traffic."""
    nothing = 0.0 if is_ratio else 0
    money = {values_of(row, plan.by): {**row, "sorted": nothing} for row in others_of(sold)}
    rows = [{**money.pop(values_of(row, plan.by), {}), **row} for row in others_of(found)]
    total = {**total_of(sold), **total_of(found)}
    first = _first(plan, (*rows, *money.values()), limit)
    return [total, *first] if total else first


def _first(plan: Plan, rows: Iterable[Row], limit: int) -> list[Row]:
    return sorted(rows, key=lambda row: (-row["sorted"], values_of(row, plan.by)))[:limit]
