"""`filter=`: from the text of a request to filters. Partners, links and countries are found by their names, too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from fnmatch import translate
from re import IGNORECASE, compile
from typing import Any, Final

from infra.domain.visits import dimensions
from infra.domain.visits.dimensions import WEEKDAY_HOUR
from infra.kernel.net.geoip import country_names
from query_api.analytics import filters, zone_offsets
from query_api.analytics.filters import DimensionFilter, InvalidFilter, Operator, Parsed
from query_api.kernel.authorization import Website
from query_api.kernel.pagination import invalid_parameter
from query_api.kernel.postgres_reader import PostgresReader

_NAMED: Final[Mapping[str, str]] = {
    "partner": "SELECT id::text AS id, slug, name FROM read.partners",
    "link": "SELECT id::text AS id, slug, slug AS name FROM read.links WHERE website_id = %(website)s",
}
_EXACT: Final = frozenset({Operator.IS, Operator.IS_NOT})


def read(
    texts: Sequence[str], reader: PostgresReader, website: Website, spans: Sequence[tuple[datetime, datetime]]
) -> list[DimensionFilter]:
    """The filters that the request's texts mean, for rows within the spans. Raises `Problem` 400."""
    try:
        parsed = [filters.parse_dimension_filter(text) for text in texts]
    except InvalidFilter as error:
        raise invalid_parameter(error.field, str(error)) from error
    return [_filter(one, reader, website, spans) for one in parsed]


def _filter(
    one: Parsed, reader: PostgresReader, website: Website, spans: Sequence[tuple[datetime, datetime]]
) -> DimensionFilter:
    if one.dimension == WEEKDAY_HOUR:
        start, end = min(start for start, _ in spans), max(end for _, end in spans)
        sql = zone_offsets.local_hour("toUnixTimestamp(t.occurred_at)")
        bound = zone_offsets.bound(website.zone, start, end)
        return DimensionFilter(one.dimension, one.operator, one.values, sql, bound)
    sql = dimensions.expression(one.dimension)
    if one.dimension in _NAMED:
        values = _ids(one, reader.rows(_NAMED[one.dimension], {"website": website.id}))
        return DimensionFilter(one.dimension, _exact(one.operator), values, sql)
    if one.dimension == "country":
        return DimensionFilter(one.dimension, _exact(one.operator), _countries(one), sql)
    return DimensionFilter(one.dimension, one.operator, one.values, sql)


def _exact(operator: Operator) -> Operator:
    """Names are compared here; the filter is a list of ids."""
    return Operator.IS_NOT if operator in (Operator.IS_NOT, Operator.NOT_CONTAINS) else Operator.IS


def _ids(one: Parsed, rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    if one.operator in _EXACT:
        by_slug = {row["slug"]: row["id"] for row in rows}
        return tuple(by_slug.get(value, value.lower()) for value in one.values)
    return tuple(row["id"] for row in rows if _fits(one, row["name"]))


def _countries(one: Parsed) -> tuple[str, ...]:
    if one.operator in _EXACT:
        return tuple("" if value.upper() == dimensions.NO_COUNTRY else value.upper() for value in one.values)
    return tuple(code for code, name in country_names().items() if _fits(one, name) or _fits(one, code))


def _fits(one: Parsed, name: str) -> bool:
    if one.operator is Operator.MATCHES:
        return any(compile(_pattern(value), IGNORECASE).match(name) is not None for value in one.values)
    return any(value.lower() in name.lower() for value in one.values)


def _pattern(value: str) -> str:
    """Returns the pattern: `*` is any text; every other sign is literal."""
    return translate("*".join(part.replace("[", "[[]").replace("?", "[?]") for part in value.split("*")))
