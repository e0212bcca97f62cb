"""The metrics of reports: the counters that each is made of, how a statement sorts by it, and its displayed value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from pydantic import Field

from infra.domain.visits import tables
from query_api.kernel import money
from query_api.kernel.money import Major
from schemas.http.responses import ResponseModel

MONEY: Final = ("pending", "approved", "rejected", "reversed", "c_pending", "c_approved", "c_reversed")
"""The counters of conversions."""
COST: Final = "cost"
"""The counter of what was spent on traffic."""
BESIDE_TRAFFIC: Final = (*MONEY, COST)
"""The counters that no row of traffic has."""
COUNTERS: Final = (*tables.COUNTERS, "visitors", *BESIDE_TRAFFIC)
VISITOR_BOUND: Final = "visitor_bound"
"""A counter that is at least `visitors`, but for the error of the estimates: the visitors of each build, added up."""


@dataclass(frozen=True, slots=True)
class Metric:
    """The sum of the counters `of`, `less` others; with `per`, its ratio to the sum of those, `times` as much."""

    of: tuple[str, ...]
    per: tuple[str, ...] = ()
    less: tuple[str, ...] = ()
    times: int = 1
    is_money: bool = False
    is_percent: bool = False
    is_nullable: bool = False
    """True: without anything to divide by there is no value; else it is zero."""

    @property
    def counters(self) -> tuple[str, ...]:
        return (*self.of, *self.less, *self.per)

    @property
    def sql(self) -> str:
        """Returns the expression to sort by, over the counters."""
        total = " - ".join((" + ".join(self.of), *self.less))
        if not self.per:
            return total
        part = f"toFloat64({total})" if self.is_money else f"({total})" if len(self.of) > 1 else total
        whole = f"({' + '.join(self.per)})" if len(self.per) > 1 else self.per[0]
        return f"if({whole} = 0, 0, {part} / {whole})"

    def figure(self, row: Mapping[str, Any], currency: str) -> Any:
        """Returns the value displayed for a row of counters, exact; counters that it lacks are zero."""
        total = self.times * (_sum(row, self.of) - _sum(row, self.less))
        if not self.per:
            return money.major(total, currency) if self.is_money else total
        whole = _sum(row, self.per)
        if self.is_nullable and not whole:
            return None
        if self.is_money:
            return money.per(total, whole, currency)
        if self.is_percent:
            return money.percent(total, whole)
        return round(total / whole, 2) if whole else 0.0


def _sum(row: Mapping[str, Any], counters: Iterable[str]) -> int:
    return sum(int(row.get(name, 0)) for name in counters)


_REVENUE: Final = ("c_pending", "c_approved")
_SOLD: Final = ("pending", "approved")
METRICS: Final[Mapping[str, Metric]] = {
    **{name: Metric((name,)) for name in ("visitors", "visits", "pageviews", "clicks", "impressions", "events")},
    "conversions": Metric(_SOLD),
    **{name: Metric((name,)) for name in ("pending", "approved", "rejected", "reversed")},
    "revenue": Metric(_REVENUE, is_money=True),
    "views_per_visit": Metric(("pageviews",), per=("visits",)),
    "bounce_rate": Metric(("bounces",), per=("entries",), is_percent=True),
    "visit_duration": Metric(("seconds",), per=("entries",)),
    "click_through_rate": Metric(("clicks",), per=("pageviews",), is_percent=True),
    "click_rate": Metric(("clicks",), per=("impressions",), is_percent=True),
    "conversion_rate": Metric(_SOLD, per=("clicks",), is_percent=True),
    "epc": Metric(_REVENUE, per=("clicks",), is_money=True),
    "revenue_per_1000_visits": Metric(_REVENUE, per=("visits",), times=1000, is_money=True),
    "cost": Metric((COST,), is_money=True),
    "profit": Metric(_REVENUE, less=(COST,), is_money=True),
    "roi": Metric(_REVENUE, less=(COST,), per=(COST,), is_percent=True, is_nullable=True),
    "roas": Metric(_REVENUE, per=(COST,), is_nullable=True),
    "cost_per_click": Metric((COST,), per=("clicks",), is_money=True, is_nullable=True),
    "cost_per_conversion": Metric((COST,), per=_SOLD, is_money=True, is_nullable=True),
    "break_even_epc": Metric((COST,), per=("clicks",), is_money=True, is_nullable=True),
}
SHOWN: Final = ("events", "pending", "approved", "rejected", "reversed", "revenue", "cost")
"""A row is shown if one of them is not zero."""


class ReportMetrics(ResponseModel, alias_generator=None):
    """Metrics of one row; those that were not requested are missing. Money in major units."""

    visitors: int = Field(default=0, description="Distinct visitors")
    visits: int = Field(default=0, description="Distinct visits with an event here; by time: visits that began")
    pageviews: int = 0
    clicks: int = 0
    impressions: int = Field(default=0, description="Affiliate links in view, where sampled: times the sampling")
    events: int = Field(default=0, description="Clicks, page views and custom events")
    conversions: int = Field(default=0, description="Pending and approved")
    pending: int = 0
    approved: int = 0
    rejected: int = 0
    reversed: int = 0
    revenue: Major = Field(default=Decimal(0), description="Commission on pending and approved conversions")
    views_per_visit: float = 0
    bounce_rate: float = Field(default=0, description="Of the visits that began here: percent with one page view only")
    visit_duration: float = Field(default=0, description="Of the visits that began here: seconds on average")
    click_through_rate: float = Field(default=0, description="Clicks per hundred page views")
    click_rate: float = Field(default=0, description="Clicks per hundred impressions")
    conversion_rate: float = Field(default=0, description="Conversions per hundred clicks")
    epc: Major = Field(default=Decimal(0), description="Revenue per click")
    revenue_per_1000_visits: Major = Decimal(0)
    cost: Major = Field(default=Decimal(0), description="Spent on this traffic, in parts that add up")
    profit: Major = Field(default=Decimal(0), description="Revenue less cost")
    roi: float | None = Field(default=None, description="Profit per hundred of cost; null without cost")
    roas: float | None = Field(default=None, description="Revenue per cost; null without cost")
    cost_per_click: Major | None = Field(default=None, description="Null without clicks")
    cost_per_conversion: Major | None = Field(default=None, description="Null without conversions")
    break_even_epc: Major | None = Field(default=None, description="EPC at which profit is zero: cost per click")


def counters_of(metrics: Iterable[str]) -> tuple[str, ...]:
    """Returns the counters of these metrics, and those that decide whether a row is displayed: cost only if one of the
    metrics needs it. Names of other things have none."""
    asked = {counter for name in metrics if name in METRICS for counter in METRICS[name].counters}
    needed = asked | {counter for name in SHOWN for counter in METRICS[name].counters if counter != COST}
    return tuple(name for name in COUNTERS if name in needed)
