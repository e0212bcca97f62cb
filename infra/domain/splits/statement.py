"""The SELECT of a split's figures: what the clicks of each variant and day earned, by visitors. SQL text, and its rows.

A sale counts on the day of its click, whenever it happened: variants are compared by what their clicks earned. A sale
whose click is not there (a forgotten visitor's, or a click that is excluded) counts on its own day.
"""

# ruff: noqa: S608 - names of tables are the caller's own text; values are bound

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil
from typing import Any, Final

from infra.domain.splits.judging import DayFigures, VariantFigures
from infra.domain.visits import routes

MAX_DAYS: Final = 400
"""Days that are read at most."""
MAX_DELAYS: Final = 1_000
"""Sales of a variant and day whose delay is read."""
SETTLED: Final = 0.9
"""Clicks count in a judgement once so many of the sales have come, by the delays of those that came."""
MIN_DELAYS: Final = 10
MAX_SETTLING: Final = 30
"""Days."""


@dataclass(frozen=True, slots=True)
class DayRow:
    """A row of the statement: a variant on a day. `delays`: from the click to the first report, in seconds."""

    number: int
    day: date
    clicks: int
    revenue: int
    conversions: int
    visitors: int
    buyers: int
    clicks_squared: float
    revenue_squared: float
    product: float
    delays: Sequence[int]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> DayRow:
        """Returns the row as the client of ClickHouse gives it."""
        return cls(
            number=int(row["number"]),
            day=date.fromisoformat(str(row["day"])),
            clicks=int(row["clicks"]),
            revenue=int(row["revenue"]),
            conversions=int(row["conversions"]),
            visitors=int(row["visitors"]),
            buyers=int(row["buyers"]),
            clicks_squared=float(row["clicks_squared"]),
            revenue_squared=float(row["revenue_squared"]),
            product=float(row["product"]),
            delays=[int(delay) for delay in row["delays"]],
        )


def figures_by_day(events: str, conversions: str) -> str:
    """The statement; `events`, `conversions`: the tables. Parameters: `website`, `link`, `first` (a date)."""
    variant = routes.variant()
    own = f"website_id = {{website:UUID}} AND link_id = {{link:UUID}} AND {variant} <> ''"
    clicks = (
        f"SELECT if(click_id = '', toString(event_id), click_id) AS name, 1 AS is_click, {variant} AS number,"
        " toDate(occurred_at) AS day, occurred_at AS at, if(visitor = 0, cityHash64(event_id), visitor) AS who,"
        " toInt128(0) AS revenue, toInt64(0) AS conversions, received_at AS reported_at"
        f" FROM {events} WHERE {own} AND toDate(occurred_at) >= {{first:Date}} AND type = 'click' AND NOT is_bot"
    )
    sales = (
        "SELECT if(click_id = '', toString(conversion_id), click_id), 0,"
        f" {variant}, toDate(occurred_at), occurred_at, if(visitor = 0, cityHash64(conversion_id), visitor),"
        " toInt128(c_pending) + toInt128(c_approved), toInt64(d_pending) + toInt64(d_approved), received_at"
        f" FROM {conversions} WHERE {own} AND occurred_at >= toDateTime64({{first:Date}}, 3, 'UTC')"
    )
    by_click = (
        "SELECT argMax(r.number, r.is_click) AS number, argMax(r.day, r.is_click) AS day,"
        " argMax(r.who, r.is_click) AS who, max(r.is_click) AS clicks, sum(r.revenue) AS revenue,"
        " sum(r.conversions) AS conversions, if(max(r.is_click) = 1 AND sum(r.conversions) > 0,"
        " [greatest(dateDiff('second', maxIf(r.at, r.is_click = 1), minIf(r.reported_at, r.is_click = 0)), 0)], [])"
        f" AS delays FROM ({clicks} UNION ALL {sales}) AS r GROUP BY r.name"
    )
    by_visitor = (
        "SELECT b.number AS number, b.day AS day, toInt64(sum(b.clicks)) AS clicks, sum(b.revenue) AS revenue,"
        " sum(b.conversions) AS conversions, groupArrayArray(b.delays) AS delays"
        f" FROM ({by_click}) AS b GROUP BY b.number, b.day, b.who"
    )
    return (
        "SELECT v.number AS number, v.day AS day, sum(v.clicks) AS clicks, sum(v.revenue) AS revenue,"
        " sum(v.conversions) AS conversions, count() AS visitors, countIf(v.conversions > 0) AS buyers,"
        " sum(toFloat64(v.clicks) * v.clicks) AS clicks_squared,"
        " sum(toFloat64(v.revenue) * toFloat64(v.revenue)) AS revenue_squared,"
        " sum(toFloat64(v.revenue) * v.clicks) AS product,"
        f" groupArrayArray({MAX_DELAYS})(v.delays) AS delays"
        f" FROM ({by_visitor}) AS v GROUP BY v.number, v.day ORDER BY number, day"
    )


def first_day(expired_before: date | None, today: date) -> date:
    """The first day (UTC) whose clicks are read. A link may have clicks from before it was created: a backfill."""
    first = today - timedelta(days=MAX_DAYS)
    return max(first, expired_before or first)


def settling_days(rows: Iterable[DayRow]) -> int:
    """How many days it takes until most sales of a day's clicks have come: of the slowest variant that has enough sales
    to tell, at least until the day is over."""
    delays: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        delays[row.number] += row.delays
    known = [sorted(each) for each in delays.values() if len(each) >= MIN_DELAYS]
    slowest = max((each[ceil(SETTLED * len(each)) - 1] for each in known), default=0)
    return min(max(ceil(slowest / 86_400), 1), MAX_SETTLING)


def variants_of(rows: Sequence[DayRow], numbers: Collection[int], today: date) -> list[VariantFigures]:
    """The figures of these variants as they are judged: of days whose sales have mostly come."""
    until = today - timedelta(days=settling_days(rows) - 1)
    found = []
    for number in sorted(numbers):
        own = [row for row in rows if row.number == number and row.day < until]
        found.append(
            VariantFigures(
                number,
                {row.day: DayFigures(row.clicks, row.revenue) for row in own},
                sum(row.conversions for row in own),
                sum(row.visitors for row in own),
                sum(row.buyers for row in own),
                sum(row.clicks_squared for row in own),
                sum(row.revenue_squared for row in own),
                sum(row.product for row in own),
            )
        )
    return found
