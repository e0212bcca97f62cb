"""`clicks`: the series of traffic, one item per bucket. Its sums are the overview's totals (unique visitors excepted:
who comes on two days is one visitor of the range)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from query_api import money
from query_api.analytics import metrics
from query_api.analytics.metrics import Counts, Source
from query_api.analytics.ranges import Range
from query_api.analytics.reading import Selection, counts_by_edge, edge, edges_of, rows, source_of
from query_api.columnar import Query

_COUNTERS = ("pageviews", *metrics.PERFORMANCE_COUNTERS)


class ClickPoint(BaseModel):
    """One bucket."""

    date: str = Field(description="Local date of the bucket's first day, or local time with offset for hours")
    clicks: int
    unique: int = Field(description="Distinct visitors among the bucket's clicks")
    pageviews: int
    conversions: int
    revenue: float = Field(description="Major units")


def query(selection: Selection, range_: Range) -> Query:
    """One row per bucket that is not empty."""
    traffic = source_of(selection, Source.TRAFFIC, _COUNTERS)
    visitors = source_of(selection, Source.VISITORS)
    counted = rows(traffic, selection, range_.start, range_.end)
    unique = rows(visitors, selection, range_.start, range_.end)
    sql = (
        f"SELECT c.*, v.unique_clickers AS unique_clickers FROM"  # noqa: S608 - values are bound
        f" (SELECT {edge(traffic)} AS edge, {metrics.counters(traffic, _COUNTERS)} {counted.sql} GROUP BY edge) AS c"
        f" LEFT JOIN (SELECT {edge(visitors)} AS edge, {metrics.uniques(visitors)} {unique.sql} GROUP BY edge) AS v"
        f" ON c.edge = v.edge"
    )
    return Query(sql, {**counted.parameters, **unique.parameters, **edges_of(range_)})


def answer(found: list[Mapping[str, Any]], range_: Range, currency: str) -> list[ClickPoint]:
    """From the rows of `query`: every bucket, empty ones with zeros."""
    laid = counts_by_edge(range_, found)
    counts = [Counts.of(row) for row in laid]
    revenue = money.major_series([one.revenue for one in counts], currency)
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
