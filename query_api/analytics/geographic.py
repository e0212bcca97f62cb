"""`geographic`: clicks, conversions and revenue by country, most clicks first. Every country that had any is listed."""

from __future__ import annotations

from typing import Final

from fastapi import Response
from pydantic import Field

from infra.kernel.net.geoip import country_names
from query_api.analytics import metrics, statement
from query_api.analytics.metrics import PERFORMANCE_COUNTERS, MetricCounts
from query_api.analytics.query_plan import TablePlan
from query_api.analytics.request import AnalyticsRequest
from query_api.kernel import money
from query_api.kernel.money import Major
from schemas.http.responses import ResponseModel

UNKNOWN: Final = "ZZ"
"""The code of events whose country is not known."""


class CountryPerformance(ResponseModel):
    """Numbers of one country in the range."""

    country: str = Field(description="ISO 3166-1 alpha-2; ZZ = unknown")
    country_name: str
    clicks: int
    conversions: int
    revenue: Major = Field(description="Major units")


def read(request: AnalyticsRequest, response: Response) -> list[CountryPerformance]:
    """Countries, most clicks first."""
    plan = TablePlan(
        request.selection,
        request.range,
        PERFORMANCE_COUNTERS,
        columns=("country",),
        before=("toString(t.country) AS code",),
        group="t.country",
        having=f"{metrics.is_active()} OR c_pending + c_approved <> 0",
        order="clicks DESC, c_pending + c_approved DESC, code",
    )
    [rows] = request.read(response, statement.table(plan))
    counts = [MetricCounts.of(row) for row in rows]
    revenue = [money.major(one.revenue, request.website.currency) for one in counts]
    return [
        CountryPerformance(
            country=row["code"],
            country_name=country_name(row["code"]),
            clicks=one.clicks,
            conversions=one.conversions,
            revenue=earned,
        )
        for row, one, earned in zip(rows, counts, revenue, strict=True)
    ]


def country_name(code: str) -> str:
    """The country's English name; "Unknown" for `ZZ`; the code itself for one that ISO does not list (such as XK)."""
    return "Unknown" if code == UNKNOWN else country_names().get(code, code)
