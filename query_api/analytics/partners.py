"""`partners`: the ten partners that earned most, then those that got most clicks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from fastapi import Response
from pydantic import Field

from query_api.analytics import metrics, statement
from query_api.analytics.metrics import PERFORMANCE_COUNTERS, MetricCounts
from query_api.analytics.query_plan import TablePlan, TrafficSelection
from query_api.analytics.ranges import Range
from query_api.analytics.request import AnalyticsRequest
from query_api.kernel import money
from query_api.kernel.clickhouse_reader import Query, Row
from query_api.kernel.money import Major
from query_api.partners.names import UNKNOWN, partner_names
from schemas.http.responses import ResponseModel

TOP: Final = 10


class PartnerPerformance(ResponseModel):
    """Numbers of one partner in the range."""

    partner_id: str
    partner_name: str
    clicks: int
    conversions: int
    revenue: Major = Field(description="Major units")
    epc: Major = Field(description="Earnings per click, major units")
    conversion_rate: float = Field(alias="conversion_rate", description="Conversions per hundred clicks, two decimals")


def by_partner(selection: TrafficSelection, range_: Range) -> TablePlan:
    """Counters of each partner."""
    return TablePlan(selection, range_, PERFORMANCE_COUNTERS, ("partner_id",), group="t.partner_id", of_partners=True)


def query(selection: TrafficSelection, range_: Range) -> Query:
    """Returns the query with one row per partner, best first; each row also has the number of active partners in
    all."""
    plan = replace(
        by_partner(selection, range_),
        before=("toString(t.partner_id) AS partner",),
        after=("count() OVER () AS active_partners",),
        having=metrics.is_active(),
        order="c_pending + c_approved DESC, clicks DESC, partner",
        limit=str(TOP),
    )
    return statement.table(plan)


def active(found: Sequence[Row]) -> int:
    """Counts the partners that had a click or a conversion, from the rows of `query`."""
    return int(found[0]["active_partners"]) if found else 0


def read(request: AnalyticsRequest, response: Response) -> list[PartnerPerformance]:
    """The best first."""
    [rows] = request.read(response, query(request.selection, request.range))
    names = partner_names(request.reader, {row["partner"] for row in rows})
    currency = request.website.currency
    performances = []
    for row in rows:
        counts = MetricCounts.of(row)
        performances.append(
            PartnerPerformance(
                partner_id=row["partner"],
                partner_name=names.get(row["partner"], UNKNOWN),
                clicks=counts.clicks,
                conversions=counts.conversions,
                revenue=money.major(counts.revenue, currency),
                epc=counts.epc(currency),
                conversion_rate=counts.conversion_rate,
            )
        )
    return performances
