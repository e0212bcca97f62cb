"""The dimensions of reports: the names that the API takes, and the column or expression that has each one's value.

Rows with their visits (`statement.visits`) and rows of conversions have the same columns; the row is `t`. Values are
text; the empty text stands for no value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from infra.domain.visits import routes
from schemas.tracking import NO_ID_TEXT, SUBS

COLUMNS: Final = {
    "page": "path",
    "entry_page": "entry_page",
    "exit_page": "exit_page",
    "hostname": "hostname",
    "referrer": "referrer_host",
    **{
        name: name
        for name in (
            *("source", "channel", "utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"),
            *("country", "region", "city", "device", "browser", "os", "language", "placement"),
            *SUBS,
        )
    },
    "partner": "partner_id",
    "link": "link_id",
    "coupon": "coupon",
    "event": "type",
}
"""Dimensions that are a column."""

VARIANT: Final = "variant"
"""The number of the variant in the split of a link."""
WEEKDAY_HOUR: Final = "weekday_hour"
PROPERTY: Final = "prop:"
NAMES: Final = (*COLUMNS, VARIANT, WEEKDAY_HOUR)
"""Every dimension but `prop:NAME`."""

NO_COUNTRY: Final = "ZZ"
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PROPERTY: Final = re.compile(r"prop:[A-Za-z0-9_.-]{1,64}")


def columns(name: str) -> tuple[str, ...]:
    """The columns that a dimension's expression reads."""
    if name.startswith(PROPERTY):
        return ("props",)
    if name == VARIANT:
        return ("type", "props")
    if name == WEEKDAY_HOUR:
        return ("occurred_at",)
    return ("type", "event_name") if name == "event" else (COLUMNS[name],)


def is_dimension(name: str) -> bool:
    """Returns whether reports know the dimension."""
    return name in NAMES or _PROPERTY.fullmatch(name) is not None


def expression(name: str) -> str:
    """The value of a dimension in a row `t`, as text; but for `weekday_hour`, which depends on the time zone."""
    if name.startswith(PROPERTY):
        return f"if(t.props = '', '', JSONExtractString(t.props, '{name.removeprefix(PROPERTY)}'))"
    if name == VARIANT:
        return routes.variant("t.props", "t.type")
    column = COLUMNS[name]
    if column == "country":
        # Unlike `if`, it is computed once for each value of a dictionary.
        return f"transform(toString(t.country), ['{NO_COUNTRY}'], [''])"
    if column.endswith("_id"):
        return f"if(t.{column} = toUUID('{NO_ID_TEXT}'), '', toString(t.{column}))"
    if name == "event":
        return "if(t.type = 'conversion', toString(t.event_name), toString(t.type))"
    return f"toString(t.{column})"


def stored(name: str, values: Iterable[str]) -> tuple[str, str, list[str]] | None:
    """The column of a dimension, its type, and these values as the column has them, without those that no row has;
    none for a dimension that is computed from a column."""
    if name not in COLUMNS or name == "event":
        return None
    column = COLUMNS[name]
    if column.endswith("_id"):
        ids = (NO_ID_TEXT if value == "" else value for value in values)
        return f"t.{column}", "UUID", [value for value in ids if _UUID.fullmatch(value)]
    empty = NO_COUNTRY if column == "country" else ""
    return f"t.{column}", "String", [value or empty for value in values]


HOUR: Final = "hour"
QUARTER: Final = "quarter"
"""Daily dimensions: the hour, or quarter of an hour, in which it happened, as Unix time. Reading them applies the time
zone; the quarters are for those that are no whole hours away from UTC."""
TOTAL: Final = "total"
"""Daily dimension with one value, the empty text: everything."""

DAILY: Final = {
    **{name: expression(name) for name in COLUMNS if name not in ("coupon", "event")},
    "coupon": "''",
    "event": "toString(t.type)",
    HOUR: "toString(toUnixTimestamp(toStartOfHour(t.occurred_at)))",
    QUARTER: "toString(toUnixTimestamp(toStartOfFifteenMinutes(t.occurred_at)))",
    TOTAL: "''",
}
"""The dimensions that `breakdown` has, and their values in rows with visits (never of conversions)."""
