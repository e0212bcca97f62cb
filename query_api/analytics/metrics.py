"""Defines every metric: how it is counted in each table, and what is derived from the counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from query_api.kernel import money
from query_api.kernel.clickhouse_reader import live_table
from schemas import figures, instants
from schemas.figures import COUNTERS as COUNTERS


@dataclass(frozen=True, slots=True)
class MetricCounts(figures.Counts):
    """Counts and derived metrics; money in minor units of the website's currency."""

    @property
    def conversion_rate(self) -> float:
        """Conversions per hundred clicks, two decimals."""
        return money.percent(self.conversions, self.clicks)

    def average_commission(self, currency: str) -> Decimal:
        """Major units for each conversion, with the decimals of `money.per`."""
        return money.per(self.revenue, self.conversions, currency)

    def epc(self, currency: str) -> Decimal:
        """Earnings per click, major units, with the decimals of `money.per`."""
        return money.per(self.revenue, self.clicks, currency)


CONVERSION_COUNTERS: Final = tuple(name for name in COUNTERS if name not in ("clicks", "pageviews"))
PERFORMANCE_COUNTERS: Final = ("clicks", "pending", "approved", "c_pending", "c_approved")


def is_active(table: str = "") -> str:
    """Over the sums of one partner, country or the like (of the named sub-select): whether it did what counts."""
    at = f"{table}." if table else ""
    return f"{at}clicks > 0 OR {at}pending + {at}approved > 0"


class Source(StrEnum):
    """The tables that can answer, by their stable names."""

    TRAFFIC = "traffic_15m"
    PARTNER = "partner_15m"
    COUNTRY = "country_15m"
    VISITORS = "visitors_15m"
    RAW = "events"
    VISITS = "visits"
    """Rows with their visits (`query_api.analytics.visit_rows`), with the columns of `events`."""

    @property
    def has_rows(self) -> bool:
        """Returns whether the source holds events, not sums."""
        return self in (Source.RAW, Source.VISITS)

    @property
    def table(self) -> str:
        """Returns the text to write behind FROM."""
        return live_table(self)

    @property
    def time(self) -> str:
        """The column that ranges and buckets are cut by."""
        return "occurred_at" if self.has_rows else "bucket"

    def instant(self, name: str) -> str:
        """The instant bound to `name` (Unix seconds), to compare `time` with."""
        return instants.bound(name) if self.has_rows else instants.bound_second(name)


UNIQUES: Final = ("unique_clickers", "unique_visitors")
"""Distinct visitors; reading their states is most of the work."""


def counters(source: Source, names: Iterable[str] = tuple(COUNTERS)) -> str:
    """The select list that counts `names`, of `COUNTERS` and `UNIQUES`, in `source` (as `t`)."""
    return ", ".join(f"{_counted(source, name)} AS {name}" for name in names)


def _counted(source: Source, name: str) -> str:
    if name in COUNTERS:
        return COUNTERS[name] if source.has_rows else figures.in_rollup(name)
    if not source.has_rows:
        return f"uniqCombinedMerge(12)(t.{name.removeprefix('unique_')})"
    kind = "t.type = 'click'" if name == "unique_clickers" else "t.type <> 'conversion'"
    return f"uniqCombinedIf(12)(t.visitor, {kind} AND t.visitor <> 0)"
