"""Parses the query string of an analytics call: website, range, comparison, filters, bots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import Depends, Query, Response
from pydantic import BeforeValidator, Field

from query_api.analytics import dimension_filters, event_times, filters, ranges, visit_growth, visit_rows
from query_api.analytics.cost_shapes import CostDays
from query_api.analytics.filters import InvalidFilter, ValueFilter
from query_api.analytics.kept_events import KeptEvents
from query_api.analytics.query_plan import TrafficSelection
from query_api.analytics.ranges import InvalidRange, Range, TimeRange
from query_api.kernel import clickhouse_reader
from query_api.kernel.authorization import AccountScope, Website
from query_api.kernel.clickhouse_reader import Row
from query_api.kernel.dependencies import CallerScope, Context, Services
from query_api.kernel.pagination import invalid_parameter
from query_api.kernel.postgres_reader import PostgresReader
from query_api.kernel.requests import QueryModel
from schemas.http.analytics import Bots, Compare
from schemas.zones import ZoneInfo

MAX_TEXT: Final = 8192
_BEFORE_ITS_DAY: Final = timedelta(days=2)
"""So long before an instant neither its local day nor its day in UTC has begun."""


def _day(value: object) -> object:
    """`from=` is the same as no `from`. Raises `ValueError` for what is not YYYY-MM-DD."""
    if not isinstance(value, str):
        return value
    if not value:
        return None
    try:
        if _DATE.fullmatch(value):
            return date.fromisoformat(value)
    except ValueError:
        pass  # a day that no calendar has
    raise ValueError("Dates are written YYYY-MM-DD, such as 2026-11-21.")


_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
Day = Annotated[date | None, BeforeValidator(_day)]
Values = Annotated[str, Field(max_length=MAX_TEXT)]


class TimeQuery(QueryModel):
    """A range."""

    time_range: TimeRange = TimeRange.LAST_7D
    from_: Day = Field(default=None, alias="from", description="First day, with timeRange=custom: YYYY-MM-DD")
    to: Day = Field(default=None, description="Last day, inclusive")


class RangeQuery(TimeQuery):
    """Website and range."""

    website_id: UUID


class FigureQuery(TimeQuery):
    """Which figures of a website. Filters: a comma means any of, a leading `-` means not, `(none)` means no value."""

    compare: Compare = Compare.PREVIOUS
    compare_from: Day = Field(default=None, description="First day to compare with, with compare=custom: YYYY-MM-DD")
    compare_to: Day = Field(default=None, description="Last day to compare with, inclusive")
    match_weekdays: bool = Field(
        default=False, description="Shift the range that is compared, so that it begins on the same day of the week"
    )
    bots: Bots = Bots.EXCLUDE
    partner: Values = Field(default="", description="Ids or slugs")
    country: Values = Field(default="", description="ISO 3166-1 alpha-2")
    device: Values = ""
    source: Values = ""
    link: Values = Field(default="", description="Ids or slugs")
    reason: Values = Field(
        default="", description="Why events are excluded (crawler, rate, ...); needs `bots` to be only or include"
    )
    sub1: Values = ""
    sub2: Values = ""
    sub3: Values = ""
    sub4: Values = ""
    sub5: Values = ""
    sub6: Values = ""
    sub7: Values = ""
    sub8: Values = ""
    sub9: Values = ""
    sub10: Values = ""
    filter: list[Values] = Field(
        default_factory=list,
        max_length=filters.MAX_FILTERS,
        description="DIMENSION:OPERATOR:VALUES, such as page:is:/a|/b; may be repeated",
    )


class AnalyticsQuery(FigureQuery, RangeQuery):
    """What the five calls take."""


@dataclass(frozen=True, slots=True)
class AnalyticsRequest:
    """One parsed analytics request: the website is the caller's, ranges are instants, slugs are replaced by ids."""

    services: Services
    reader: PostgresReader
    website: Website
    range: Range
    compared: Range | None
    selection: TrafficSelection

    def read(self, response: Response, *queries: clickhouse_reader.Query) -> list[list[Row]]:
        """The rows of each statement, all run at once; adds the freshness headers."""
        return self.services.read(response, *queries)


def parse_request(query: Annotated[AnalyticsQuery, Query()], context: Context, scope: CallerScope) -> AnalyticsRequest:
    """Raises `Problem` 400 for what makes no sense and 404 for a website that is not theirs."""
    return request_for(query, scope.website(query.website_id), context, scope)


def request_for(
    query: FigureQuery, website: Website, context: Services, scope: AccountScope, *, needs_visits: bool = False
) -> AnalyticsRequest:
    """The parsed request for a website of the caller's scope. `needs_visits`: it reads visits, whatever the filters.
    Raises `Problem` 400."""
    range_ = range_of(query, website, context)
    kept = KeptEvents.of(website)
    compared = compared_range(query, range_, kept)
    chosen = [parsed for name in filters.COLUMNS if (parsed := parse_filter(name, getattr(query, name))) is not None]
    ranges_ = [each for each in (range_, compared) if each is not None]
    spans = [(each.start, each.end) for each in ranges_]
    named = dimension_filters.read(query.filter, scope.reader, website, spans)
    selection = TrafficSelection(
        str(website.id), (*_with_ids(scope.reader, website, chosen), *named), query.bots, kept=kept
    )
    if needs_visits or any(each.needs_visits for each in selection.filters):
        whole_days = [(days.start, days.end) for days in map(CostDays.of, ranges_)]
        days, builds = context.query_coalescer.all(*visit_rows.plan_queries(selection.website_id, whole_days))
        visits = visit_rows.plan(selection.website_id, days, builds, kept)
        if visits.outdated:
            [checked] = context.query_coalescer.all(visit_growth.check_query(selection.website_id, visits.outdated))
            visits = visits.with_grown(checked)
        selection = replace(selection, visits=visits)
    return AnalyticsRequest(context, scope.reader, website, range_, compared, selection)


ParsedRequest = Annotated[AnalyticsRequest, Depends(parse_request)]


def range_of(query: TimeQuery, website: Website, context: Services) -> Range:
    """The requested range in the website's time zone. Raises `Problem` 400, and 503 for `all` without ClickHouse."""
    since = None
    if query.time_range is TimeRange.ALL:
        [rows] = context.query_coalescer.all(event_times.first(website))
        since = event_times.day(website, rows)
    return range_in(query, website.zone, since)


def range_in(query: TimeQuery, zone: ZoneInfo, since: date | None = None) -> Range:
    """The requested range in a time zone; `since` is where `all` begins. Raises `Problem` 400."""
    try:
        return ranges.resolve(query.time_range, zone, datetime.now(UTC), query.from_, query.to, since=since)
    except InvalidRange as error:
        raise invalid_parameter(error.field, str(error)) from error


def compared_range(query: FigureQuery, range_: Range, kept: KeptEvents) -> Range | None:
    """The range that `range_` is compared with: as much of it as has passed of `range_`, unless a part of its last day
    can't be counted any more. Raises `Problem` 400."""
    try:
        custom = ranges.compared_days(query.compare, range_.timezone, query.compare_from, query.compare_to)
        compared = ranges.comparison(range_, query.compare, custom, match_weekdays=query.match_weekdays)
    except InvalidRange as error:
        raise invalid_parameter(error.field, str(error)) from error
    if compared is None:
        return None
    as_far = ranges.as_far_as(range_, compared, datetime.now(UTC))
    return as_far if kept.has_all(as_far.end - _BEFORE_ITS_DAY) else compared


def parse_filter(name: str, text: str) -> ValueFilter | None:
    """The filter that a parameter means; none for an empty one. Raises `Problem` 400."""
    try:
        return filters.parse(name, text)
    except InvalidFilter as error:
        raise invalid_parameter(error.field, str(error)) from error


_BY_SLUG: Final[Mapping[str, str]] = {
    "partner": "SELECT slug, id::text FROM read.partners WHERE slug = ANY(%(slugs)s)",
    "link": "SELECT slug, id::text FROM read.links WHERE slug = ANY(%(slugs)s) AND website_id = %(website)s",
}


def _with_ids(reader: PostgresReader, website: Website, chosen: Iterable[ValueFilter]) -> Iterable[ValueFilter]:
    """The filters, with slugs of partners and links exchanged for their ids."""
    for one in chosen:
        sql = _BY_SLUG.get(one.name)
        if sql is None:
            yield one
            continue
        values = {*one.wanted, *one.unwanted}
        ids = {value: str(uuid) for value in values if (uuid := _uuid(value)) is not None}
        slugs = sorted(values - ids.keys())
        if slugs:
            bound: dict[str, Any] = {"slugs": slugs, "website": website.id}
            ids.update((row["slug"], row["id"]) for row in reader.rows(sql, bound))
        for value in values - ids.keys():
            raise invalid_parameter(one.name, f"No {one.name} is named {value!r}.")
        yield one.replaced(ids)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
