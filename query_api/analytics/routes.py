"""The five analytics calls, and what they leave out; each as JSON and, with the same rows, as `.csv`."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Response
from pydantic import BaseModel

from query_api.analytics import clicks, conversions, geographic, kept_apart, overview, partners, series
from query_api.analytics.clicks import ClickPoint
from query_api.analytics.conversions import ConversionPoint
from query_api.analytics.geographic import CountryPerformance
from query_api.analytics.kept_apart import KeptApart
from query_api.analytics.overview import Overview
from query_api.analytics.partners import PartnerPerformance
from query_api.analytics.request import Asked, TheAsked
from query_api.context import Reads
from query_api.money import exact_json
from query_api.partner_names import partner_names
from query_api.tabular import csv_response

router = APIRouter(
    prefix="/api/platform/analytics", tags=["analytics"], dependencies=[Depends(Reads("events", "websites"))]
)
_CSV: dict[str, Any] = {
    "response_class": Response,
    "responses": {200: {"content": {"text/csv": {}}, "description": "The same rows as the JSON"}},
}


@router.get("/overview", response_model=Overview)
def get_overview(asked: TheAsked, response: Response) -> Response:
    """The dashboard's cards: totals of the range, and of the range it is compared with."""
    return exact_json(read_overview(asked, response), response)


@router.get("/clicks", response_model=list[ClickPoint])
def get_clicks(asked: TheAsked, response: Response) -> Response:
    """Traffic per bucket; empty buckets are there with zeros."""
    return exact_json(read_clicks(asked, response), response)


@router.get("/conversions", response_model=list[ConversionPoint])
def get_conversions(asked: TheAsked, response: Response) -> Response:
    """Conversions by status per bucket; empty buckets are there with zeros."""
    return exact_json(read_conversions(asked, response), response)


@router.get("/partners", response_model=list[PartnerPerformance])
def get_partners(asked: TheAsked, response: Response) -> Response:
    """The top ten partners, by revenue, then clicks."""
    return exact_json(read_partners(asked, response), response)


@router.get("/geographic", response_model=list[CountryPerformance])
def get_geographic(asked: TheAsked, response: Response) -> Response:
    """Countries by clicks."""
    return exact_json(read_geographic(asked, response), response)


def read_overview(asked: Asked, response: Response) -> Overview:
    statements = overview.statements(asked.selection, asked.range, asked.compared)
    found = asked.read(response, *statements.all)
    return overview.answer(statements, found, asked.range, asked.website.currency)


def read_clicks(asked: Asked, response: Response) -> list[ClickPoint]:
    found = asked.read(response, *series.queries(asked.selection, asked.range))
    return clicks.answer(found, asked.range, asked.website.currency)


def read_conversions(asked: Asked, response: Response) -> list[ConversionPoint]:
    [found] = asked.read(response, conversions.query(asked.selection, asked.range))
    return conversions.answer(found, asked.range, asked.website.currency)


def read_partners(asked: Asked, response: Response) -> list[PartnerPerformance]:
    [found] = asked.read(response, partners.query(asked.selection, asked.range))
    names = partner_names(asked.reader, {row["partner"] for row in found})
    return partners.answer(found, names, asked.website.currency)


def read_geographic(asked: Asked, response: Response) -> list[CountryPerformance]:
    [found] = asked.read(response, geographic.query(asked.selection, asked.range))
    return geographic.answer(found, asked.website.currency)


@router.get("/kept-apart")
def get_kept_apart(asked: TheAsked, response: Response) -> list[KeptApart]:
    """Bots and suspicious events by reason: kept, and left out of the figures. Filters hold; `bots` does not matter."""
    [found] = asked.read(response, kept_apart.query(asked.selection, asked.range))
    return kept_apart.answer(found)


class FigureRow(BaseModel):
    """One figure of the overview as a row."""

    figure: str
    value: int | float | str
    previous: int | float | str | None


@router.get("/overview.csv", **_CSV)
def get_overview_csv(asked: TheAsked, response: Response) -> Response:
    """The overview, one figure a row."""
    found = read_overview(asked, response)
    values = _flat(found.model_dump(by_alias=True, mode="json", exclude={"previous"}))
    before = _flat(found.previous.model_dump(mode="json")) if found.previous is not None else {}
    rows = [FigureRow(figure=name, value=value, previous=before.get(name)) for name, value in values.items()]
    return _file(asked, response, "overview", FigureRow, rows)


@router.get("/clicks.csv", **_CSV)
def get_clicks_csv(asked: TheAsked, response: Response) -> Response:
    """Traffic per bucket."""
    return _file(asked, response, "clicks", ClickPoint, read_clicks(asked, response))


@router.get("/conversions.csv", **_CSV)
def get_conversions_csv(asked: TheAsked, response: Response) -> Response:
    """Conversions per bucket."""
    return _file(asked, response, "conversions", ConversionPoint, read_conversions(asked, response))


@router.get("/partners.csv", **_CSV)
def get_partners_csv(asked: TheAsked, response: Response) -> Response:
    """The top ten partners."""
    return _file(asked, response, "partners", PartnerPerformance, read_partners(asked, response))


@router.get("/geographic.csv", **_CSV)
def get_geographic_csv(asked: TheAsked, response: Response) -> Response:
    """Countries by clicks."""
    return _file(asked, response, "geographic", CountryPerformance, read_geographic(asked, response))


@router.get("/kept-apart.csv", **_CSV)
def get_kept_apart_csv(asked: TheAsked, response: Response) -> Response:
    """Bots and suspicious events by reason."""
    return _file(asked, response, "kept-apart", KeptApart, get_kept_apart(asked, response))


def _file(asked: Asked, response: Response, name: str, row: type[BaseModel], rows: list[Any]) -> Response:
    file = csv_response(f"{name}-{asked.website.domain}-{asked.range.shown_from[:10]}", list(row.model_fields), rows)
    file.headers.update(response.headers)
    return file


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            found.update(_flat(value, f"{prefix}{name}."))
        else:
            found[f"{prefix}{name}"] = value
    return found
