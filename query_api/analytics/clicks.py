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
from query_api.analytics.reading import Selection, counts_by_edge, edge, edges_of, rows, source_of, sums_by
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
    """Rows that add up to one per bucket (column `edge`); empty buckets have none."""
    traffic = source_of(selection, Source.TRAFFIC, _COUNTERS)
    visitors = source_of(selection, Source.VISITORS)
    counted = rows(traffic, selection, range_.start, range_.end)
    seen = rows(visitors, selection, range_.start, range_.end)
    counters = metrics.counters(traffic, _COUNTERS)
    uniques = metrics.unique_clickers(visitors)
    if traffic is visitors:
        sql = f"SELECT {edge(traffic)} AS edge, {counters}, {uniques} {counted.sql} GROUP BY edge"
    else:
        sql = (
            f"SELECT {edge(traffic)} AS edge, {counters}, {_NO_UNIQUES} {counted.sql} GROUP BY edge"
            f" UNION ALL SELECT {edge(visitors)} AS edge, {_NO_COUNTERS}, {uniques} {seen.sql} GROUP BY edge"
        )
    return Query(sql, {**counted.parameters, **seen.parameters, **edges_of(range_)})


_NO_UNIQUES = "toUInt64(0) AS unique_clickers"
_NO_COUNTERS = ", ".join(f"toInt64(0) AS {name}" for name in _COUNTERS)


def answer(found: list[Mapping[str, Any]], range_: Range, currency: str) -> list[ClickPoint]:
    """From the rows of `query`: every bucket, empty ones with zeros."""
    laid = counts_by_edge(range_, list(sums_by("edge", found).values()))
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
