"""`breakdown`: every metric by the values of any one or two dimensions, and its series over time.

A page of rows is read with the row of everything, then the same values in the range that it is compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from typing import Any, Final

from fastapi import Response
from pydantic import Field

from infra.domain.visits import dimensions
from infra.domain.visits.dimensions import WEEKDAY_HOUR
from infra.kernel.net.geoip import country_names
from query_api.analytics import breakdown_query, first_page
from query_api.analytics.breakdown_query import (
    MANY_VALUES,
    METRICS,
    Report,
    Sorting,
    others_of,
    total_of,
    values_of,
)
from query_api.analytics.geographic import country_name
from query_api.analytics.metrics import Counts
from query_api.analytics.overview import ShownRange
from query_api.analytics.query_plan import counts_by_edge
from query_api.analytics.request import AnalyticsQuery, AnalyticsRequest
from query_api.kernel import money, pagination
from query_api.kernel.clickhouse_reader import Query, Row
from query_api.kernel.money import Major
from query_api.kernel.pagination import invalid_parameter
from query_api.kernel.postgres_reader import Reader
from schemas.http.responses import ResponseModel

MAX_DIMENSIONS: Final = 2
MAX_EXPORTED: Final = 10_000
MAX_BESIDE: Final = 2_000
"""Values of a comparison that are read before it is known which ones are shown."""
MAX_SERIES: Final = 20
MAX_SEARCH: Final = 256
NOT_SET: Final = "(not set)"
_WEEKDAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class BreakdownQuery(AnalyticsQuery):
    """The analytics calls' query, and the report."""

    by: str = Field(default="page", max_length=200, description="One or two dimensions, separated by a comma")
    metrics: str = Field(default="", max_length=512, description="Those to return, separated by commas; empty: all")
    sort: str = Field(default="-clicks", max_length=128, description="Metric or dimension; a leading `-`: descending")
    search: str = Field(default="", max_length=MAX_SEARCH, description="Text that a value or its name contains")
    limit: int = Field(default=100, ge=1, le=1000)
    cursor: str | None = Field(default=None, max_length=16_384)


class SeriesQuery(AnalyticsQuery):
    """The analytics calls' query, and which values to follow."""

    by: str = Field(default="", max_length=200, description="One dimension; empty: everything")
    values: str = Field(default="", max_length=20_480, description="Separated by commas; `\\,` is a comma in a value")
    metric: str = Field(default="clicks", max_length=64)


class ReportMetrics(ResponseModel, alias_generator=None):
    """Metrics of one row; those that were not requested are missing. Money in major units."""

    visitors: int = Field(default=0, description="Distinct visitors")
    visits: int = Field(default=0, description="Distinct visits with an event here; by time: visits that began")
    pageviews: int = 0
    clicks: int = 0
    impressions: int = Field(default=0, description="Affiliate links in view, where sampled: times the sampling")
    events: int = Field(default=0, description="Clicks, page views and custom events")
    conversions: int = Field(default=0, description="Pending and approved")
    pending: int = 0
    approved: int = 0
    rejected: int = 0
    reversed: int = 0
    revenue: Major = Field(default=Decimal(0), description="Commission on pending and approved conversions")
    views_per_visit: float = 0
    bounce_rate: float = Field(default=0, description="Of the visits that began here: percent with one page view only")
    visit_duration: float = Field(default=0, description="Of the visits that began here: seconds on average")
    click_through_rate: float = Field(default=0, description="Clicks per hundred page views")
    click_rate: float = Field(default=0, description="Clicks per hundred impressions")
    conversion_rate: float = Field(default=0, description="Conversions per hundred clicks")
    epc: Major = Field(default=Decimal(0), description="Revenue per click")
    revenue_per_1000_visits: Major = Decimal(0)


class BreakdownRow(ReportMetrics):
    """One value, or one pair of values."""

    values: dict[str, str] = Field(description="By dimension; the empty text: no value")
    label: str = Field(description="What to show: names of partners, links and countries; (not set)")
    labels: dict[str, str] = Field(description="The same by dimension")
    previous: ReportMetrics | None = Field(description="In the comparison range; null with compare=none")


class BreakdownTotals(ReportMetrics):
    """Everything in the range, whatever page and search."""

    previous: ReportMetrics | None


class Breakdown(ResponseModel):
    """A page of a report."""

    range: ShownRange
    currency: str
    by: list[str]
    rows: list[BreakdownRow]
    totals: BreakdownTotals
    next_cursor: str | None = Field(description="For the page after this one; null: there is none")


class SeriesPoint(ResponseModel):
    """One bucket."""

    date: str = Field(description="Local date of the bucket's first day, or local time with offset for hours")
    values: dict[str, Major] = Field(description="The metric by value; the empty text with no dimension: everything")


@dataclass(frozen=True, slots=True)
class ParsedReport:
    """A report's query, understood."""

    by: tuple[str, ...]
    metrics: tuple[str, ...]
    sorting: Sorting

    @property
    def counters(self) -> tuple[str, ...]:
        """What it shows, or is sorted by, is computed from these."""
        return breakdown_query.counters_of((*self.metrics, self.sorting.name))


def read(query: BreakdownQuery, request: AnalyticsRequest, response: Response) -> Breakdown:
    """One page. Raises `Problem` 400."""
    parsed = parse(query)
    report = Report(request.selection, request.range, parsed.by, parsed.counters)
    after = _after(query.cursor, parsed) if query.cursor else ()
    search = _search(request, query.search, parsed.by)
    beside: list[list[Row]] = []
    page = None if after else first_page.read(request, response, report, parsed.sorting, search, query.limit + 1)
    if page is not None:
        found, late = page.rows, page.late
    else:
        late = breakdown_query.late(report, parsed.sorting)
        first = replace(report, counters=tuple(name for name in report.counters if name not in late))
        rows_of_page = breakdown_query.query(first, parsed.sorting, search, after, query.limit + 1)
        found, *beside = request.read(response, rows_of_page, *_beside(request, report))
    total, rows = total_of(found), others_of(found)
    has_more, rows = len(rows) > query.limit, rows[: query.limit]
    more, before = _of_rows(request, response, report, rows, late, beside)
    labels = _labels(request, parsed.by, rows)
    shown = _Shown(parsed.metrics, request.website.currency)

    def earlier(*values: str) -> ReportMetrics | None:
        return None if before is None else shown.metrics(before.get(values, {}))

    return Breakdown.model_construct(
        range=ShownRange.of_range(request.range),
        currency=request.website.currency,
        by=list(parsed.by),
        rows=[
            BreakdownRow.model_construct(
                values=dict(zip(parsed.by, values, strict=True)),
                label=" · ".join(labels[name, value] for name, value in zip(parsed.by, values, strict=True)),
                labels={name: labels[name, value] for name, value in zip(parsed.by, values, strict=True)},
                previous=earlier(*values),
                **shown.figures({**row, **more.get(values, {})}),
            )
            for row, values in ((row, values_of(row, parsed.by)) for row in rows)
        ],
        totals=BreakdownTotals.model_construct(previous=earlier(), **shown.figures({**total, **more.get((), {})})),
        next_cursor=_cursor(rows[-1], parsed) if has_more else None,
    )


def read_series(query: SeriesQuery, request: AnalyticsRequest, response: Response) -> list[SeriesPoint]:
    """The metric per bucket and value; buckets without events have zeros. Raises `Problem` 400."""
    if query.metric not in METRICS:
        raise _unknown("metric", query.metric, METRICS)
    shown = _Shown((query.metric,), request.website.currency)
    counters = breakdown_query.counters_of((query.metric,))
    if not query.by and not request.selection.filters:
        values, statement = [""], breakdown_query.total_series(Report(request.selection, request.range, (), counters))
    else:
        by = (_dimension(query.by),) if query.by else ()
        values = split(query.values) if by else [""]
        if len(values) > MAX_SERIES:
            raise invalid_parameter("values", f"A series follows at most {MAX_SERIES} values.")
        only = tuple((value,) for value in values) if by else None
        statement = breakdown_query.series(Report(request.selection, request.range, by, counters, only))
    [found] = request.read(response, statement)
    by_value = {value: [row for row in found if row.get("v0", "") == value] for value in values}
    laid = {value: counts_by_edge(request.range, rows) for value, rows in by_value.items()}
    return [
        SeriesPoint(date=date, values={value: shown.figures(laid[value][number])[query.metric] for value in values})
        for number, date in enumerate(request.range.labels)
    ]


class Line(ResponseModel, extra="allow"):
    """A row of a report as one line of a file."""


def lines(found: Breakdown, metrics: Sequence[str]) -> tuple[list[str], list[Line]]:
    """Columns and lines of a report's file: names of the values, then the metrics."""
    rows = [
        Line.model_construct(**{**row.labels, **{name: getattr(row, name) for name in metrics}}) for row in found.rows
    ]
    return [*found.by, *metrics], rows


def parse(query: BreakdownQuery) -> ParsedReport:
    """Raises `Problem` 400 for unknown names, and names the valid ones."""
    by = tuple(dict.fromkeys(_dimension(name) for name in query.by.split(",")))
    if len(by) > MAX_DIMENSIONS:
        raise invalid_parameter("by", f"A report has at most {MAX_DIMENSIONS} dimensions.")
    metrics = tuple(dict.fromkeys(name for name in query.metrics.split(",") if name)) or tuple(METRICS)
    for name in metrics:
        if name not in METRICS:
            raise _unknown("metrics", name, METRICS)
    name = query.sort.removeprefix("-")
    if name not in METRICS and name not in by:
        raise _unknown("sort", name, (*METRICS, *by))
    return ParsedReport(by, metrics, Sorting(name, query.sort.startswith("-")))


def split(text: str) -> list[str]:
    """The values between commas; a backslash takes a comma, and itself, as it is."""
    values, rest = [""], iter(text)
    for sign in rest:
        if sign == "\\":
            following = next(rest, "")
            values[-1] += following if following in (",", "\\") else sign + following
        elif sign == ",":
            values.append("")
        else:
            values[-1] += sign
    return list(dict.fromkeys(values))


@dataclass(frozen=True, slots=True)
class _Shown:
    """Which metrics are shown, and in which currency."""

    names: tuple[str, ...]
    currency: str

    def metrics(self, row: Mapping[str, Any]) -> ReportMetrics:
        return ReportMetrics.model_construct(**self.figures(row))

    def figures(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The metrics of one row of counters; what it lacks is zero."""
        counts = Counts.of(row)
        return {name: _FIGURES[name](row, counts, self.currency) for name in self.names}


def _number(row: Mapping[str, Any], name: str) -> int:
    return int(row.get(name, 0))


def _ratio(row: Mapping[str, Any], part: str, whole: str) -> float:
    return round(_number(row, part) / _number(row, whole), 2) if _number(row, whole) else 0.0


_Figure = Callable[[Mapping[str, Any], Counts, str], Any]
_FIGURES: Final[Mapping[str, _Figure]] = {
    "visitors": lambda row, _, __: _number(row, "visitors"),
    "visits": lambda row, _, __: _number(row, "visits"),
    "pageviews": lambda _, counts, __: counts.pageviews,
    "clicks": lambda _, counts, __: counts.clicks,
    "impressions": lambda row, _, __: _number(row, "impressions"),
    "events": lambda row, _, __: _number(row, "events"),
    "conversions": lambda _, counts, __: counts.conversions,
    "pending": lambda _, counts, __: counts.pending,
    "approved": lambda _, counts, __: counts.approved,
    "rejected": lambda _, counts, __: counts.rejected,
    "reversed": lambda _, counts, __: counts.reversed,
    "revenue": lambda _, counts, currency: money.major(counts.revenue, currency),
    "views_per_visit": lambda row, _, __: _ratio(row, "pageviews", "visits"),
    "bounce_rate": lambda row, _, __: money.percent(_number(row, "bounces"), _number(row, "entries")),
    "visit_duration": lambda row, _, __: _ratio(row, "seconds", "entries"),
    "click_through_rate": lambda _, counts, __: money.percent(counts.clicks, counts.pageviews),
    "click_rate": lambda row, counts, __: money.percent(counts.clicks, _number(row, "impressions")),
    "conversion_rate": lambda _, counts, __: counts.conversion_rate,
    "epc": lambda _, counts, currency: counts.epc(currency),
    "revenue_per_1000_visits": lambda row, counts, currency: money.per(
        1000 * counts.revenue, _number(row, "visits"), currency
    ),
}


_ByValues = Mapping[tuple[str, ...], Row]
"""Rows by their values; that of everything by no value."""


def _beside(request: AnalyticsRequest, report: Report) -> list[Query]:
    """The comparison range of a report that has few values: all of them are read while its page is read."""
    if request.compared is None or not report.is_daily or report.by[0] in MANY_VALUES:
        return []
    return [breakdown_query.counted(replace(report, range=request.compared), limit=MAX_BESIDE + 1)]


def _of_rows(
    request: AnalyticsRequest,
    response: Response,
    report: Report,
    rows: Sequence[Row],
    late: Sequence[str],
    beside: Sequence[Sequence[Row]],
) -> tuple[_ByValues, _ByValues | None]:
    """What is read of the shown rows alone: their `late` counters, and their counters in the comparison range, if there
    is one and `beside` does not have all of it."""
    shown = replace(report, only=tuple(values_of(row, report.by) for row in rows))
    last = [breakdown_query.counted(replace(shown, counters=tuple(late)))] if late else []
    before = []
    has_all = any(len(found) <= MAX_BESIDE for found in beside)
    if request.compared is not None and not has_all:
        before = [breakdown_query.counted(replace(shown, range=request.compared))]
    found = request.read(response, *last, *before) if last or before else []
    compared = [*found[len(last) :], *(beside if has_all else ())]

    def by_values(rows: Sequence[Row]) -> _ByValues:
        return {() if row["is_total"] else values_of(row, report.by): row for row in rows}

    return by_values(found[0]) if last else {}, by_values(compared[0]) if compared else None


def _dimension(name: str) -> str:
    if not dimensions.is_dimension(name):
        raise _unknown("by", name, (*dimensions.NAMES, "prop:NAME"))
    return name


def _unknown(parameter: str, name: str, valid: Iterable[str]) -> Exception:
    return invalid_parameter(parameter, f"{name[:100]!r} is unknown. Use one of {', '.join(valid)}.")


def _after(cursor: str, parsed: ParsedReport) -> tuple[Any, ...]:
    found: tuple[Any, ...] = pagination.decode(cursor, str, *(str for _ in parsed.by))
    if parsed.sorting.name in METRICS:
        try:
            number = float(found[0])
        except ValueError:
            raise pagination.bad_cursor() from None
        if number != number or (parsed.sorting.name not in breakdown_query.RATIOS and not _is_integer(found[0])):
            raise pagination.bad_cursor()
    return found


def _is_integer(text: str) -> bool:
    return text.removeprefix("-").isascii() and text.removeprefix("-").isdigit() and len(text) <= 38


def _cursor(row: Row, parsed: ParsedReport) -> str:
    sorted_by = row["sorted"]
    return pagination.encode(
        repr(sorted_by) if isinstance(sorted_by, float) else str(sorted_by), *values_of(row, parsed.by)
    )


_BY_NAME: Final[Mapping[str, str]] = {
    "partner": "SELECT id::text AS id FROM read.partners WHERE strpos(lower(name), lower(%s)) > 0 LIMIT 1000",
    "link": "SELECT id::text AS id FROM read.links WHERE strpos(lower(slug), lower(%s)) > 0 AND website_id = %s"
    " LIMIT 1000",
}
_NAMES: Final[Mapping[str, str]] = {
    "partner": "SELECT id::text AS id, name FROM read.partners WHERE id = ANY(%s::uuid[])",
    "link": "SELECT id::text AS id, slug AS name FROM read.links WHERE id = ANY(%s::uuid[])",
}


def _search(request: AnalyticsRequest, text: str, by: Sequence[str]) -> Mapping[str, Any] | None:
    """What `breakdown_query.query` searches: values, and ids and codes whose names contain the text."""
    text = text.strip()
    if not text:
        return None
    ids: list[str] = []
    if "partner" in by:
        ids += [row["id"] for row in request.reader.rows(_BY_NAME["partner"], (text,))]
    if "link" in by:
        ids += [row["id"] for row in request.reader.rows(_BY_NAME["link"], (text, request.website.id))]
    if "country" in by:
        ids += [code for code, name in country_names().items() if text.lower() in name.lower()]
    return {"text": text, "ids": ids}


def _labels(request: AnalyticsRequest, by: Sequence[str], rows: Sequence[Row]) -> Mapping[tuple[str, str], str]:
    """What to show for each value of each dimension."""
    labels: dict[tuple[str, str], str] = {}
    for number, name in enumerate(by):
        values = {row[f"v{number}"] for row in rows}
        names = _names(request.reader, name, values)
        labels |= {(name, value): names.get(value, value) or NOT_SET for value in values}
    return labels


def _names(reader: Reader, dimension: str, values: set[str]) -> Mapping[str, str]:
    if dimension in _NAMES and values - {""}:
        return {row["id"]: row["name"] for row in reader.rows(_NAMES[dimension], (sorted(values - {""}),))}
    if dimension == "country":
        return {value: country_name(value) for value in values if value}
    if dimension == WEEKDAY_HOUR:
        return {f"{day + 1}-{hour}": f"{_WEEKDAYS[day]} {hour:02d}:00" for day, hour in product(range(7), range(24))}
    return {}
