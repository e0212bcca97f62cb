"""`GET /api/platform/websites/summary`: all websites of an account beside each other, for today and the last 30 days.

Two statements answer for all of them: one sums the counters per website and day, one the visitors per website and
period. Both are put together of one part for the websites whose days have the same edges.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import AfterValidator, Field

from infra.domain.exchange_rates import DatedRate
from query_api.analytics import metrics, ranges
from query_api.analytics.metrics import PERFORMANCE_COUNTERS, MetricCounts, Source
from query_api.analytics.query_plan import seconds
from query_api.analytics.ranges import Range, TimeRange
from query_api.kernel import clickhouse_reader
from query_api.kernel.authorization import Website
from query_api.kernel.clickhouse_reader import Row
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services
from query_api.kernel.money import exact_json
from query_api.operations.exchange_rates import UsedRate, convert, dated_rates, used_rates
from schemas import instants
from schemas.currencies import MINOR_DIGITS
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

MAX_WEBSITES: Final = 500
DAYS: Final = 30
USUAL_CURRENCY: Final = "USD"

router = APIRouter(tags=["analytics"])


class PeriodTotals(ResponseModel):
    """Numbers of one website in a period, bots excluded."""

    clicks: int
    visitors: int
    conversions: int = Field(description="Pending and approved")
    revenue: Amount = Field(description="In the website's currency")
    converted: Amount | None = Field(description="The same in `currency`; null without a rate")


class DailySeries(ResponseModel):
    """The last 30 days of a website, one number a day."""

    from_: date = Field(alias="from")
    clicks: list[int]
    revenue: list[int] = Field(description="Minor units of the website's currency")


class WebsiteSummary(ResponseModel):
    """One website. Its days are those of its own time zone."""

    website_id: UUID
    domain: str
    timezone: str
    currency: str
    today: PeriodTotals
    yesterday: PeriodTotals
    last_7_days: PeriodTotals
    last_30_days: PeriodTotals
    series: DailySeries


class WebsitesTotals(ResponseModel):
    """The sum of all websites for a period."""

    clicks: int
    visitors: int = Field(description="A visitor of two websites counts twice")
    conversions: int
    revenue: Amount = Field(description="What has a rate, in `currency`")
    not_converted: list[Amount] = Field(description="Revenue in currencies without a rate: not in `revenue`")


class AllTotals(ResponseModel):
    """The sums of each period."""

    today: WebsitesTotals
    yesterday: WebsitesTotals
    last_7_days: WebsitesTotals
    last_30_days: WebsitesTotals


class WebsitesSummary(ResponseModel):
    """All websites of the account, oldest first."""

    currency: str
    rates: list[UsedRate]
    websites: list[WebsiteSummary]
    totals: AllTotals
    omitted: int = Field(description=f"Websites beyond the {MAX_WEBSITES} oldest, which are in no total")


def _currency(code: str) -> str:
    """Raises `ValueError` for a code that is no currency."""
    if code and code not in MINOR_DIGITS:
        raise ValueError("currency takes a code of ISO 4217, such as EUR.")
    return code


Currency = Annotated[
    str,
    AfterValidator(_currency),
    Query(description="Of the totals; without it the currency of most of the websites"),
]
_PERIODS: Final = {"today": (29, 30), "yesterday": (28, 29), "last_7_days": (23, 30), "last_30_days": (0, 30)}
"""First day and the day after the last one, as numbers of the 30 days."""


@router.get(
    "/api/platform/websites/summary",
    response_model=WebsitesSummary,
    dependencies=[READS_OWN_WRITES],
)
def get_websites_summary(response: Response, context: Context, scope: CallerScope, currency: Currency = "") -> Response:
    """Today, yesterday, 7 and 30 days of each website of the caller's own account, and their sums in one currency."""
    websites, count = scope.oldest_websites(MAX_WEBSITES)
    report_currency = currency or _usual_currency(websites)
    rates = dated_rates(scope.reader, report_currency)
    measured = _Measured.read(context, response, websites) if websites else _Measured({}, {}, {})
    summaries = [_summary(website, measured, report_currency, rates) for website in websites]
    used = used_rates(rates, {website.currency for website in websites} - {report_currency})
    summary = WebsitesSummary(
        currency=report_currency,
        rates=used,
        websites=summaries,
        totals=AllTotals(
            **{name: _total([getattr(one, name) for one in summaries], report_currency) for name in _PERIODS}
        ),
        omitted=count - len(websites),
    )
    return exact_json(summary, response)


def _usual_currency(websites: Sequence[Website]) -> str:
    """The currency of most websites; of two that are as frequent, the first by its code."""
    counted = Counter(website.currency for website in websites)
    return min(counted, key=lambda code: (-counted[code], code), default=USUAL_CURRENCY)


@dataclass(frozen=True, slots=True)
class _Measured:
    """The measurements of ClickHouse for all websites: counts per day, visitors per period."""

    days: Mapping[str, Range]
    """Time zone to its last 30 days."""

    counts: Mapping[tuple[str, int], MetricCounts]
    """Counts by website and the Unix time at which the day begins."""

    visitors: Mapping[str, Row]

    @classmethod
    def read(cls, context: Services, response: Response, websites: Sequence[Website]) -> _Measured:
        """Runs both statements at once."""
        now = datetime.now(UTC)
        zones = {website.timezone: website.zone for website in websites}
        days = {name: ranges.resolve(TimeRange.LAST_30D, zone, now) for name, zone in zones.items()}
        # By the edges themselves: hundreds of zones have some dozens of different days.
        by_edges: dict[tuple[datetime, ...], list[Website]] = defaultdict(list)
        for website in websites:
            by_edges[days[website.timezone].edges].append(website)
        parts = list(by_edges.items())
        counted, seen = context.read(response, _daily(parts), _visitors(parts))
        return cls(
            days,
            {(row["website"], int(row["edge"])): MetricCounts.of(row) for row in counted},
            {row["website"]: row for row in seen},
        )

    def of(self, website: Website) -> list[MetricCounts]:
        """The counts of each of the 30 days."""
        edges = self.days[website.timezone].edges[:-1]
        return [self.counts.get((str(website.id), seconds(moment)), _NOTHING) for moment in edges]


_NOTHING: Final = MetricCounts()


def _summary(website: Website, measured: _Measured, currency: str, rates: Mapping[str, DatedRate]) -> WebsiteSummary:
    daily = measured.of(website)
    visitors = measured.visitors.get(str(website.id), {})
    periods = {
        name: _period(website, daily[first:after], int(visitors.get(name, 0)), currency, rates)
        for name, (first, after) in _PERIODS.items()
    }
    series = {
        "from": measured.days[website.timezone].dates[0],
        "clicks": [one.clicks for one in daily],
        "revenue": [one.revenue for one in daily],
    }
    return WebsiteSummary(
        website_id=website.id,
        domain=website.domain,
        timezone=website.timezone,
        currency=website.currency,
        series=DailySeries.model_validate(series),
        **periods,
    )


def _period(
    website: Website, daily: Sequence[MetricCounts], visitors: int, currency: str, rates: Mapping[str, DatedRate]
) -> PeriodTotals:
    revenue, rate = sum(one.revenue for one in daily), rates.get(website.currency)
    converted = None
    if rate is not None:
        amount = convert(revenue, website.currency, currency, rate.worth)
        converted = Amount(amount=amount, currency=currency)
    return PeriodTotals(
        clicks=sum(one.clicks for one in daily),
        visitors=visitors,
        conversions=sum(one.conversions for one in daily),
        revenue=Amount(amount=revenue, currency=website.currency),
        converted=converted,
    )


def _total(of: Iterable[PeriodTotals], currency: str) -> WebsitesTotals:
    periods = list(of)
    apart: Counter[str] = Counter()
    for one in periods:
        if one.converted is None:
            apart[one.revenue.currency] += one.revenue.amount
    return WebsitesTotals(
        clicks=sum(one.clicks for one in periods),
        visitors=sum(one.visitors for one in periods),
        conversions=sum(one.conversions for one in periods),
        revenue=Amount(
            amount=sum(one.converted.amount for one in periods if one.converted is not None), currency=currency
        ),
        not_converted=[Amount(amount=amount, currency=one) for one, amount in sorted(apart.items()) if amount],
    )


_Part = tuple[tuple[datetime, ...], Sequence[Website]]
"""The edges of 30 days, and the websites whose days these are."""


def _daily(parts: Sequence[_Part]) -> clickhouse_reader.Query:
    """Counters by website and day."""
    counters = metrics.counters(Source.TRAFFIC, PERFORMANCE_COUNTERS)
    selects = [
        f"SELECT toString(t.website_id) AS website,"  # noqa: S608 - own text
        f" roundDown(toUnixTimestamp(t.bucket), {{edges{n}:Array(UInt32)}}) AS edge, {counters}"
        f" FROM {Source.TRAFFIC.table} AS t WHERE {_which(n)} GROUP BY website, edge"
        for n in range(len(parts))
    ]
    return clickhouse_reader.Query(" UNION ALL ".join(selects), _bound(parts))


def _visitors(parts: Sequence[_Part]) -> clickhouse_reader.Query:
    """Distinct visitors by website, a column for each period."""

    selects = [
        f"SELECT toString(t.website_id) AS website, {_per_period(n)}"  # noqa: S608 - own text
        f" FROM {Source.VISITORS.table} AS t WHERE {_which(n)} GROUP BY website"
        for n in range(len(parts))
    ]
    return clickhouse_reader.Query(" UNION ALL ".join(selects), _bound(parts))


def _per_period(n: int) -> str:
    def edge(number: int) -> str:
        return f"toDateTime({{edges{n}:Array(UInt32)}}[{number + 1}], 'UTC')"

    within = {
        name: f"t.bucket >= {edge(first)}" + (f" AND t.bucket < {edge(after)}" if after < DAYS else "")
        for name, (first, after) in _PERIODS.items()
    }
    return ", ".join(f"uniqCombinedMergeIf(12)(t.visitors, {rows}) AS {name}" for name, rows in within.items())


def _which(n: int) -> str:
    return (
        f"t.website_id IN {{sites{n}:Array(UUID)}} AND t.bucket >= {instants.bound_second(f'start{n}')}"
        f" AND t.bucket < {instants.bound_second(f'end{n}')} AND NOT t.is_bot"
    )


def _bound(parts: Sequence[_Part]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for n, (edges, websites) in enumerate(parts):
        values[f"sites{n}"] = [str(website.id) for website in websites]
        values[f"edges{n}"] = [seconds(moment) for moment in edges[:-1]]
        values[f"start{n}"], values[f"end{n}"] = seconds(edges[0]), seconds(edges[-1])
    return values
