"""`overview`: the figures of a range and of the range it is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from query_api import money
from query_api.analytics import metrics
from query_api.analytics.metrics import Counts, Source
from query_api.analytics.ranges import Range
from query_api.analytics.reading import NO_PARTNER, Selection, rows, seconds, source_of, sums_by
from query_api.columnar import Query


class ClickTotals(BaseModel):
    """Clicks of a range."""

    total: int
    unique: int = Field(description="Distinct visitors among them")


class ConversionTotals(BaseModel):
    """Conversions of a range; total = pending + approved."""

    total: int
    pending: int
    approved: int
    rejected: int
    reversed: int
    average_commission: float = Field(description="Revenue per conversion, major units")


class RevenueTotals(BaseModel):
    """The website's commission in major units; total = pending + approved, less what was reversed."""

    total: float
    pending: float
    approved: float
    reversed: float
    active_partners: int = Field(description="Partners with a click or conversion")


class Figures(BaseModel):
    """Everything the dashboard's cards show of one range."""

    clicks: ClickTotals
    pageviews: int
    visitors: int
    conversions: ConversionTotals
    revenue: RevenueTotals
    conversion_rate: float = Field(description="Conversions per hundred clicks, two decimals")


class ShownRange(BaseModel):
    """What the range came to be."""

    from_: str = Field(alias="from", description="Inclusive: a date, or the first hour for 24h")
    to: str = Field(description="Inclusive: a date, or the last hour for 24h")
    timezone: str
    bucket: str


class Overview(Figures):
    """The figures of the range, and of the one it is compared with."""

    range: ShownRange
    currency: str
    previous: Figures | None = Field(description="The range it is compared with; null with compare=none")


def queries(selection: Selection, range_: Range, compared: Range | None) -> list[Query]:
    """Statements whose rows add up to one per range: `period` 0 is the range itself, 1 the one it is compared with.

    One statement for both, unless they overlap (a range of more than a year, compared with the year before).
    """
    if compared is None or compared.end <= range_.start:
        return [_query(selection, range_, compared, 0)]
    return [_query(selection, range_, None, 0), _query(selection, compared, None, 1)]


def _query(selection: Selection, range_: Range, compared: Range | None, period: int) -> Query:
    """Plain selects, put together by UNION ALL: planning a join costs the engine more than reading the rows."""
    traffic = source_of(selection, Source.TRAFFIC, tuple(metrics.COUNTERS))
    visitors = source_of(selection, Source.VISITORS)
    partners = source_of(selection, Source.PARTNER)
    first = compared if compared is not None else range_
    bounds = {"begin": seconds(range_.start), "gap": seconds(first.end)}

    def chosen(source: Source) -> tuple[str, str, Mapping[str, Any]]:
        """The period's expression, FROM and WHERE, and what is bound."""
        found = rows(source, selection, first.start, range_.end)
        begin = f"t.{source.time} < toDateTime({{begin:UInt32}}, 'UTC')"
        between = f" AND NOT ({begin} AND t.{source.time} >= toDateTime({{gap:UInt32}}, 'UTC'))"
        sql = found.sql + (between if first.end < range_.start else "")
        return f"toUInt8({period} + ({begin})) AS period", sql, found.parameters

    shown, counted, bound = chosen(traffic)
    counters, uniques = metrics.counters(traffic), metrics.uniques(visitors)
    active = metrics.counters(partners, metrics.PERFORMANCE_COUNTERS)
    if traffic is visitors:
        parts = [f"SELECT {shown}, {counters}, {uniques}, {_NO_PARTNERS} {counted} GROUP BY period"]
    else:
        seen, visited, more = chosen(visitors)
        bound = {**bound, **more}
        parts = [
            f"SELECT {shown}, {counters}, {_NO_UNIQUES}, {_NO_PARTNERS} {counted} GROUP BY period",
            f"SELECT {seen}, {_NO_COUNTERS}, {uniques}, {_NO_PARTNERS} {visited} GROUP BY period",
        ]
    per, promoted, more = chosen(partners)
    parts.append(
        f"SELECT period, {_NO_COUNTERS}, {_NO_UNIQUES}, countIf({_ACTIVE}) AS active_partners FROM"  # noqa: S608
        f" (SELECT {per}, {active} {promoted} AND t.partner_id <> {NO_PARTNER} GROUP BY period, t.partner_id) AS p"
        " GROUP BY period"
    )
    return Query(" UNION ALL ".join(parts), {**bound, **more, **bounds})


_NO_COUNTERS = ", ".join(f"toInt64(0) AS {name}" for name in metrics.COUNTERS)
_NO_UNIQUES = "toUInt64(0) AS unique_clickers, toUInt64(0) AS unique_visitors"
_NO_PARTNERS = "toUInt64(0) AS active_partners"
# Named in full: the zeros beside it have the names of the sums.
_ACTIVE = metrics.is_active("p")
_NOTHING: Mapping[str, Any] = {"unique_clickers": 0, "unique_visitors": 0, "active_partners": 0}


def figures(row: Mapping[str, Any], currency: str) -> Figures:
    """The figures of one row of `queries`."""
    counts = Counts.of(row)
    pending, approved = money.major_series([counts.c_pending, counts.c_approved], currency)
    return Figures(
        clicks=ClickTotals(total=counts.clicks, unique=row["unique_clickers"]),
        pageviews=counts.pageviews,
        visitors=row["unique_visitors"],
        conversions=ConversionTotals(
            total=counts.conversions,
            pending=counts.pending,
            approved=counts.approved,
            rejected=counts.rejected,
            reversed=counts.reversed,
            average_commission=counts.average_commission(currency),
        ),
        revenue=RevenueTotals(
            total=money.major(counts.revenue, currency),
            pending=pending,
            approved=approved,
            reversed=money.major(counts.c_reversed, currency),
            active_partners=row["active_partners"],
        ),
        conversion_rate=counts.conversion_rate,
    )


def answer(found: list[Mapping[str, Any]], range_: Range, currency: str, is_compared: bool) -> Overview:
    """From the rows of `queries`."""
    sums = sums_by("period", found)
    now = figures(sums.get(0, _NOTHING), currency)
    before = figures(sums.get(1, _NOTHING), currency) if is_compared else None
    shown = {"from": range_.shown_from, "to": range_.shown_to, "timezone": range_.timezone.key, "bucket": range_.bucket}
    return Overview(range=ShownRange.model_validate(shown), currency=currency, previous=before, **dict(now))
