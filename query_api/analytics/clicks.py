"""`clicks`: the series of traffic, one item per bucket. Its sums are the overview's totals (unique visitors excepted:
who comes on two days is one visitor of the range)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from query_api import money
from query_api.analytics import series
from query_api.analytics.metrics import Counts
from query_api.analytics.ranges import Range
from query_api.columnar import Row
from query_api.money import Major


class ClickPoint(BaseModel):
    """One bucket."""

    date: str = Field(description="Local date of the bucket's first day, or local time with offset for hours")
    clicks: int
    unique: int = Field(description="Distinct visitors among the bucket's clicks")
    pageviews: int
    conversions: int
    revenue: Major = Field(description="Major units")


def answer(found: Sequence[Sequence[Row]], range_: Range, currency: str) -> list[ClickPoint]:
    """From the rows of `series.queries`: every bucket, empty ones with zeros."""
    laid = series.buckets(range_, *found)
    counts = [Counts.of(row) for row in laid]
    revenue = [money.major(one.revenue, currency) for one in counts]
    return [
        ClickPoint(
            date=date,
            clicks=one.clicks,
            unique=row.get("unique_clickers", 0),
            pageviews=one.pageviews,
            conversions=one.conversions,
            revenue=earned,
        )
        for date, row, one, earned in zip(range_.labels, laid, counts, revenue, strict=True)
    ]
