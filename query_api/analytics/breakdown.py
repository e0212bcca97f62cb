"""`breakdown`: every metric by the values of any one or two dimensions, and its series over time.

A page of rows is read with the row of everything, then the same values in the range that it is compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

from fastapi import Response
from pydantic import Field

from infra.domain.visits import dimensions
from infra.domain.visits.dimensions import VARIANT, WEEKDAY_HOUR
from infra.kernel.net.geoip import country_names
from query_api.analytics import cost_shapes, first_page, statement
from query_api.analytics.breakdown_metrics import COST, METRICS, ReportMetrics, counters_of
from query_api.analytics.cost_shapes import CostSpread
from query_api.analytics.first_page import others_of, total_of, values_of
from query_api.analytics.geographic import country_name
from query_api.analytics.overview import ShownRange
from query_api.analytics.query_plan import Plan, RowPage, Search, counts_by_edge
from query_api.analytics.request import AnalyticsQuery, AnalyticsRequest
from query_api.analytics.rewrites import PAGE, rewritten
from query_api.analytics.variant_names import VariantNames
from query_api.kernel import pagination
from query_api.kernel.clickhouse_reader import Row
from query_api.kernel.money import Major
from query_api.kernel.pagination import invalid_parameter
from query_api.kernel.postgres_reader import PostgresReader
from schemas.http.responses import ResponseModel

MAX_DIMENSIONS: Final = 2
MAX_EXPORTED: Final = 10_000
MAX_BESIDE: Final = 2_000
"""Values of a comparison that are read before it is known which ones are shown."""
MAX_SERIES: Final = 20
MAX_SEARCH: Final = 256
NOT_SET: Final = "(not set)"
DIRECT: Final = "Direct"
_UNSET: Final[Mapping[str, str]] = {"source": DIRECT, "referrer": DIRECT}
"""What no value of a dimension means: nobody sent the visitor."""
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
    cost_spread: list[CostSpread] = Field(description="How costs became parts; empty: they are shown as entered")


class SeriesPoint(ResponseModel):
    """One bucket."""

    date: str = Field(description="Local date of the bucket's first day, or local time with offset for hours")
    values: dict[str, Major | None] = Field(
        description="The metric by value; the empty text with no dimension: everything. Null: nothing to divide by"
    )


@dataclass(frozen=True, slots=True)
class ParsedReport:
    """A report's query, understood."""

    by: tuple[str, ...]
    metrics: tuple[str, ...]
    sorted_by: str
    is_descending: bool


def read(query: BreakdownQuery, request: AnalyticsRequest, response: Response) -> Breakdown:
    """Returns one page. Raises `Problem` 400."""
    parsed = parse(query)
    after = _after(query.cursor, parsed) if query.cursor else ()
    page = RowPage(parsed.sorted_by, parsed.is_descending, _search(request, query.search, parsed.by), after)
    counters = counters_of((*parsed.metrics, parsed.sorted_by))
    request = _with_costs(request, response, counters)
    plan = Plan(request.selection, request.range, parsed.by, counters, page=page, limit=query.limit)
    page_rows, late, beside = _page(plan, request, response)
    total, rows = total_of(page_rows), others_of(page_rows)
    has_more, rows = len(rows) > query.limit, rows[: query.limit]
    more, previous = _of_rows(request, response, plan, rows, late, beside)
    labels = _labels(request, parsed.by, rows)
    currency = request.website.currency

    def figures(row: Mapping[str, Any]) -> dict[str, Any]:
        return {name: METRICS[name].figure(row, currency) for name in parsed.metrics}

    def earlier(*values: str) -> ReportMetrics | None:
        return None if previous is None else ReportMetrics.model_construct(**figures(previous.get(values, {})))

    return Breakdown.model_construct(
        range=ShownRange.of_range(request.range),
        currency=currency,
        by=list(parsed.by),
        rows=[
            BreakdownRow.model_construct(
                values=dict(zip(parsed.by, values, strict=True)),
                label=" · ".join(labels[values]),
                labels=dict(zip(parsed.by, labels[values], strict=True)),
                previous=earlier(*values),
                **figures({**row, **more.get(values, {})}),
            )
            for row, values in ((row, values_of(row, parsed.by)) for row in rows)
        ],
        totals=BreakdownTotals.model_construct(previous=earlier(), **figures({**total, **more.get((), {})})),
        next_cursor=_cursor(rows[-1], parsed) if has_more else None,
        cost_spread=list(request.selection.costs.spread((*parsed.by, *request.selection.filtered))),
    )


def read_series(query: SeriesQuery, request: AnalyticsRequest, response: Response) -> list[SeriesPoint]:
    """The metric per bucket and value; buckets without events have zeros. Raises `Problem` 400."""
    if query.metric not in METRICS:
        raise _unknown("metric", query.metric, METRICS)
    by = (_dimension(query.by),) if query.by else ()
    values = split(query.values) if by else [""]
    if len(values) > MAX_SERIES:
        raise invalid_parameter("values", f"A series follows at most {MAX_SERIES} values.")
    only = tuple((value,) for value in values) if by else None
    counters = counters_of((query.metric,))
    request = _with_costs(request, response, counters)
    plan = Plan(request.selection, request.range, by, counters, only, by_bucket=True)
    [fetched] = request.read(response, statement.report(plan))
    by_value = {value: [row for row in fetched if row.get("v0", "") == value] for value in values}
    laid = {value: counts_by_edge(request.range, rows) for value, rows in by_value.items()}
    metric, currency = METRICS[query.metric], request.website.currency
    return [
        SeriesPoint(date=date, values={value: metric.figure(laid[value][number], currency) for value in values})
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
    """Parses the query of a report. Raises `Problem` 400 for unknown names, and names the valid ones."""
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
    return ParsedReport(by, metrics, name, query.sort.startswith("-"))


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


def _with_costs(request: AnalyticsRequest, response: Response, counters: Sequence[str]) -> AnalyticsRequest:
    """The request with the costs of its ranges, if one of the counters is of those."""
    if COST not in counters:
        return request
    ranges = [range_ for range_ in (request.range, request.compared) if range_ is not None]
    queries = [cost_shapes.query(request.selection.website_id, range_) for range_ in ranges]
    costs = cost_shapes.parse(*request.read(response, *queries))
    return replace(request, selection=replace(request.selection, costs=costs))


_ByValues = Mapping[tuple[str, ...], Row]
"""Rows by their values; that of everything by no value."""


def _page(
    plan: Plan, request: AnalyticsRequest, response: Response
) -> tuple[list[Row], tuple[str, ...], list[list[Row]]]:
    """The rows of the page and that of everything, the counters that they lack, and those of the comparison range."""
    page = rewritten(plan, PAGE)
    first = first_page.read(request, response, page)
    if first is not None:
        return first.rows, first.late, []
    page_rows, *beside = request.read(response, *map(statement.report, (page, *_beside(plan, request))))
    return page_rows, page.late, beside


def _beside(plan: Plan, request: AnalyticsRequest) -> list[Plan]:
    """The comparison range of a report that has few values: all of them are read while its page is read."""
    if request.compared is None or not plan.is_counted_daily or plan.has_many_values:
        return []
    return [replace(plan, range=request.compared, page=None, limit=MAX_BESIDE)]


def _of_rows(
    request: AnalyticsRequest,
    response: Response,
    plan: Plan,
    rows: Sequence[Row],
    late: Sequence[str],
    beside: Sequence[Sequence[Row]],
) -> tuple[_ByValues, _ByValues | None]:
    """Reads the parts of the displayed rows alone: their `late` counters, and their counters in the comparison range,
    if there is one and `beside` does not have all of it."""
    own_plan = replace(plan, only=tuple(values_of(row, plan.by) for row in rows), page=None, limit=None)
    last = [replace(own_plan, counters=tuple(late))] if late else []
    has_all = any(len(counted) <= MAX_BESIDE for counted in beside)
    previous = [replace(own_plan, range=request.compared)] if request.compared is not None and not has_all else []
    results = request.read(response, *map(statement.report, (*last, *previous))) if last or previous else []
    compared = [*results[len(last) :], *(beside if has_all else ())]

    def by_values(rows: Sequence[Row]) -> _ByValues:
        return {() if row["is_total"] else values_of(row, plan.by): row for row in rows}

    return by_values(results[0]) if last else {}, by_values(compared[0]) if compared else None


def _dimension(name: str) -> str:
    if not dimensions.is_dimension(name):
        raise _unknown("by", name, (*dimensions.NAMES, "prop:NAME"))
    return name


def _unknown(parameter: str, name: str, valid: Iterable[str]) -> Exception:
    return invalid_parameter(parameter, f"{name[:100]!r} is unknown. Use one of {', '.join(valid)}.")


def _after(cursor: str, parsed: ParsedReport) -> tuple[Any, ...]:
    position: tuple[Any, ...] = pagination.decode(cursor, str, *(str for _ in parsed.by))
    if parsed.sorted_by in METRICS:
        try:
            number = float(position[0])
        except ValueError:
            raise pagination.bad_cursor() from None
        if number != number or (not METRICS[parsed.sorted_by].per and not _is_integer(position[0])):
            raise pagination.bad_cursor()
    return position


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


def _search(request: AnalyticsRequest, text: str, by: Sequence[str]) -> Search | None:
    """Values that contain the text, and ids and codes whose names do."""
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
    return Search(text, tuple(ids))


def _labels(
    request: AnalyticsRequest, by: Sequence[str], rows: Sequence[Row]
) -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Returns the labels of each row by its values."""
    found = [values_of(row, by) for row in rows]
    names = [names_of(request.reader, name, {values[place] for values in found}) for place, name in enumerate(by)]
    labels = {
        values: tuple(
            named.get(value, value) or _UNSET.get(name, NOT_SET)
            for name, named, value in zip(by, names, values, strict=True)
        )
        for values in found
    }
    if VARIANT in by:
        of_links = VariantNames(request, by, found)
        place = by.index(VARIANT)
        for values, shown in labels.items():
            if values[place]:
                labels[values] = (*shown[:place], of_links.name_of(values), *shown[place + 1 :])
    return labels


def names_of(reader: PostgresReader, dimension: str, values: set[str]) -> Mapping[str, str]:
    """The names of a dimension's values, as far as they have others than themselves."""
    if dimension in _NAMES and values - {""}:
        return {row["id"]: row["name"] for row in reader.rows(_NAMES[dimension], (sorted(values - {""}),))}
    if dimension == "country":
        return {value: country_name(value) for value in values if value}
    if dimension == WEEKDAY_HOUR:
        return {f"{day + 1}-{hour}": f"{_WEEKDAYS[day]} {hour:02d}:00" for day, hour in product(range(7), range(24))}
    return {}
