"""`GET /api/admin/partners/performance`: what every partner brought on all websites in the last 30 days.

They are the days of range `30d`, in the time zone of each website. Zones begin their days at a few instants: ClickHouse
adds up what lies between two of them (`slot`), and what comes before the first day of a website is left out here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import Field

from infra.domain.exchange_rates import convert
from query_api.analytics import metrics, ranges
from query_api.analytics.metrics import PERFORMANCE_COUNTERS, MetricCounts, Source
from query_api.analytics.query_plan import NO_PARTNER, seconds
from query_api.analytics.ranges import TimeRange
from query_api.kernel import clickhouse_reader, money
from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope, Context
from query_api.kernel.money import Major, exact_json
from query_api.operations.exchange_rates import TotalsCurrency, newest_rates
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel
from schemas.zones import ZoneInfo

router = APIRouter(tags=["admin"])

CURRENCY: Final = "USD"
UTC_ZONE: Final = "UTC"
"""The time zone of websites that do not exist any more."""
_COUNTED: Final = (
    "SELECT toString(t.partner_id) AS partner, toString(t.website_id) AS website,"  # noqa: S608 - own text
    " roundDown(toUnixTimestamp(t.bucket), {starts:Array(UInt32)}) AS slot,"
    f" {metrics.counters(Source.PARTNER, PERFORMANCE_COUNTERS)} FROM {Source.PARTNER.table} AS t WHERE NOT t.is_bot"
    f" AND t.bucket >= {Source.PARTNER.instant('since')} AND t.partner_id <> {NO_PARTNER}"
    " GROUP BY t.partner_id, t.website_id, slot"
)


class PartnerTotals(ResponseModel):
    """One partner's last 30 days on all websites, in the time zone of each; bots excluded. Metrics as in dashboards."""

    partner_id: UUID
    clicks: int
    conversions: int
    revenue: Major = Field(description="Major units of `currency`; other currencies at their newest rate")
    epc: Major = Field(description="Earnings per click, major units of `currency`")
    currency: str = Field(description="As requested, else the currency of all websites, else USD")
    not_converted: list[Amount] = Field(description="Revenue in currencies without a rate: not in `revenue`")


@router.get(
    "/api/admin/partners/performance",
    response_model=list[PartnerTotals],
    dependencies=[READS_OWN_WRITES],
)
def get_partner_totals(
    context: Context, admin: AdminScope, response: Response, currency: TotalsCurrency = ""
) -> Response:
    """Partners with a click or a conversion."""
    return exact_json(_totals(context, admin, datetime.now(UTC), currency), response)


def _begin(zone: str, now: datetime) -> int:
    """The Unix time at which the last 30 days began there."""
    return seconds(ranges.resolve(TimeRange.LAST_30D, ZoneInfo(zone), now).start)


def _totals(context: Context, admin: AdminScope, now: datetime, currency: str) -> list[PartnerTotals]:
    websites = admin.reader.rows("SELECT id::text, currency, timezone FROM read.websites")
    currencies = {row["id"]: row["currency"] for row in websites}
    begins = {zone: _begin(zone, now) for zone in {*(row["timezone"] for row in websites), UTC_ZONE}}
    first_of = {row["id"]: begins[row["timezone"]] for row in websites}
    bound = {"since": min(begins.values()), "starts": sorted(set(begins.values()))}
    rows = context.clickhouse.rows(clickhouse_reader.Query(_COUNTED, bound))
    clicks, conversions = Counter[str](), Counter[str]()
    revenue: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if int(row["slot"]) < first_of.get(row["website"], begins[UTC_ZONE]):
            continue
        counts = MetricCounts.of(row)
        clicks[row["partner"]] += counts.clicks
        conversions[row["partner"]] += counts.conversions
        revenue[row["partner"]][currencies.get(row["website"], CURRENCY)] += counts.revenue
    earned = {code for sums in revenue.values() for code, amount in sums.items() if amount}
    report_currency = currency or (next(iter(earned)) if len(earned) == 1 else CURRENCY)
    rates = newest_rates(admin.reader, report_currency)
    totals = []
    for partner, sums in sorted(revenue.items()):
        total = sum(convert(amount, one, report_currency, rates[one]) for one, amount in sums.items() if one in rates)
        totals.append(
            PartnerTotals(
                partner_id=UUID(partner),
                clicks=clicks[partner],
                conversions=conversions[partner],
                revenue=money.major(total, report_currency),
                epc=money.per(total, clicks[partner], report_currency),
                currency=report_currency,
                not_converted=[
                    Amount(amount=amount, currency=one)
                    for one, amount in sorted(sums.items())
                    if amount and one not in rates
                ],
            )
        )
    return totals
