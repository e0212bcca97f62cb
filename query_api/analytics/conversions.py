"""`conversions`: the series of conversions by status, one item per bucket. Its sums are the overview's totals."""

from __future__ import annotations

from fastapi import Response
from pydantic import Field

from query_api.analytics import series
from query_api.analytics.metrics import CONVERSION_COUNTERS, MetricCounts
from query_api.analytics.request import AnalyticsRequest
from query_api.kernel import money
from query_api.kernel.money import Major
from schemas.http.responses import ResponseModel


class ConversionPoint(ResponseModel):
    """One bucket; total = pending + approved."""

    date: str = Field(description="Local date of the bucket's first day, or local time with offset for hours")
    total: int
    pending: int
    approved: int
    rejected: int
    reversed: int
    revenue: Major = Field(description="Major units")


def read(request: AnalyticsRequest, response: Response) -> list[ConversionPoint]:
    """Returns every bucket, empty ones with zeros."""
    [rows] = request.read(response, series.counted(request.selection, request.range, CONVERSION_COUNTERS))
    counts = [MetricCounts.of(row) for row in series.buckets(request.range, rows)]
    revenue = [money.major(one.revenue, request.website.currency) for one in counts]
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
        for date, one, earned in zip(request.range.labels, counts, revenue, strict=True)
    ]
