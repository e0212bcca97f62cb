"""The five analytics calls and the excluded traffic; each as JSON and, with the same rows, as `.csv`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from infra.kernel.http.openapi import file_response
from query_api.analytics import (
    breakdown,
    clicks,
    conversions,
    excluded_traffic,
    geographic,
    overview,
    partners,
    used_dimensions,
)
from query_api.analytics.breakdown import Breakdown, BreakdownQuery, SeriesPoint, SeriesQuery
from query_api.analytics.clicks import ClickPoint
from query_api.analytics.conversions import ConversionPoint
from query_api.analytics.excluded_traffic import ExcludedTraffic
from query_api.analytics.geographic import CountryPerformance
from query_api.analytics.overview import Overview
from query_api.analytics.partners import PartnerPerformance
from query_api.analytics.request import AnalyticsQuery, AnalyticsRequest, ParsedRequest, request_for
from query_api.kernel.csv import columns_of, csv_response
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from query_api.kernel.money import exact_json
from schemas.http.analytics import Compare
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/platform/analytics", tags=["analytics"], dependencies=[READS_OWN_WRITES])
_CSV: dict[str, Any] = {
    "response_class": Response,
    "responses": file_response("text/csv", description="The same rows as the JSON"),
}


@router.get("/overview", response_model=Overview)
def get_overview(request: ParsedRequest, response: Response) -> Response:
    """The dashboard's cards: totals of the range, and of the range it is compared with."""
    return exact_json(overview.read(request, response), response)


@router.get("/clicks", response_model=list[ClickPoint])
def get_clicks(request: ParsedRequest, response: Response) -> Response:
    """Traffic per bucket; empty buckets contain zeros."""
    return exact_json(clicks.read(request, response), response)


@router.get("/conversions", response_model=list[ConversionPoint])
def get_conversions(request: ParsedRequest, response: Response) -> Response:
    """Conversions by status per bucket; empty buckets contain zeros."""
    return exact_json(conversions.read(request, response), response)


@router.get("/partners", response_model=list[PartnerPerformance])
def get_partners(request: ParsedRequest, response: Response) -> Response:
    """The top ten partners, by revenue, then clicks."""
    return exact_json(partners.read(request, response), response)


@router.get("/geographic", response_model=list[CountryPerformance])
def get_geographic(request: ParsedRequest, response: Response) -> Response:
    """Countries by clicks."""
    return exact_json(geographic.read(request, response), response)


@router.get("/excluded-traffic")
@router.get("/kept-apart", name="get_kept_apart", deprecated=True)
def get_excluded_traffic(request: ParsedRequest, response: Response) -> list[ExcludedTraffic]:
    """Bots and suspicious events by reason: stored, but excluded from metrics. Filters apply; `bots` is ignored."""
    return excluded_traffic.read(request, response)


@router.get("/breakdown", response_model=Breakdown)
def get_breakdown(
    query: Annotated[BreakdownQuery, Query()], context: Context, scope: CallerScope, response: Response
) -> Response:
    """Any metric by any one or two dimensions, sorted, searched and paged, with the totals of everything."""
    request = request_for(query, scope.website(query.website_id), context, scope, needs_visits=True)
    return exact_json(breakdown.read(query, request, response), response, exclude_unset=True)


@router.get("/used-dimensions")
def get_used_dimensions(
    query: Annotated[AnalyticsQuery, Query()], context: Context, scope: CallerScope, response: Response
) -> list[str]:
    """The dimensions that any event of the range has a value of, of those that many websites never use: campaigns,
    variants, placements, Sub-IDs, regions and languages. Filters are ignored; `bots` applies."""
    request = request_for(query, scope.website(query.website_id), context, scope, needs_visits=True)
    return used_dimensions.read(request, response)


@router.get("/breakdown/series", response_model=list[SeriesPoint])
def get_breakdown_series(
    query: Annotated[SeriesQuery, Query()], context: Context, scope: CallerScope, response: Response
) -> Response:
    """One metric per bucket of the range, for up to 20 values of a dimension, or for everything."""
    request = request_for(query, scope.website(query.website_id), context, scope, needs_visits=True)
    return exact_json(breakdown.read_series(query, request, response), response)


@router.get("/breakdown.csv", **_CSV)
def get_breakdown_csv(
    query: Annotated[BreakdownQuery, Query()], context: Context, scope: CallerScope, response: Response
) -> Response:
    """The first 10,000 rows of a report, without a comparison."""
    alone = {"compare": Compare.NONE, "compare_from": None, "compare_to": None}
    everything = query.model_copy(update={"limit": breakdown.MAX_EXPORTED, "cursor": None, **alone})
    request = request_for(everything, scope.website(query.website_id), context, scope, needs_visits=True)
    report = breakdown.read(everything, request, response)
    columns, lines = breakdown.lines(report, breakdown.parse(query).metrics)
    name = f"{'-'.join(report.by)}-{request.website.domain}-{request.range.shown_from[:10]}"
    file = csv_response(name.replace(":", "-"), columns, lines)
    file.headers.update(response.headers)
    return file


class FigureRow(ResponseModel):
    """One figure of the overview as a row."""

    figure: str
    value: int | float | str
    previous: int | float | str | None


@router.get("/overview.csv", **_CSV)
def get_overview_csv(request: ParsedRequest, response: Response) -> Response:
    """The overview, one metric per row."""
    metrics = overview.read(request, response)
    apart = {"previous", "previous_range", "previous_has_data", "previous_data_from", "last_event_at"}
    values = _flat(metrics.model_dump(by_alias=True, mode="json", exclude=apart))
    previous = _flat(metrics.previous.model_dump(by_alias=True, mode="json")) if metrics.previous is not None else {}
    if metrics.previous_range is not None:
        previous |= _flat(metrics.previous_range.model_dump(by_alias=True, mode="json"), "range.")
    rows = [FigureRow(figure=name, value=value, previous=previous.get(name)) for name, value in values.items()]
    return _file(request, response, "overview", FigureRow, rows)


@router.get("/clicks.csv", **_CSV)
def get_clicks_csv(request: ParsedRequest, response: Response) -> Response:
    """Traffic per bucket."""
    return _file(request, response, "clicks", ClickPoint, clicks.read(request, response))


@router.get("/conversions.csv", **_CSV)
def get_conversions_csv(request: ParsedRequest, response: Response) -> Response:
    """Conversions per bucket."""
    return _file(request, response, "conversions", ConversionPoint, conversions.read(request, response))


@router.get("/partners.csv", **_CSV)
def get_partners_csv(request: ParsedRequest, response: Response) -> Response:
    """The top ten partners."""
    return _file(request, response, "partners", PartnerPerformance, partners.read(request, response))


@router.get("/geographic.csv", **_CSV)
def get_geographic_csv(request: ParsedRequest, response: Response) -> Response:
    """Countries by clicks."""
    return _file(request, response, "geographic", CountryPerformance, geographic.read(request, response))


@router.get("/excluded-traffic.csv", **_CSV)
@router.get("/kept-apart.csv", name="get_kept_apart_csv", deprecated=True, **_CSV)
def get_excluded_traffic_csv(request: ParsedRequest, response: Response) -> Response:
    """Bots and suspicious events by reason."""
    return _file(request, response, "excluded-traffic", ExcludedTraffic, excluded_traffic.read(request, response))


def _file(request: AnalyticsRequest, response: Response, name: str, row: type[BaseModel], rows: list[Any]) -> Response:
    file = csv_response(f"{name}-{request.website.domain}-{request.range.shown_from[:10]}", columns_of(row), rows)
    file.headers.update(response.headers)
    return file


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{name}."))
        elif value is not None:
            flat[f"{prefix}{name}"] = value
    return flat
