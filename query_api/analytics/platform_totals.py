"""`GET /api/admin/analytics` and `/recent-activity`: the platform as a whole."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import Field

from infra.domain.exchange_rates import convert
from query_api.analytics import metrics
from query_api.analytics.metrics import PERFORMANCE_COUNTERS, MetricCounts, Source
from query_api.kernel import clickhouse_reader, money
from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope, Context
from query_api.kernel.money import Major, exact_json
from query_api.operations.exchange_rates import TotalsCurrency, UsedRate, dated_rates, used_rates
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["admin"])

CURRENCY: Final = "USD"
_COUNTED: Final = (
    f"SELECT toString(t.website_id) AS website, {metrics.counters(Source.TRAFFIC, PERFORMANCE_COUNTERS)}"  # noqa: S608 - own text
    " FROM traffic_15m AS t WHERE NOT t.is_bot GROUP BY t.website_id"
)


class AdminAnalytics(ResponseModel):
    """All websites, all time, bots excluded. Metrics are defined as in the dashboards."""

    total_clicks: int
    total_conversions: int
    conversion_rate: float = Field(description="Conversions per hundred clicks, two decimals")
    total_revenue: Major = Field(description="Major units of `currency`; other currencies at their newest rate")
    currency: str = Field(description="As requested, else the currency of all websites, else USD")
    rates: list[UsedRate] = Field(description="The rates behind `totalRevenue`")
    not_converted: list[Amount] = Field(description="Revenue in currencies without a rate: not in `totalRevenue`")


class Activity(ResponseModel):
    """Something that happened on the platform."""

    id: UUID
    type: str
    description: str
    timestamp: datetime
    subject_id: UUID = Field(description="The affected partner, link, conversion, website or account")
    website_id: UUID | None


@router.get(
    "/api/admin/analytics",
    response_model=AdminAnalytics,
    dependencies=[READS_OWN_WRITES],
)
def get_admin_analytics(
    context: Context, admin: AdminScope, response: Response, currency: TotalsCurrency = ""
) -> Response:
    """Totals of the platform."""
    return exact_json(_totals(context, admin, currency), response)


def _totals(context: Context, admin: AdminScope, currency: str) -> AdminAnalytics:
    rows = context.clickhouse.rows(clickhouse_reader.Query(_COUNTED, {}))
    websites = admin.reader.rows("SELECT id::text, currency FROM read.websites")
    currencies = {row["id"]: row["currency"] for row in websites}
    clicks = conversions = 0
    revenue: Counter[str] = Counter()
    for row in rows:
        counts = MetricCounts.of(row)
        clicks += counts.clicks
        conversions += counts.conversions
        revenue[currencies.get(row["website"], CURRENCY)] += counts.revenue
    earned = {code: amount for code, amount in revenue.items() if amount}
    report_currency = currency or (next(iter(earned)) if len(earned) == 1 else CURRENCY)
    rates = dated_rates(admin.reader, report_currency)
    total = sum(
        convert(amount, one, report_currency, rates[one].worth) for one, amount in earned.items() if one in rates
    )
    return AdminAnalytics(
        total_clicks=clicks,
        total_conversions=conversions,
        conversion_rate=money.percent(conversions, clicks),
        total_revenue=money.major(total, report_currency),
        currency=report_currency,
        rates=used_rates(rates, earned.keys() - {report_currency}),
        not_converted=[
            Amount(amount=amount, currency=one) for one, amount in sorted(earned.items()) if one not in rates
        ],
    )


@router.get("/api/admin/recent-activity", dependencies=[READS_OWN_WRITES])
def get_recent_activity(admin: AdminScope, limit: Annotated[int, Query(ge=1, le=100)] = 10) -> list[Activity]:
    """Newest first."""
    rows = admin.reader.rows(
        "SELECT id, type, description, at AS timestamp, aggregate_id AS subject_id, website_id"
        " FROM read.activity ORDER BY position DESC, id LIMIT %s",
        (limit,),
    )
    return [Activity(**row) for row in rows]
