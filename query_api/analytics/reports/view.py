"""The email of a view of a website: its numbers, charts, the top rows of its cards and its files, as the page has them.

Everything is read by what answers the page's calls, as the person who gets the email.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, Final
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Response
from pydantic import ValidationError

from infra.domain.reports import figures
from infra.domain.reports.charts import Chart
from infra.domain.reports.contract import VIEW_PATH, EmailFile, Rendered, RenderOrder
from infra.domain.reports.figures import change_of, change_text
from infra.domain.reports.letter import Kpi, LetterChart, LetterTable, ReportLetter
from infra.domain.reports.schedule import ReportPeriod
from infra.domain.visits import dimensions
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import STATEMENT, costs
from query_api.analytics import breakdown, filters, overview, routes
from query_api.analytics.breakdown import BreakdownQuery, SeriesQuery
from query_api.analytics.overview import Figures, Overview
from query_api.analytics.reports import metrics as report_metrics
from query_api.analytics.request import AnalyticsQuery, AnalyticsRequest, request_for
from query_api.kernel.authorization import AccountScope, Website
from query_api.kernel.dependencies import Context, Services
from query_api.kernel.report_orders import ReportOrder, ReportScope, fitting, footer, no_access
from schemas.http.analytics import Compare

router = APIRouter(include_in_schema=False)

TOP: Final = 5
"""Rows of a card; its file has all."""
CARDS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "pages": ("Pages", {"page": "Page", "entry_page": "Entry page", "exit_page": "Exit page"}),
    "sources": ("Sources", {"source": "Source", "channel": "Channel", "referrer": "Referrer"}),
    "campaigns": (
        "Campaigns",
        {
            "utm_campaign": "Campaign",
            "utm_source": "Source",
            "utm_medium": "Medium",
            "utm_content": "Content",
            "utm_term": "Term",
        },
    ),
    "links": (
        "Links",
        {
            "link": "Link",
            "partner": "Partner",
            "variant": "Variant",
            "placement": "Placement",
            **{f"sub{number}": f"Sub-ID {number}" for number in range(1, 11)},
        },
    ),
    "places": ("Places", {"country": "Country", "region": "Region"}),
    "devices": ("Devices", {"device": "Device", "browser": "Browser", "os": "OS", "language": "Language"}),
    "events": ("Events", {"event": "Event"}),
    "hours": ("Best hours", {"weekday_hour": "Weekday and hour"}),
}
"""The cards of the page: title, and the name of each tab, the first one open at first."""
_SHOWN: Final = ("clicks", "conversions", "revenue")
_FILE_NAME: Final = re.compile(r'filename="([^"]+)"')
_REASON: Final = "reason"


@dataclass(frozen=True, slots=True)
class _View:
    """The view, and where it is read: for one website, one period and one person."""

    name: str
    state: Mapping[str, Any]
    website: Website
    period: ReportPeriod
    context: Services
    scope: AccountScope

    def query(self, compare: Compare | None = None) -> dict[str, Any]:
        """The parameters of an analytics call. Raises `Problem` 400 for a filter that holds no longer."""
        parameters: dict[str, Any] = {
            "websiteId": self.website.id,
            "timeRange": "custom",
            "from": self.period.first.isoformat(),
            "to": self.period.last.isoformat(),
            "bots": self.state["bots"],
            **self._compared(Compare(compare or self.state["compare"])),
        }
        for text in self.state["filters"]:
            if text.startswith(f"{_REASON}:"):
                parameters[_REASON] = self._reasons(text)
            else:
                parameters.setdefault("filter", []).append(text)
        return parameters

    def request(self, query: AnalyticsQuery, *, needs_visits: bool = False) -> AnalyticsRequest:
        """Returns the parsed request, without the comparison if it needs single events that have expired."""
        request = request_for(query, self.website, self.context, self.scope, needs_visits=needs_visits)
        kept, compared = request.selection.kept, request.compared
        if compared is not None and request.selection.filters and not kept.has_all(compared.start):
            return replace(request, compared=None)
        return request

    def by(self, dimension: str, **more: Any) -> BreakdownQuery:
        """The report by a dimension, sorted as on the page."""
        parameters = {**self.query(Compare.NONE), "by": dimension, "sort": f"-{self.bar_metric}", **more}
        return BreakdownQuery.model_validate(parameters)

    @property
    def bar_metric(self) -> str:
        metric = self.state["bar_metric"]
        return metric if metric in report_metrics.NAMES else "visitors"

    @property
    def charted(self) -> list[str]:
        """The metric of the main chart, and revenue."""
        metric = self.state["metric"]
        return list(dict.fromkeys((metric if metric in report_metrics.CHARTED else "clicks", "revenue")))

    def dimensions(self) -> Iterator[tuple[str, str, str]]:
        """Title, name and dimension of each card's open tab; before them the open table of all rows."""
        details = [name for name in self.state["details"] if dimensions.is_dimension(name)]
        if details:
            yield "All rows", " · ".join(_name_of(name) for name in details), ",".join(details)
        for card, (title, tabs) in CARDS.items():
            tab = self.state["tabs"].get(card, "")
            dimension = tab if tab in tabs else next(iter(tabs))
            yield title, tabs[dimension], dimension

    def address(self) -> str:
        """The page with the same numbers."""
        query = self.query()
        parts: list[tuple[str, str]] = [("website", str(self.website.id)), ("range", "custom")]
        parts += [
            (name, query[name]) for name in ("from", "to", "compare", "compareFrom", "compareTo") if name in query
        ]
        if query.get("matchWeekdays"):
            parts.append(("weekdays", "match"))
        if self.state["bots"] != "exclude":
            parts.append(("bots", self.state["bots"]))
        if self.state["metric"]:
            parts.append(("metric", self.state["metric"]))
        parts += [("f", _in_address(text)) for text in self.state["filters"]]
        return f"{self.context.settings.app_url}/analytics?{urlencode(parts)}"

    def _compared(self, compare: Compare) -> dict[str, Any]:
        """Returns the parameters of the comparison: whole months are compared with whole months. A view's own days to
        compare with belong to its own range."""
        if compare in (Compare.NONE, Compare.YEAR):
            return {"compare": compare.value, "matchWeekdays": self.state["match_weekdays"]}
        previous = self.period.previous
        days = {"compareFrom": previous.first.isoformat(), "compareTo": previous.last.isoformat()}
        return {"compare": Compare.CUSTOM.value, **days}

    def _reasons(self, text: str) -> str:
        parsed = filters.parse_dimension_filter(text.replace(_REASON, "event", 1))
        sign = "-" if parsed.operator is filters.Operator.IS_NOT else ""
        return ",".join(f"{sign}{value}" for value in parsed.values)


@router.post(VIEW_PATH, openapi_extra=costs(STATEMENT))
def render_view_report(order: ReportOrder, scope: ReportScope, context: Context, response: Response) -> Rendered:
    """The email. Raises `Problem` 410 for a website or view that the person may no longer see."""
    view = _view_of(order, scope, context)
    try:
        return _rendered(view, order, response)
    except ValidationError as error:
        raise Problem(400, "invalid_view", "The view has settings that are no longer valid.") from error


def _view_of(order: RenderOrder, scope: AccountScope, context: Services) -> _View:
    try:
        website = scope.website(order.website_id) if order.website_id else None
    except Problem:
        website = None
    if website is None:
        raise no_access("website")
    row = scope.reader.row(_PERSONAL, (order.view_id, order.account_id))
    row = row or scope.reader.row(_SHARED, (order.view_id, website.id))
    if row is None:
        raise no_access("view")
    period = ReportPeriod(order.first_day, order.last_day)
    return _View(row["name"], row["state"], website, period, context, scope)


def _rendered(view: _View, order: RenderOrder, response: Response) -> Rendered:
    now = overview.read(view.request(AnalyticsQuery.model_validate(view.query())), response)
    charts = [_chart(view, metric, now, response) for metric in view.charted]
    tables, files = [], [_file(routes.get_overview_csv, view, response), _file(routes.get_clicks_csv, view, response)]
    for title, name, dimension in view.dimensions():
        table = _table(view, title, name, dimension, response)
        if table is not None:
            tables.append(table)
            files.append(_breakdown_file(view, dimension, response))
    attachments, notes = fitting(files, [picture for _, picture in charts])
    days = figures.days_text(view.period.first, view.period.last)
    letter = ReportLetter(
        title=f"{view.website.domain}: {view.name}",
        period=f"{days}{f', {view.period.last.year}' if str(view.period.last.year) not in days else ''}",
        lead=_lead(now),
        kpis=_kpis(now),
        pictures=[drawn for drawn, _ in charts],
        tables=tables,
        notes=notes,
        link_label="Open in Analytics",
        link=view.address(),
        footer=footer(f"the view “{view.name}” of {view.website.domain}", order),
        stop_url=order.stop_url,
    )
    return Rendered(subject=_subject(view, days, now), text=letter.text(), html=letter.html(), attachments=attachments)


def _subject(view: _View, days: str, now: Overview) -> str:
    previous = _comparable(now)
    change = change_text(change_of(now.revenue.total, previous.revenue.total)) if previous else ""
    revenue = figures.money_text(now.revenue.total, now.currency)
    return f"{view.website.domain}: {days}, {revenue} revenue{f' ({change})' if change else ''}"


def _lead(now: Overview) -> str:
    """Returns the summary of the period in one or two sentences."""
    revenue = figures.money_text(now.revenue.total, now.currency)
    if now.previous is None or now.previous_range is None:
        return f"Revenue was {revenue}."
    first, last = date.fromisoformat(now.previous_range.from_), date.fromisoformat(now.previous_range.to)
    days = figures.days_text(first, last)
    if now.previous_has_data is False:
        return f"Revenue was {revenue}. There is no data for {days} to compare with."
    if now.previous_data_from is not None:
        since = f"{now.previous_data_from:%b} {now.previous_data_from.day}"
        return f"Revenue was {revenue}. {days} has data only since {since}, so there is no comparison."
    was = figures.money_text(now.previous.revenue.total, now.currency)
    return f"Revenue was {revenue}, compared with {was} for {days}. All changes compare these periods."


def _comparable(now: Overview) -> Figures | None:
    return now.previous if now.previous_has_data and now.previous_data_from is None else None


def _kpis(now: Overview) -> list[Kpi]:
    previous = _comparable(now)
    return [
        Kpi(
            report_metrics.NAMES[metric],
            report_metrics.text_of(metric, read(now), now.currency),
            change_text(change_of(read(now), read(previous))) if previous is not None else "",
        )
        for metric, read in _KPIS.items()
    ]


_KPIS: Final[Mapping[str, Callable[[Figures], Any]]] = {
    "revenue": lambda of: of.revenue.total,
    "conversions": lambda of: of.conversions.total,
    "clicks": lambda of: of.clicks.total,
    "conversion_rate": lambda of: of.conversion_rate,
    "visitors": lambda of: of.visitors,
    "pageviews": lambda of: of.pageviews,
}


def _chart(view: _View, metric: str, now: Overview, response: Response) -> tuple[LetterChart, EmailFile]:
    query = SeriesQuery.model_validate({**view.query(), "metric": metric})
    request, name = view.request(query, needs_visits=True), report_metrics.NAMES[metric]
    points = [point.values[""] or Decimal(0) for point in breakdown.read_series(query, request, response)]
    previous = []
    if request.compared is not None and _comparable(now) is not None:
        earlier = replace(request, range=request.compared, compared=None)
        previous = [float(point.values[""] or 0) for point in breakdown.read_series(query, earlier, response)]
    labels = [_day(text) for text in request.range.labels]
    png = Chart(labels, [float(point) for point in points], previous).png(
        lambda value: report_metrics.axis_text(metric, value, now.currency)
    )

    def text(value: Any) -> str:
        return report_metrics.text_of(metric, value, now.currency)

    highest = max(range(len(points)), key=lambda index: points[index])
    total = f"{text(sum(points))} in total. " if report_metrics.is_sum(metric) else ""
    peak = f"The highest day was {labels[highest]} with {text(points[highest])}." if points[highest] else ""
    dashed = " The dashed line is the comparison period." if previous else ""
    alt = f"Line chart of {name.lower() if metric != 'epc' else name} per day. {total}{peak}{dashed}".strip()
    content_id = f"{metric}@{view.website.id}"
    return LetterChart(f"{name} per day", content_id, alt), EmailFile(
        name=f"{metric}.png", media_type="image/png", content=png, content_id=content_id
    )


def _table(view: _View, title: str, name: str, dimension: str, response: Response) -> LetterTable | None:
    """The top rows of a card; none where no row has a value."""
    metrics = list(dict.fromkeys((view.bar_metric, *_SHOWN)))
    query = view.by(dimension, limit=TOP, metrics=",".join(metrics))
    data = breakdown.read(query, view.request(query, needs_visits=True), response)
    if not any(any(row.values.values()) for row in data.rows):
        return None
    return LetterTable(
        title,
        [name, *(report_metrics.NAMES[metric] for metric in metrics)],
        [
            [row.label, *(report_metrics.text_of(metric, getattr(row, metric), data.currency) for metric in metrics)]
            for row in data.rows
        ],
        f"Top {TOP}. The attached file has all rows." if data.next_cursor else "",
    )


def _file(
    read: Callable[[AnalyticsRequest, Response], Response], view: _View, response: Response
) -> Callable[[], EmailFile]:
    return lambda: _attached(read(view.request(AnalyticsQuery.model_validate(view.query())), response))


def _breakdown_file(view: _View, dimension: str, response: Response) -> Callable[[], EmailFile]:
    return lambda: _attached(routes.get_breakdown_csv(view.by(dimension), view.context, view.scope, response))


def _attached(file: Response) -> EmailFile:
    name = _FILE_NAME.search(file.headers["content-disposition"])
    return EmailFile(name=name[1] if name else "report.csv", media_type="text/csv", content=bytes(file.body))


def _name_of(dimension: str) -> str:
    return next((tabs[dimension] for _, tabs in CARDS.values() if dimension in tabs), dimension)


def _day(label: str) -> str:
    day = date.fromisoformat(label[:10])
    return f"{day:%b} {day.day}"


def _in_address(text: str) -> str:
    """A filter as the page's address has it: `not,country,DE`."""
    dimension, _, rest = text.partition(":")
    parsed_dimension = dimension if dimension != _REASON else "event"
    parsed = filters.parse_dimension_filter(f"{parsed_dimension}:{rest}")
    operator = "not" if parsed.operator is filters.Operator.IS_NOT else parsed.operator.value
    return ",".join((operator, dimension, *(quote(_in_page(value), safe="") for value in parsed.values)))


def _in_page(value: str) -> str:
    """A value as the page names it: commas and backslashes are escaped, and so is what would mean something else."""
    if not value:
        return "(none)"
    escaped = re.sub(r"(?<=.)\s\Z", r"\\\g<0>", re.sub(r"[\\,]", r"\\\g<0>", value))
    return f"\\{escaped}" if escaped[0] in "- " or escaped == "(none)" else escaped


_PERSONAL: Final = (
    "SELECT name, state FROM read.saved_views WHERE id = %s AND removed_at IS NULL AND website_id IS NULL"
    " AND account_id = %s"
)
_SHARED: Final = "SELECT name, state FROM read.saved_views WHERE id = %s AND removed_at IS NULL AND website_id = %s"
