"""`overview`: the figures of a range and of the range it is compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any, Final

from fastapi import Response
from pydantic import Field

from query_api.analytics import event_times, metrics, partners, series, statement
from query_api.analytics.metrics import UNIQUES, MetricCounts, Source
from query_api.analytics.query_plan import TablePlan, TrafficSelection
from query_api.analytics.ranges import Range
from query_api.analytics.request import AnalyticsRequest
from query_api.analytics.rewrites import choose_table
from query_api.kernel import money
from query_api.kernel.authorization import Website
from query_api.kernel.clickhouse_reader import Query, Row
from query_api.kernel.money import Major
from query_api.kernel.visitor_cache import CachedVisitorQuery
from schemas.days import local_day
from schemas.figures import MONEY
from schemas.http.responses import ResponseModel


class ClickTotals(ResponseModel):
    """Clicks of a range."""

    total: int
    unique: int = Field(description="Distinct visitors among them")


class ConversionTotals(ResponseModel, alias_generator=None):
    """Conversions of a range; total = pending + approved."""

    total: int
    pending: int
    approved: int
    rejected: int
    reversed: int
    average_commission: Major = Field(description="Revenue per conversion, major units")


class RevenueTotals(ResponseModel, alias_generator=None):
    """The website's commission in major units; total = pending + approved, less what was reversed."""

    total: Major
    pending: Major
    approved: Major
    reversed: Major
    active_partners: int = Field(description="Partners with a click or conversion")


class Figures(ResponseModel):
    """Everything the dashboard's cards show of one range."""

    clicks: ClickTotals
    pageviews: int
    visitors: int
    conversions: ConversionTotals
    revenue: RevenueTotals
    conversion_rate: float = Field(alias="conversion_rate", description="Conversions per hundred clicks, two decimals")


class ShownRange(ResponseModel):
    """What the range came to be."""

    from_: str = Field(alias="from", description="Inclusive: a date, or the first hour for 24h")
    to: str = Field(description="Inclusive: a date, or the last hour for 24h")
    timezone: str
    bucket: str
    until: datetime | None = Field(
        default=None,
        description="Of a range that is compared with one whose last day is not over: it is counted until then, which"
        " is as long before the end of its own last day",
    )

    @classmethod
    def of_range(cls, range_: Range) -> ShownRange:
        fields = {"from": range_.shown_from, "to": range_.shown_to, "timezone": range_.timezone.key}
        until = range_.end if range_.is_cut else None
        return cls.model_validate({**fields, "bucket": range_.bucket, "until": until})


class Overview(Figures):
    """The figures of the range, and of the one it is compared with."""

    range: ShownRange
    currency: str
    previous: Figures | None = Field(description="The comparison range; null with compare=none")
    previous_range: ShownRange | None = Field(description="What the comparison range came to be")
    previous_has_data: bool | None = Field(
        description="False: the comparison range ends before the website's first event; there is nothing to compare"
    )
    previous_data_from: date | None = Field(
        description="Day of the website's first event, if it is in the comparison range: only a part of it has data"
    )
    last_event_at: datetime | None = Field(
        description="Time of the website's newest event, bots left out, in whatever range; to the quarter of an hour if"
        " it arrived more than two days ago"
    )


def _totals(selection: TrafficSelection, range_: Range) -> Query:
    """Returns plain selects, combined by UNION ALL: planning a join costs the engine more than reading the rows."""
    counting, seeing = (TablePlan(selection, range_, names) for names in (_COUNTERS, UNIQUES))
    source = choose_table(seeing).source
    promoted = statement.table(partners.by_partner(selection, range_))
    active = statement.over(promoted, "p", _EDGE, _NO_COUNTERS, _NO_UNIQUES, f"countIf({_ACTIVE}) AS active_partners")
    if choose_table(counting).source is source:
        both = (*_COUNTERS, *UNIQUES)
        return statement.union(_select(replace(counting, counters=both), (), (_NO_PARTNERS,)), active)
    others = statement.union(_select(counting, (), (_NO_UNIQUES, _NO_PARTNERS)), active)
    whole = statement.union(others, _select(seeing, (_NO_COUNTERS,), (_NO_PARTNERS,)))
    if source is not Source.VISITORS:
        return whole
    one_bucket = replace(range_, edges=(range_.start, range_.end))
    return CachedVisitorQuery(whole.sql, whole.parameters, *series.past_and_parts(selection, one_bucket), others)


def _select(plan: TablePlan, before: tuple[str, ...], after: tuple[str, ...]) -> Query:
    return statement.table(replace(plan, before=(_EDGE, *before), after=after))


_COUNTERS = tuple(metrics.COUNTERS)
_EDGE = "toUInt32(2) AS edge"
"""A `CachedVisitorQuery` names the bucket of each row. Here all are of the same one."""
_NO_COUNTERS = ", ".join(f"{'toInt128' if name in MONEY else 'toInt64'}(0) AS {name}" for name in metrics.COUNTERS)
_NO_UNIQUES = "toUInt64(0) AS unique_clickers, toUInt64(0) AS unique_visitors"
_NO_PARTNERS = "toUInt64(0) AS active_partners"
# Named in full: the zeros beside it have the names of the sums.
_ACTIVE = metrics.is_active("p")


def figures(row: Mapping[str, Any], currency: str) -> Figures:
    """Returns the metrics of one row of totals; counters that it lacks are zero."""
    counts = MetricCounts.of(row)
    return Figures(
        clicks=ClickTotals(total=counts.clicks, unique=row.get("unique_clickers", 0)),
        pageviews=counts.pageviews,
        visitors=row.get("unique_visitors", 0),
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
            pending=money.major(counts.c_pending, currency),
            approved=money.major(counts.c_approved, currency),
            reversed=money.major(counts.c_reversed, currency),
            active_partners=row.get("active_partners", 0),
        ),
        conversion_rate=counts.conversion_rate,
    )


def read(request: AnalyticsRequest, response: Response) -> Overview:
    """The range's own figures come from the rows that other calls read, too; of the compared one its totals alone."""
    range_, compared, website = request.range, request.compared, request.website
    shared = series.queries(request.selection, range_)
    since = request.services.first_events.known(website.id)
    totals = [_totals(request.selection, compared)] if compared is not None else []
    looks_for_first = compared is not None and (since is None or since >= compared.start)
    first = [event_times.first(website)] if looks_for_first else []  # else an older first event would change nothing
    results = request.read(
        response, *shared, partners.query(request.selection, range_), event_times.last(website), *totals, *first
    )
    of_series, (of_partners, newest, *others) = results[: len(shared)], results[len(shared) :]
    if first:
        since = event_times.instant(others.pop())
        if since is not None:
            request.services.first_events.note(website.id, since)
    now = {**series.whole(*of_series), "active_partners": partners.active(of_partners)}
    return Overview(
        range=ShownRange.of_range(range_),
        currency=website.currency,
        last_event_at=event_times.instant(newest),
        **(_comparison(website, compared, others[0], since) if compared is not None else _NO_COMPARISON),
        **dict(figures(now, website.currency)),
    )


_NO_COMPARISON: Final[Mapping[str, Any]] = {
    "previous": None, "previous_range": None, "previous_has_data": None, "previous_data_from": None
}  # fmt: skip


def _comparison(website: Website, range_: Range, totals: Sequence[Row], since: datetime | None) -> Mapping[str, Any]:
    """Returns what the overview says of the comparison range, from its totals and the time of the website's first
    event."""
    is_partial = event_times.begins_within(range_, since)
    return {
        "previous": figures(_summed(totals), website.currency),
        "previous_range": ShownRange.of_range(range_),
        "previous_has_data": since is not None and since < range_.end,
        "previous_data_from": local_day(website.zone, since) if since is not None and is_partial else None,
    }


def _summed(found: Sequence[Row]) -> Mapping[str, Any]:
    """The row that the rows of `_totals` add up to. Each has zeros, or nothing, for the others' columns."""
    return {name: sum(row.get(name, 0) for row in found) for name in _SUMMED}


_SUMMED: Final = (*metrics.COUNTERS, "unique_clickers", "unique_visitors", "active_partners")
