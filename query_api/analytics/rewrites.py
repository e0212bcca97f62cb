"""Rewrites a query before it is written as SQL: each function has one rule, from plan to plan. Pure.

`TABLE` and `SOURCES` are the rules that every statement follows, in this order. The others are for the pages of a
report, which `breakdown` and `first_page` read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce
from typing import Final, TypeVar

from infra.domain.visits.dimensions import HOUR, QUARTER, TOTAL
from query_api.analytics import zone_offsets
from query_api.analytics.breakdown_metrics import BESIDE_TRAFFIC, COST, METRICS, MONEY, VISITOR_BOUND
from query_api.analytics.filters import ValueFilter
from query_api.analytics.metrics import CONVERSION_COUNTERS, COUNTERS, UNIQUES, Source
from query_api.analytics.query_plan import Plan, RowPage, TablePlan, TrafficSelection, edges_of
from query_api.analytics.visit_rows import days_of
from schemas.tracking import NO_ID

P = TypeVar("P", Plan, TablePlan)

CANDIDATES: Final = 3
"""Values whose visitors are merged, for each row of a page by visitors."""
MAX_SOLD: Final = 5_000
"""Values with conversions that are read before it is known which ones are shown."""
ROLLUPS: Final = {
    Source.TRAFFIC: {*COUNTERS},
    Source.PARTNER: {*COUNTERS, "partner_id"} - {"pageviews"},
    Source.COUNTRY: {*COUNTERS, "country"},
    Source.VISITORS: {*UNIQUES},
}
"""The counters and columns of each rollup, cheapest first; all have `is_bot`. The tables of rows have everything."""


def rewritten(plan: P, rewrites: Iterable[Callable[[P], P]]) -> P:
    """The plan after each of them."""
    return reduce(lambda found, rewrite: rewrite(found), rewrites, plan)


def choose_table(plan: TablePlan) -> TablePlan:
    """The first rollup that has all that is needed and the filters read; else rows, with their visits if the filters
    are about those."""
    if plan.selection.needs_visits:
        return replace(plan, source=Source.VISITS)
    read = plan.needs | plan.selection.columns
    has_partners = plan.of_partners or _names_partners(plan.selection)
    rollups = (each for each, has in ROLLUPS.items() if read <= has and (each is not Source.PARTNER or has_partners))
    return replace(plan, source=next(rollups, Source.RAW))


def _names_partners(selection: TrafficSelection) -> bool:
    """Returns whether the filters exclude everything that has no partner: the rollup of partners has no rows of
    that."""
    return any(
        isinstance(each, ValueFilter) and each.name == "partner" and each.wanted and str(NO_ID) not in each.wanted
        for each in selection.filters
    )


def find_rows(plan: TablePlan) -> TablePlan:
    """Single events are read where they are. Raises `Problem` 422 where some that may be needed have expired; those of
    conversions never do."""
    if plan.source is Source.VISITS:
        return replace(plan, rows=plan.selection.rows(plan.range))
    if plan.source is Source.RAW and not plan.needs <= {*CONVERSION_COUNTERS}:
        plan.selection.kept.require(plan.range.start)
    return plan


def read_daily_counters(plan: Plan) -> Plan:
    """Reads one dimension from counters by day, if there are no filters."""
    return replace(plan, daily=plan.by[0]) if plan.is_counted_daily and plan.by and not plan.is_of_time else plan


def read_hours(plan: Plan) -> Plan:
    """Parts of time are read from counters by hour, or by quarter of an hour if the zone or a bucket needs it."""
    if not plan.is_counted_daily or not plan.is_of_time:
        return plan
    changes = zone_offsets.offsets(plan.range.timezone, plan.range.start, plan.range.end)
    moments = (*(offset for _, offset in changes), *edges_of(plan.range)["edges"])
    return replace(plan, daily=QUARTER if any(each % 3600 for each in moments) else HOUR)


def read_total_of_days(plan: Plan) -> Plan:
    """Reads everything from counters by day, if there are no filters: to count what is distinct among all rows takes as
    long as counting it by value."""
    if plan.daily or plan.by_bucket or plan.selection.filters:
        return plan
    return replace(plan, total=rewritten(replace(plan, daily=TOTAL), (read_builds, read_rows, read_sales, read_costs)))


def read_builds(plan: Plan) -> Plan:
    """Counters by day are those of the builds that lie in the range."""
    if not plan.daily or not _counts_traffic(plan):
        return plan
    return replace(plan, builds=tuple(plan.selection.known_visits.whole(plan.range.start, plan.range.end)))


def read_rows(plan: Plan) -> Plan:
    """The rows of all other days are counted. Raises `Problem` 422 and 503 (`VisitRows.rows`)."""
    if not _counts_traffic(plan):
        return plan
    counted = {day for build in plan.builds for day in build.covered}
    return replace(plan, rows=plan.selection.rows(plan.range, counted))


def read_sales(plan: Plan) -> Plan:
    """Conversions are counted for their counters, or where there is nothing else."""
    is_needed = bool({*plan.partial} & {*MONEY}) or not (plan.builds or plan.rows)
    return replace(plan, reads_sales=is_needed)


def read_costs(plan: Plan) -> Plan:
    """Costs are spread over the rows of whole local days; days whose events have expired have none. Raises `Problem`
    503 (`VisitRows.rows`)."""
    days = plan.selection.costs.days_in(plan.range)
    if COST not in plan.partial or days is None:
        return plan
    expired = [day for day in days_of(days.start, days.end) if not plan.selection.kept.has(day)]
    rows = plan.selection.known_visits.rows(days.start, days.end, expired)
    return replace(plan, cost_days=days, cost_rows=rows)


def _counts_traffic(plan: Plan) -> bool:
    return not {*plan.partial} <= {*BESIDE_TRAFFIC}


TABLE: Final = (choose_table, find_rows)
SOURCES: Final = (read_daily_counters, read_hours, read_total_of_days, read_builds, read_rows, read_sales, read_costs)


def look_ahead(plan: Plan) -> Plan:
    """Reads one row more than the page displays: it shows whether another page follows."""
    return replace(plan, limit=(plan.limit or 0) + 1)


def defer_counters(plan: Plan) -> Plan:
    """Counts distinct visitors and visits for the displayed rows alone, unless they are sorted by them: among all
    values it takes longer than the rest of a report. With filters, the row of everything needs it anyway."""
    slow: set[str] = set()
    if plan.is_counted_daily:
        slow = {"visitors"} if plan.has_many_values else set()
    elif not plan.selection.filters:
        slow = {"visitors"} if plan.is_of_time else {"visitors", "visits"}
    if plan.page is not None and plan.page.sorted_by in METRICS:
        slow -= {*METRICS[plan.page.sorted_by].counters}
    late = tuple(name for name in plan.counters if name in slow)
    return replace(plan, counters=tuple(name for name in plan.counters if name not in late), late=late)


PAGE: Final = (look_ahead, defer_counters)


def count_traffic(plan: Plan) -> Plan:
    """Traffic alone, without visitors."""
    return replace(plan, counters=tuple(name for name in plan.counters if name not in (*BESIDE_TRAFFIC, "visitors")))


def sort_by_bound(plan: Plan) -> Plan:
    """Sorts by the sum of the visitors of each build in place of visitors, with more candidates; the sum is at least as
    much."""
    if plan.page is None or plan.page.sorted_by != "visitors":
        return plan
    page, limit = replace(plan.page, sorted_by=VISITOR_BOUND), (plan.limit or 0) * CANDIDATES
    return replace(plan, counters=(*plan.counters, VISITOR_BOUND), page=page, limit=limit)


def count_sales(plan: Plan) -> Plan:
    """Conversions and costs alone, of many values."""
    page = RowPage(plan.by[0], is_descending=False, search=plan.page.search if plan.page else None)
    return replace(
        plan, counters=tuple(name for name in plan.counters if name in BESIDE_TRAFFIC), page=page, limit=MAX_SOLD
    )


LEADING_TRAFFIC: Final = (count_traffic, sort_by_bound)
