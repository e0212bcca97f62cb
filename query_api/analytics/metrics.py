"""The one definition of every figure: how it is counted in each table, and what is worked out from the counts.

Every card, series, export and insight goes through here, so no two of them can disagree.

- clicks: link redirects and click events (type `click`); page views: type `pageview`
- conversions by status and money: sums of the signed differences that conversion rows carry
- conversions in total: pending + approved; revenue: the website's commission on those, less what was reversed
- unique: distinct visitors among the clicks; visitors: distinct visitors of anything but conversions. Both are
  estimates (`uniqCombined(12)`, about 1 %), exact for small numbers, and the same from rollup and raw table
- a partner is active in a range in which it has a click or a conversion that counts
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from query_api import money
from query_api.columnar import live_table


@dataclass(frozen=True, slots=True)
class Counts:
    """What is counted; money in minor units of the website's currency."""

    clicks: int = 0
    pageviews: int = 0
    pending: int = 0
    approved: int = 0
    rejected: int = 0
    reversed: int = 0
    c_pending: int = 0
    c_approved: int = 0
    c_reversed: int = 0

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Counts:
        """From a row of a query that selected some of `counters`; the others are zero."""
        return cls(**{name: int(row[name]) for name in COUNTERS if name in row})

    @property
    def conversions(self) -> int:
        return self.pending + self.approved

    @property
    def revenue(self) -> int:
        """Minor units."""
        return self.c_pending + self.c_approved

    @property
    def conversion_rate(self) -> float:
        """Conversions per hundred clicks, two decimals."""
        return money.percent(self.conversions, self.clicks)

    def average_commission(self, currency: str) -> float:
        """Major units for each conversion, two decimals."""
        return money.per(self.revenue, self.conversions, currency)

    def epc(self, currency: str) -> float:
        """Earnings per click, major units, two decimals."""
        return money.per(self.revenue, self.clicks, currency)


COUNTERS: Final[Mapping[str, str]] = {
    "clicks": "countIf(t.type = 'click')",
    "pageviews": "countIf(t.type = 'pageview')",
    "pending": "sum(t.d_pending)",
    "approved": "sum(t.d_approved)",
    "rejected": "sum(t.d_rejected)",
    "reversed": "sum(t.d_reversed)",
    "c_pending": "sum(t.c_pending)",
    "c_approved": "sum(t.c_approved)",
    "c_reversed": "sum(t.c_reversed)",
}
"""Each counter and how the raw table (as `t`) counts it; in every rollup it is the sum of the column of that name."""

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

    @property
    def table(self) -> str:
        """What to write behind FROM."""
        return live_table(self)

    @property
    def time(self) -> str:
        """The column that ranges and buckets are cut by."""
        return "occurred_at" if self is Source.RAW else "bucket"


def counters(source: Source, names: tuple[str, ...] = tuple(COUNTERS)) -> str:
    """The select list that counts `names` in `source` (as `t`)."""
    if source is Source.RAW:
        return ", ".join(f"{COUNTERS[name]} AS {name}" for name in names)
    return ", ".join(f"sum(t.{name}) AS {name}" for name in names)


def unique_clickers(source: Source) -> str:
    """The select item `unique_clickers`."""
    if source is Source.RAW:
        return "uniqCombinedIf(12)(t.visitor, t.type = 'click' AND t.visitor <> 0) AS unique_clickers"
    return "uniqCombinedMerge(12)(t.clickers) AS unique_clickers"


def uniques(source: Source) -> str:
    """The select list of `unique_clickers` and `unique_visitors`; reading the states is most of the work."""
    if source is Source.RAW:
        visitors = "uniqCombinedIf(12)(t.visitor, t.type <> 'conversion' AND t.visitor <> 0) AS unique_visitors"
    else:
        visitors = "uniqCombinedMerge(12)(t.visitors) AS unique_visitors"
    return f"{unique_clickers(source)}, {visitors}"
