"""The tables that hold visits for whole UTC days of a website, and which of them are current. Pure text.

`event_days` (a rollup of `events`) has the number and the fingerprint of each day's events. A build of a day copies its
events with their visits into `visit_events`, and counters of every value of every daily dimension into
`breakdown`; `visit_builds` then has what the build is made of. A day's build is current while both agree: what is
read from it equals what `statement.visits` would find. Days without a current build are read from `events`.

Before the events of a day are deleted because their time is over, a report's range that begins or ends with a local day
within that UTC day must be answered as well: such a day also has builds of its two parts, before and from the midnight
of the website, under the number of the day's build. Its counters then are all that there is: it is never built again.

The days of a whole week are merged into `breakdown_week` and `week_builds` in the same way; their `day` is a Monday. A
report of a month then merges a dozen visitor states for a value instead of thirty.
"""

# ruff: noqa: S608 - names of tables and columns are ours

from __future__ import annotations

from typing import Final

from infra.domain.visits.dimensions import DAILY
from infra.domain.visits.statement import ROW_COLUMNS, TYPES
from schemas.tracking import COLUMNS, CONVERSION_COLUMNS, IMPRESSION

VERSION: Final = 4
"""The version of the tables below and of what a build contains; with a new version every day is built again."""

EVENT_DAYS: Final = "event_days"
CONVERSION_EVENTS: Final = "conversion_events"
VISIT_EVENTS: Final = "visit_events"
BREAKDOWN: Final = "breakdown"
VISIT_BUILDS: Final = "visit_builds"
DAYS_OF_WEEK: Final = 7
BEFORE_MIDNIGHT: Final = 101
FROM_MIDNIGHT: Final = 102
"""The mark of the parts of one day, in place of a number of days."""
PARTS: Final = (BEFORE_MIDNIGHT, FROM_MIDNIGHT)

_OF_CONVERSIONS: Final = {"website_id", *ROW_COLUMNS, *(column.name for column in CONVERSION_COLUMNS)}
CONVERSION_EVENTS_COLUMNS: Final = tuple(column.name for column in COLUMNS if column.name in _OF_CONVERSIONS)
"""The columns that rows of conversions have, of those that a report reads."""

COUNTERS: Final = ("events", "pageviews", "clicks", "impressions", "visits", "entries", "bounces", "seconds")
"""The counters of `breakdown`; `visits` add up over days, since a visit lies within one."""


def table(name: str) -> str:
    """The table of this version."""
    return f"{name}__g{VERSION}"


VISIT_EVENTS_COLUMNS: Final = (
    "website_id UUID",
    "day Date",
    "build UInt64",
    *(
        f"{name} {TYPES[name]} CODEC({'Delta, ' if name in ('occurred_at', 'received_at', '_offset') else ''}ZSTD(1))"
        for name in ROW_COLUMNS
    ),
)
BREAKDOWN_COLUMNS: Final = (
    "website_id UUID",
    "days UInt8",
    "day Date",
    "build UInt64",
    "is_bot Bool",
    "dimension LowCardinality(String)",
    "value String CODEC(ZSTD(1))",
    *(f"{name} Int64 CODEC(ZSTD(1))" for name in COUNTERS),
    "visitors AggregateFunction(uniqCombined(12), UInt64)",
    "own_visitors Int64 CODEC(ZSTD(1))",
)
"""`own_visitors`: what the state comes to alone. A value has at most the sum of them."""
BUILDS_COLUMNS: Final = (
    "website_id UUID",
    "days UInt8",
    "day Date",
    "build UInt64",
    "events Int64",
    "fingerprint UInt64",
    "first_at DateTime64(3, 'UTC')",
    "last_at DateTime64(3, 'UTC')",
    "offsets Map(String, UInt64)",
)
"""`first_at` and `last_at`: of its events. A range that holds both holds the whole build, wherever it is cut.
`offsets`: the last one by `topic:partition`."""

ROW_COUNTERS: Final = {
    "events": "toInt64(countIf(t.type <> 'conversion'))",
    "pageviews": "toInt64(countIf(t.type = 'pageview'))",
    "clicks": "toInt64(countIf(t.type = 'click'))",
    "impressions": f"toInt64(sumIf(t.value, t.type = '{IMPRESSION}'))",
    "visits": "toInt64(uniqExactIf(t.visit, t.visit <> 0))",
    "entries": "toInt64(sum(t.is_entry))",
    "bounces": "toInt64(sum(t.is_bounce))",
    "seconds": "toInt64(sum(t.visit_seconds))",
}
"""Each counter over rows with their visits, called `t`."""
COUNTED: Final = ", ".join(f"{sql} AS {name}" for name, sql in ROW_COUNTERS.items())

BREAKDOWN_COUNTED: Final = ("is_bot", "dimension", "value", *COUNTERS, "visitors")
OWN_VISITORS: Final = "toInt64(finalizeAggregation(visitors))"

VISITOR_STATE: Final = "uniqCombinedStateIf(12)(t.visitor, t.visitor <> 0)"


def counters_of(rows: str, days: str = "1") -> str:
    """The rows of `breakdown` that `rows` (a table or SELECT with `build`, called `t`) come to. `days`: expression."""
    return " UNION ALL ".join(
        f"SELECT website_id, {days} AS days, day, build, is_bot, '{name}' AS dimension,"
        f" toString({expression}) AS value, {COUNTED}, {VISITOR_STATE} AS visitors FROM {rows} AS t"
        " GROUP BY website_id, days, day, build, is_bot, value"
        for name, expression in DAILY.items()
    )


def counters_of_weeks(days: str) -> str:
    """The rows of weeks in `breakdown` that `days` (a condition on it) come to, but for their build."""
    sums = ", ".join(f"sum(t.{name}) AS {name}" for name in COUNTERS)
    return (
        f"SELECT website_id, toMonday(t.day) AS week, is_bot, dimension, value, {sums},"
        " uniqCombinedMergeState(12)(t.visitors) AS visitors"
        f" FROM {table(BREAKDOWN)} AS t WHERE t.days = 1 AND ({days})"
        " GROUP BY website_id, week, is_bot, dimension, value"
    )
