"""`conversions`: the series of conversions by status, one item per bucket. Its sums are the overview's totals."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from query_api import money
from query_api.analytics import series
from query_api.analytics.metrics import CONVERSION_COUNTERS, Counts
from query_api.analytics.ranges import Range
from query_api.analytics.reading import Selection
from query_api.columnar import Query, Row
from query_api.money import Major


class ConversionPoint(BaseModel):
    """One bucket; total = pending + approved."""

    date: str = Field(description="Local date of the bucket's first day, or local time with offset for hours")
    total: int
    pending: int
    approved: int
    rejected: int
    reversed: int
    revenue: Major = Field(description="Major units")


def query(selection: Selection, range_: Range) -> Query:
    """Rows for `series.buckets`."""
    return series.counted(selection, range_, CONVERSION_COUNTERS)


def answer(found: Sequence[Row], range_: Range, currency: str) -> list[ConversionPoint]:
    """From the rows of `query`: every bucket, empty ones with zeros."""
    counts = [Counts.of(row) for row in series.buckets(range_, found)]
    revenue = [money.major(one.revenue, currency) for one in counts]
    return [
        ConversionPoint(
            date=date,
            total=one.conversions,
            pending=one.pending,
            approved=one.approved,
            rejected=one.rejected,
            reversed=one.reversed,
            revenue=earned,
        )
        for date, one, earned in zip(range_.labels, counts, revenue, strict=True)
    ]
