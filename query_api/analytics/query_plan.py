"""A query as a value: its website, time and filters, its counters and dimensions, and its order. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Final

from infra.domain.visits import dimensions
from infra.domain.visits.builds import VisitBuild
from infra.domain.visits.dimensions import DAILY, HOUR, QUARTER, TOTAL, WEEKDAY_HOUR
from query_api.analytics.breakdown_metrics import BESIDE_TRAFFIC, COUNTERS, METRICS
from query_api.analytics.cost_shapes import NO_COSTS, CostDays, Costs
from query_api.analytics.filters import AnyFilter, DimensionFilter
from query_api.analytics.kept_events import KeptEvents
from query_api.analytics.metrics import Source
from query_api.analytics.ranges import Range
from query_api.analytics.visit_rows import NO_ROWS, DayRows, VisitRows
from schemas.http.analytics import Bots
from schemas.tracking import NO_ID, SUBS

NO_PARTNER: Final = f"toUUID('{NO_ID}')"
MANY_VALUES: Final = frozenset(
    (
        *("page", "entry_page", "exit_page", "referrer", "city", "link"),
        *("utm_source", "utm_campaign", "utm_content", "utm_term", *SUBS),
    )
)
"""Dimensions that can have thousands of values: merging the visitor states of all of them takes longer than the rest of
a report."""


@dataclass(frozen=True, slots=True)
class TrafficSelection:
    """The website, filters and bot mode of a query."""

    website_id: str
    filters: tuple[AnyFilter, ...] = ()
    bots: Bots = Bots.EXCLUDE
    visits: VisitRows | None = None
    """Set if a filter is about visits (`filters.needs_visits`), and for reports."""
    kept: KeptEvents = KeptEvents()
    """The stored single events."""
    costs: Costs = NO_COSTS
    """Those of its ranges, read for a report that shows costs."""

    @property
    def columns(self) -> set[str]:
        """The columns that its filters read."""
        return {column for one in self.filters for column in one.columns}

    @property
    def filtered(self) -> list[str]:
        """The dimensions that it is filtered by."""
        return [one.dimension if isinstance(one, DimensionFilter) else one.name for one in self.filters]

    @property
    def needs_visits(self) -> bool:
        return any(each.needs_visits for each in self.filters)

    def rows(self, range_: Range, without: Collection[date] = ()) -> DayRows:
        """Returns where its traffic is, without some whole days. Raises `Problem` 422 and 503 (`VisitRows.rows`)."""
        return self.known_visits.rows(range_.start, range_.end, without)

    @property
    def known_visits(self) -> VisitRows:
        assert self.visits is not None  # noqa: S101 - `request_for` plans them
        return self.visits

    @property
    def of_conversions(self) -> TrafficSelection:
        """The same for a call that reads rows of conversions alone: these never expire. Rows with their visits are
        those of traffic, too."""
        return self if self.needs_visits else replace(self, kept=KeptEvents())


@dataclass(frozen=True, slots=True)
class TablePlan:
    """One SELECT over one table `t`. Everything but names of counters and columns is SQL; values are in `bound`."""

    selection: TrafficSelection
    range: Range
    counters: tuple[str, ...] = ()
    """Names from `metrics.COUNTERS` and `metrics.UNIQUES`."""
    columns: tuple[str, ...] = ()
    """Further columns of `events` that the expressions read."""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    """The expressions that are selected before and after the counters."""
    by_bucket: bool = False
    """True: `edge`, the begin of each row's bucket (Unix time), is selected first."""
    where: str = ""
    group: str = ""
    having: str = ""
    order: str = ""
    limit: str = ""
    bound: Mapping[str, Any] = field(default_factory=dict)
    of_partners: bool = False
    """True: rows without a partner are excluded."""
    source: Source = Source.RAW
    rows: DayRows = NO_ROWS

    @property
    def needs(self) -> set[str]:
        """The counters and columns that the table must have, but for those of the filters."""
        return {*self.counters, *self.columns}


@dataclass(frozen=True, slots=True)
class Search:
    """`text` that a value contains, and `ids` of those whose names contain it."""

    text: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowPage:
    """Rows by a metric or a dimension's value; ties by the values. `after`: sort value and values of the row before."""

    sorted_by: str
    is_descending: bool = True
    search: Search | None = None
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """A report: counters of each value, or pair of values, of the dimensions `by`, and of everything (`is_total`)."""

    selection: TrafficSelection
    range: Range
    by: tuple[str, ...] = ()
    counters: tuple[str, ...] = COUNTERS
    only: tuple[tuple[str, ...], ...] | None = None
    """The values that it is limited to; none: all."""
    by_bucket: bool = False
    """True: a series, with counters by bucket (`edge`) and value, without those of everything."""
    page: RowPage | None = None
    """Without one, the rows are in no order."""
    limit: int | None = None
    """Maximum number of rows beside that of everything."""
    late: tuple[str, ...] = ()
    """Counters that are read for the shown rows alone."""
    daily: str = ""
    """The daily dimension whose counters are read; empty: rows are counted by the dimensions themselves."""
    builds: tuple[VisitBuild, ...] = ()
    """The builds whose counters are read."""
    rows: DayRows = NO_ROWS
    """The rows of traffic that are counted."""
    reads_sales: bool = False
    """True: rows of conversions are counted."""
    cost_days: CostDays | None = None
    """The days whose costs are counted."""
    cost_rows: DayRows = NO_ROWS
    """The rows of traffic that costs are spread over."""
    total: Plan | None = None
    """The plan that counts everything, where this one does not."""

    @property
    def is_counted_daily(self) -> bool:
        """Returns whether whole days of it are counted already."""
        has_counters = not self.by if self.by_bucket else len(self.by) == 1 and self.by[0] in (*DAILY, WEEKDAY_HOUR)
        return has_counters and not self.selection.filters

    @property
    def has_many_values(self) -> bool:
        return self.is_counted_daily and not MANY_VALUES.isdisjoint(self.by)

    @property
    def is_led_by_traffic(self) -> bool:
        """Returns whether traffic alone decides which of thousands of values come first: those without have zero."""
        if self.page is None or self.page.sorted_by not in METRICS or not self.page.is_descending:
            return False
        return self.has_many_values and not {*METRICS[self.page.sorted_by].counters} & {*BESIDE_TRAFFIC}

    @property
    def is_of_time(self) -> bool:
        """Returns whether its rows are parts of time. Their `visits` are those that begin in the part: they add up."""
        return not self.by or (WEEKDAY_HOUR in self.by and not self.by_bucket)

    @property
    def partial(self) -> tuple[str, ...]:
        """The counters of each source that its counters are added up from."""
        of_time = self.is_of_time
        return tuple(dict.fromkeys("entries" if of_time and name == "visits" else name for name in self.counters))

    @property
    def counts_all(self) -> bool:
        """Returns whether the SELECTs that count the values count everything, too."""
        return bool(self.daily or (self.selection.filters and not self.by_bucket))

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Returns the dimensions that rows are counted by."""
        return (self.daily,) if self.daily else self.by

    @property
    def values(self) -> tuple[str, ...]:
        """The names of the columns of the dimensions' values."""
        return tuple(f"v{number}" for number in range(len(self.dimensions)))

    @property
    def wanted(self) -> tuple[tuple[str, ...], ...] | None:
        """`only`, as far as rows are counted by the dimensions that it has values of."""
        return None if self.daily and self.daily not in self.by else self.only

    @property
    def columns(self) -> set[str]:
        """The columns of rows that its values, buckets and filters are about."""
        named = (name for name in self.dimensions if name not in (HOUR, QUARTER, TOTAL))
        time = {"occurred_at"} if self.by_bucket else set()
        return {*self.selection.columns, *time, *(column for name in named for column in dimensions.columns(name))}


def counts_by_edge(range_: Range, found: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Returns one row per bucket of the range, in order; empty ones where `found` (with column `edge`) has none.

    Where a zone skipped a whole day two buckets begin together; the later one, which is not empty, gets the rows.
    """
    by_edge = {int(row["edge"]): row for row in found}
    laid = [by_edge.pop(seconds(moment), {}) for moment in reversed(range_.edges[:-1])]
    return laid[::-1]


def edges_of(range_: Range) -> Mapping[str, Any]:
    """Returns the parameters of the expression of a bucket."""
    return {"edges": [seconds(moment) for moment in range_.edges[:-1]]}


def seconds(moment: datetime) -> int:
    return int(moment.timestamp())
