"""`conversions`: the series of conversions by status, one item per bucket. Its sums are the overview's totals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from query_api import money
from query_api.analytics import metrics
from query_api.analytics.metrics import CONVERSION_COUNTERS, Counts, Source
from query_api.analytics.ranges import Range
from query_api.analytics.reading import Selection, counts_by_edge, edge, edges_of, rows, source_of
from query_api.columnar import Query


class ConversionPoint(BaseModel):
    """One bucket; total = pending + approved."""

    date: str = Field(description="Local date of the bucket's first day, or local time with offset for hours")
    total: int
    pending: int
    approved: int
    rejected: int
    reversed: int
    revenue: float = Field(description="Major units")


def query(selection: Selection, range_: Range) -> Query:
    """One row per bucket that is not empty."""
    source = source_of(selection, Source.TRAFFIC, CONVERSION_COUNTERS)
    counted = rows(source, selection, range_.start, range_.end)
    sql = f"SELECT {edge(source)} AS edge, {metrics.counters(source, CONVERSION_COUNTERS)} {counted.sql} GROUP BY edge"
    return Query(sql, {**counted.parameters, **edges_of(range_)})


def answer(found: list[Mapping[str, Any]], range_: Range, currency: str) -> list[ConversionPoint]:
    """From the rows of `query`: every bucket, empty ones with zeros."""
    counts = [Counts.of(row) for row in counts_by_edge(range_, found)]
    revenue = money.major_series([one.revenue for one in counts], currency)
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
