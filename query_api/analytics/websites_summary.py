"""`GET /api/platform/websites/summary`: all websites of an account beside each other, in the periods of the start page.

Two statements answer for all of them: one sums the counters per website and day, one the visitors per website and
period. Both are put together of one part for the websites whose days have the same edges. Money is converted at the
rate of its day.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import reduce
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import AfterValidator, Field

from infra.domain.exchange_rates import RateBook
from query_api.analytics import metrics
from query_api.analytics.metrics import COUNTERS, PERFORMANCE_COUNTERS, MetricCounts, Source
from query_api.analytics.money_periods import Compared, MoneyPeriod, Span, compared, slots
from query_api.analytics.query_plan import seconds
from query_api.kernel import clickhouse_reader
from query_api.kernel.authorization import AccountScope, Website
from query_api.kernel.clickhouse_reader import Row
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services
from query_api.kernel.money import exact_json
from query_api.operations.exchange_rates import UsedRate, known_currency, rate_book
from schemas import instants
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel
from schemas.zones import ZoneInfo

MAX_WEBSITES: Final = 500
DAYS: Final = 30
MAX_PERIOD_DAYS: Final = 190
"""Two quarters, and a day for the time zones."""
USUAL_CURRENCY: Final = "USD"

router = APIRouter(tags=["analytics"])


class NotConverted(ResponseModel):
    """Revenue of days without an exchange rate."""

    amount: Amount = Field(description="In its website's currency")
    conversions: int
    lacking: date = Field(description="The first of these days")


class EarlierTotals(ResponseModel):
    """The same part of the period before."""

    from_: date = Field(alias="from")
    to: date
    clicks: int
    conversions: int
    revenue: Amount
    converted: Amount | None


class PeriodTotals(ResponseModel):
    """Numbers of one website in a period until now, bots excluded."""

    clicks: int
    visitors: int | None = Field(description="Null for the quarter")
    conversions: int = Field(description="Pending and approved")
    revenue: Amount = Field(description="In the website's currency")
    converted: Amount | None = Field(description="Each day's revenue at its rate, in `currency`; null: no day has one")
    not_converted: NotConverted | None = Field(description="What of the revenue has no rate")
    previous: EarlierTotals


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
    week: PeriodTotals
    month: PeriodTotals
    quarter: PeriodTotals
    series: DailySeries


class WebsitesTotals(ResponseModel):
    """The sum of all websites for a period."""

    clicks: int
    visitors: int | None = Field(description="A visitor of two websites counts twice")
    conversions: int
    revenue: Amount = Field(description="What has a rate, in `currency`")
    not_converted: list[NotConverted] = Field(description="By currency; not in `revenue`")
    difference: Amount = Field(description="To the period before, of the websites whose revenue has rates in both")
    compared: Amount = Field(description="What `difference` compares with")


class AllTotals(ResponseModel):
    """The sums of each period."""

    today: WebsitesTotals
    yesterday: WebsitesTotals
    week: WebsitesTotals
    month: WebsitesTotals
    quarter: WebsitesTotals


class WebsitesSummary(ResponseModel):
    """All websites of the account, oldest first."""

    currency: str
    rates: list[UsedRate] = Field(description="Today's; each day has its own")
    websites: list[WebsiteSummary]
    totals: AllTotals
    omitted: int = Field(description=f"Websites beyond the {MAX_WEBSITES} oldest, which are in no total")


Currency = Annotated[
    str,
    AfterValidator(known_currency),
    Query(description="Of the totals; without it the currency of most of the websites"),
]


@router.get(
    "/api/platform/websites/summary",
    response_model=WebsitesSummary,
    dependencies=[READS_OWN_WRITES],
)
def get_websites_summary(response: Response, context: Context, scope: CallerScope, currency: Currency = "") -> Response:
    """Today, yesterday, this week, month and quarter of each website of the caller's own account, what each is compared
    with, and their sums in one currency."""
    websites, count = scope.oldest_websites(MAX_WEBSITES)
    report_currency, now = currency or usual_currency(websites), datetime.now(UTC)
    book = read_book(scope, report_currency, websites, now)
    measured = _Measured.read(context, response, websites, now)
    summaries = [_summary(website, measured, book) for website in websites]
    today = {one: book.on(one, now.date()) for one in {website.currency for website in websites} - {report_currency}}
    summary = WebsitesSummary(
        currency=report_currency,
        rates=[UsedRate(currency=one, rate=rate.rate, on=rate.on) for one, rate in sorted(today.items()) if rate],
        websites=summaries,
        totals=AllTotals(
            **{name: _total([getattr(one, name) for one in summaries], report_currency) for name in MoneyPeriod}
        ),
        omitted=count - len(websites),
    )
    return exact_json(summary, response)


def usual_currency(websites: Sequence[Website]) -> str:
    """The currency of most websites; of two that are as frequent, the first by its code."""
    counted = Counter(website.currency for website in websites)
    return min(counted, key=lambda code: (-counted[code], code), default=USUAL_CURRENCY)


def read_book(scope: AccountScope, currency: str, websites: Sequence[Website], now: datetime) -> RateBook:
    """The rates of every day that a period of the start page has."""
    days = timedelta(days=MAX_PERIOD_DAYS)
    codes = {website.currency for website in websites}
    return rate_book(scope.reader, currency, codes, now.date() - days, now.date() + timedelta(days=1))


@dataclass(frozen=True, slots=True)
class _Calendar:
    """The periods of a time zone, and where their counters are cut."""

    periods: Mapping[MoneyPeriod, Compared]
    slots: tuple[tuple[datetime, date], ...]

    @classmethod
    def of(cls, zone: ZoneInfo, now: datetime) -> _Calendar:
        periods = {period: compared(period, zone, now) for period in MoneyPeriod}
        return cls(periods, tuple(slots(zone, list(periods.values()))))

    @property
    def edges(self) -> tuple[datetime, ...]:
        return tuple(start for start, _ in self.slots)


@dataclass(frozen=True, slots=True)
class _Measured:
    """The measurements of ClickHouse for all websites: counts per slot, visitors per period."""

    calendars: Mapping[str, _Calendar]
    """By time zone."""

    counts: Mapping[tuple[str, int], MetricCounts]
    """By website and the Unix time at which the slot begins."""

    visitors: Mapping[str, Row]

    @classmethod
    def read(cls, context: Services, response: Response, websites: Sequence[Website], now: datetime) -> _Measured:
        """Runs both statements at once."""
        if not websites:
            return cls({}, {}, {})
        zones = {website.timezone: website.zone for website in websites}
        calendars = {name: _Calendar.of(zone, now) for name, zone in zones.items()}
        # By the edges themselves: hundreds of zones have some dozens of different days.
        by_edges: dict[tuple[datetime, ...], list[Website]] = defaultdict(list)
        for website in websites:
            by_edges[calendars[website.timezone].edges].append(website)
        parts = [_SummaryPart(calendars[each[0].timezone], each) for each in by_edges.values()]
        counted, seen = context.read(response, _daily(parts), _visitors(parts))
        return cls(
            calendars,
            {(row["website"], int(row["edge"])): MetricCounts.of(row) for row in counted},
            {row["website"]: row for row in seen},
        )

    def of(self, website: Website) -> list[tuple[datetime, date, MetricCounts]]:
        """The counts of each slot, with its begin and its local day."""
        return [
            (start, day, self.counts.get((str(website.id), seconds(start)), _NOTHING))
            for start, day in self.calendars[website.timezone].slots[:-1]
        ]


_NOTHING: Final = MetricCounts()


def _summary(website: Website, measured: _Measured, book: RateBook) -> WebsiteSummary:
    found, calendar = measured.of(website), measured.calendars[website.timezone]
    visitors = measured.visitors.get(str(website.id), {})
    periods = {
        period: _period(website, found, spans, book, None if period in _UNCOUNTED else int(visitors.get(period, 0)))
        for period, spans in calendar.periods.items()
    }
    today = calendar.periods[MoneyPeriod.TODAY].now.first
    daily = {today - timedelta(days=number): _NOTHING for number in reversed(range(DAYS))}
    for _, day, counts in found:
        if day in daily:
            daily[day] = _sum(daily[day], counts)
    series = {
        "from": today - timedelta(days=DAYS - 1),
        "clicks": [one.clicks for one in daily.values()],
        "revenue": [one.revenue for one in daily.values()],
    }
    return WebsiteSummary(
        website_id=website.id,
        domain=website.domain,
        timezone=website.timezone,
        currency=website.currency,
        series=DailySeries.model_validate(series),
        **periods,
    )


_Slots = Sequence[tuple[datetime, date, MetricCounts]]


def _period(website: Website, found: _Slots, spans: Compared, book: RateBook, visitors: int | None) -> PeriodTotals:
    now, past = _Money.of(website, found, spans.now, book), _Money.of(website, found, spans.previous, book)
    earlier = {"from": spans.previous.first, "to": spans.previous.last}
    return PeriodTotals(
        clicks=now.counts.clicks,
        visitors=visitors,
        conversions=now.counts.conversions,
        revenue=Amount(amount=now.counts.revenue, currency=website.currency),
        converted=now.converted,
        not_converted=now.lacking,
        previous=EarlierTotals.model_validate(
            {
                **earlier,
                "clicks": past.counts.clicks,
                "conversions": past.counts.conversions,
                "revenue": Amount(amount=past.counts.revenue, currency=website.currency),
                "converted": None if past.lacking else past.converted,
            }
        ),
    )


@dataclass(frozen=True, slots=True)
class _Money:
    """The counts of a span, and its revenue at each day's rate."""

    counts: MetricCounts
    converted: Amount | None
    lacking: NotConverted | None

    @classmethod
    def of(cls, website: Website, found: _Slots, span: Span, book: RateBook) -> _Money:
        days: dict[date, MetricCounts] = {}
        for start, day, counts in found:
            if span.has(start):
                days[day] = _sum(days.get(day, _NOTHING), counts)
        amounts = {day: book.converted(one.revenue, website.currency, day) for day, one in days.items()}
        without = [day for day, amount in amounts.items() if amount is None]
        total = sum(amount for amount in amounts.values() if amount is not None)
        rest = reduce(_sum, (days[day] for day in without), _NOTHING)
        return cls(
            reduce(_sum, days.values(), _NOTHING),
            None
            if without and len(without) == sum(one.revenue != 0 for one in days.values())
            else Amount(amount=total, currency=book.quote),
            NotConverted(
                amount=Amount(amount=rest.revenue, currency=website.currency),
                conversions=rest.conversions,
                lacking=min(without),
            )
            if without
            else None,
        )


def _sum(one: MetricCounts, other: MetricCounts) -> MetricCounts:
    return MetricCounts(*(getattr(one, name) + getattr(other, name) for name in COUNTERS))


def _total(of: Iterable[PeriodTotals], currency: str) -> WebsitesTotals:
    periods = list(of)
    apart: dict[str, list[NotConverted]] = defaultdict(list)
    for one in periods:
        if one.not_converted is not None:
            apart[one.not_converted.amount.currency].append(one.not_converted)
    both = [
        (one.converted.amount, one.previous.converted.amount)
        for one in periods
        if one.converted is not None and one.not_converted is None and one.previous.converted is not None
    ]
    visitors = [one.visitors for one in periods if one.visitors is not None]

    def amount(minor: int) -> Amount:
        return Amount(amount=minor, currency=currency)

    return WebsitesTotals(
        clicks=sum(one.clicks for one in periods),
        visitors=sum(visitors) if len(visitors) == len(periods) else None,
        conversions=sum(one.conversions for one in periods),
        revenue=amount(sum(one.converted.amount for one in periods if one.converted is not None)),
        not_converted=[
            NotConverted(
                amount=Amount(amount=sum(one.amount.amount for one in each), currency=code),
                conversions=sum(one.conversions for one in each),
                lacking=min(one.lacking for one in each),
            )
            for code, each in sorted(apart.items())
        ],
        difference=amount(sum(now - past for now, past in both)),
        compared=amount(sum(past for _, past in both)),
    )


@dataclass(frozen=True, slots=True)
class _SummaryPart:
    """Websites whose slots begin at the same instants."""

    calendar: _Calendar
    websites: Sequence[Website]


def _daily(parts: Sequence[_SummaryPart]) -> clickhouse_reader.Query:
    """Counters by website and slot."""
    counters = metrics.counters(Source.TRAFFIC, PERFORMANCE_COUNTERS)
    selects = [
        f"SELECT toString(t.website_id) AS website,"  # noqa: S608 - own text
        f" roundDown(toUnixTimestamp(t.bucket), {{edges{n}:Array(UInt32)}}) AS edge, {counters}"
        f" FROM {Source.TRAFFIC.table} AS t WHERE {_which(n)} GROUP BY website, edge"
        for n in range(len(parts))
    ]
    return clickhouse_reader.Query(" UNION ALL ".join(selects), _bound(parts))


def _visitors(parts: Sequence[_SummaryPart]) -> clickhouse_reader.Query:
    """Distinct visitors by website, a column for each period that is short enough to merge their states."""

    selects = [
        f"SELECT toString(t.website_id) AS website, {_per_period(n, part.calendar)}"  # noqa: S608 - own text
        f" FROM {Source.VISITORS.table} AS t WHERE {_which(n, 'counted')} GROUP BY website"
        for n, part in enumerate(parts)
    ]
    bound = _bound(parts)
    for n, part in enumerate(parts):
        bound[f"counted{n}"] = min(seconds(part.calendar.periods[period].now.start) for period in _COUNTED)
    return clickhouse_reader.Query(" UNION ALL ".join(selects), bound)


_UNCOUNTED: Final = frozenset({MoneyPeriod.QUARTER})
_COUNTED: Final = tuple(period for period in MoneyPeriod if period not in _UNCOUNTED)


def _per_period(n: int, calendar: _Calendar) -> str:
    def edge(moment: datetime) -> str:
        return f"toDateTime({{edges{n}:Array(UInt32)}}[{calendar.edges.index(moment) + 1}], 'UTC')"

    def within(span: Span) -> str:
        ended = f" AND t.bucket < {edge(span.end)}" if span.end != calendar.edges[-1] else ""
        return f"t.bucket >= {edge(span.start)}{ended}"

    counted = {period: within(calendar.periods[period].now) for period in _COUNTED}
    return ", ".join(f"uniqCombinedMergeIf(12)(t.visitors, {rows}) AS {name}" for name, rows in counted.items())


def _which(n: int, start: str = "start") -> str:
    return (
        f"t.website_id IN {{sites{n}:Array(UUID)}} AND t.bucket >= {instants.bound_second(f'{start}{n}')}"
        f" AND t.bucket < {instants.bound_second(f'end{n}')} AND NOT t.is_bot"
    )


def _bound(parts: Sequence[_SummaryPart]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for n, part in enumerate(parts):
        edges = part.calendar.edges
        values[f"sites{n}"] = [str(website.id) for website in part.websites]
        values[f"edges{n}"] = [seconds(moment) for moment in edges[:-1]]
        values[f"start{n}"], values[f"end{n}"] = seconds(edges[0]), seconds(edges[-1])
    return values
