"""The dimensions of reports: the names that the API takes, and the column or expression that has each one's value.

Rows with their visits (`statement.visits`) and rows of conversions have the same columns; the row is `t`. Values are
text; the empty text stands for no value.
"""

from __future__ import annotations

import re
from typing import Final

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

WEEKDAY_HOUR: Final = "weekday_hour"
PROPERTY: Final = "prop:"
NAMES: Final = (*COLUMNS, WEEKDAY_HOUR)
"""Every dimension but `prop:NAME`."""

NO_COUNTRY: Final = "ZZ"
_PROPERTY: Final = re.compile(r"prop:[A-Za-z0-9_.-]{1,64}")


def columns(name: str) -> tuple[str, ...]:
    """The columns that a dimension's expression reads."""
    if name.startswith(PROPERTY):
        return ("props",)
    if name == WEEKDAY_HOUR:
        return ("occurred_at",)
    return ("type", "event_name") if name == "event" else (COLUMNS[name],)


def is_dimension(name: str) -> bool:
    """Whether reports know it."""
    return name in NAMES or _PROPERTY.fullmatch(name) is not None


def expression(name: str) -> str:
    """The value of a dimension in a row `t`, as text; but for `weekday_hour`, which depends on the time zone."""
    if name.startswith(PROPERTY):
        return f"if(t.props = '', '', JSONExtractString(t.props, '{name.removeprefix(PROPERTY)}'))"
    column = COLUMNS[name]
    if column == "country":
        return f"if(t.country = '{NO_COUNTRY}', '', toString(t.country))"
    if column.endswith("_id"):
        return f"if(t.{column} = toUUID('{NO_ID_TEXT}'), '', toString(t.{column}))"
    if name == "event":
        return "if(t.type = 'conversion', toString(t.event_name), toString(t.type))"
    return f"toString(t.{column})"


QUARTER: Final = "quarter"
"""Daily dimension: the quarter of an hour in which it happened, as Unix time. Reading it applies the time zone."""
TOTAL: Final = "total"
"""Daily dimension with one value, the empty text: everything."""

DAILY: Final = {
    **{name: expression(name) for name in COLUMNS if name not in ("coupon", "event")},
    "coupon": "''",
    "event": "toString(t.type)",
    QUARTER: "toString(toUnixTimestamp(toStartOfFifteenMinutes(t.occurred_at)))",
    TOTAL: "''",
}
"""The dimensions that `breakdown` has, and their values in rows with visits (never of conversions)."""
