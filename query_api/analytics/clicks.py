"""`clicks`: the series of traffic, one item per bucket. Its sums are the overview's totals (unique visitors excepted:
who comes on two days is one visitor of the range)."""

from __future__ import annotations

from fastapi import Response
from pydantic import Field

from query_api.analytics import series
from query_api.analytics.metrics import MetricCounts
from query_api.analytics.request import AnalyticsRequest
from query_api.kernel import money
from query_api.kernel.money import Major
from schemas.http.responses import ResponseModel


class ClickPoint(ResponseModel):
    """One bucket."""

    date: str = Field(description="Local date of the bucket's first day, or local time with offset for hours")
    clicks: int
    unique: int = Field(description="Distinct visitors among the bucket's clicks")
    visitors: int = Field(description="Distinct visitors of the bucket")
    pageviews: int
    conversions: int
    revenue: Major = Field(description="Major units")


def read(request: AnalyticsRequest, response: Response) -> list[ClickPoint]:
    """Returns every bucket, empty ones with zeros."""
    rows = request.read(response, *series.queries(request.selection, request.range))
    laid = series.buckets(request.range, *rows)
    counts = [MetricCounts.of(row) for row in laid]
    revenue = [money.major(one.revenue, request.website.currency) for one in counts]
    return [
        ClickPoint(
            date=date,
            clicks=one.clicks,
            unique=row.get("unique_clickers", 0),
            visitors=row.get("unique_visitors", 0),
            pageviews=one.pageviews,
            conversions=one.conversions,
            revenue=earned,
        )
        for date, row, one, earned in zip(request.range.labels, laid, counts, revenue, strict=True)
    ]
