"""`geographic`: clicks, conversions and revenue by country, most clicks first. Every country that had any is listed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from query_api import money
from query_api.analytics import metrics
from query_api.analytics.countries import country_name
from query_api.analytics.metrics import PERFORMANCE_COUNTERS, Counts, Source
from query_api.analytics.ranges import Range
from query_api.analytics.reading import Selection, rows, source_of
from query_api.columnar import Query
from query_api.money import Major


class CountryPerformance(BaseModel):
    """What one country brought in the range."""

    country: str = Field(description="ISO 3166-1 alpha-2; ZZ = unknown")
    countryName: str
    clicks: int
    conversions: int
    revenue: Major = Field(description="Major units")


def query(selection: Selection, range_: Range) -> Query:
    """One row per country, most clicks first."""
    source = source_of(selection, Source.COUNTRY)
    counted = rows(source, selection, range_.start, range_.end)
    sql = (
        f"SELECT toString(t.country) AS code, {metrics.counters(source, PERFORMANCE_COUNTERS)} {counted.sql}"
        f" GROUP BY t.country HAVING {metrics.is_active()} OR c_pending + c_approved <> 0"
        " ORDER BY clicks DESC, c_pending + c_approved DESC, code"
    )
    return Query(sql, counted.parameters)


def answer(found: list[Mapping[str, Any]], currency: str) -> list[CountryPerformance]:
    """From the rows of `query`."""
    counts = [Counts.of(row) for row in found]
    revenue = [money.major(one.revenue, currency) for one in counts]
    return [
        CountryPerformance(
            country=row["code"],
            countryName=country_name(row["code"]),
            clicks=one.clicks,
            conversions=one.conversions,
            revenue=earned,
        )
        for row, one, earned in zip(found, counts, revenue, strict=True)
    ]
