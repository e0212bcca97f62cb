"""Formats the metrics of reports for emails."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from infra.domain.reports import figures
from query_api.analytics.breakdown_metrics import METRICS

NAMES: Final[Mapping[str, str]] = {
    "clicks": "Clicks",
    "visitors": "Visitors",
    "conversions": "Conversions",
    "revenue": "Revenue",
    "epc": "EPC",
    "conversion_rate": "Conversion rate",
    "pageviews": "Page views",
    "visits": "Visits",
    "views_per_visit": "Views per visit",
    "bounce_rate": "Bounce rate",
    "visit_duration": "Visit duration",
    "click_through_rate": "Click-through rate",
    "impressions": "Link impressions",
    "click_rate": "Clicks per 100 impressions",
    "revenue_per_1000_visits": "Revenue per 1,000 visits",
    "cost": "Cost",
    "profit": "Profit",
    "roi": "ROI",
    "roas": "ROAS",
    "cost_per_click": "Cost per click",
    "cost_per_conversion": "Cost per conversion",
    "break_even_epc": "Break-even EPC",
}
CHARTED: Final = (
    *("clicks", "visitors", "conversions", "revenue", "epc", "conversion_rate", "pageviews"),
    *("cost", "profit"),
)
"""The metrics that the page's main chart can show, the default first."""

_SUMS: Final = frozenset({"clicks", "conversions", "revenue", "pageviews", "cost", "profit"})
"""The total of a range is the sum of its days; of visitors it is not."""


def text_of(metric: str, value: Any, currency: str) -> str:
    """The value with its unit; a dash for none."""
    if value is None:
        return "–"
    if METRICS[metric].is_money:
        return figures.money_text(Decimal(value), currency)
    if METRICS[metric].is_percent:
        return figures.percent_text(value)
    if metric in ("views_per_visit", "roas"):
        return f"{value:.2f}"
    if metric == "visit_duration":
        minutes, seconds = divmod(round(value), 60)
        return f"{minutes}m {seconds}s" if minutes else f"{seconds}s"
    return figures.count_text(value)


def axis_text(metric: str, value: float, currency: str) -> str:
    """A short one, for the axis of a chart."""
    if METRICS[metric].is_money:
        return figures.money_text(value, currency, 0 if value == int(value) else None)
    text = f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"
    return f"{text}%" if METRICS[metric].is_percent else text


def is_sum(metric: str) -> bool:
    return metric in _SUMS
