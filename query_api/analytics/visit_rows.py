"""Rows with their visits for reports: from current builds of whole days, and for other days from `events`.

`plan` reads which days have a current build (`infra.domain.visits.tables`). No report waits for a build: what is not
built is found by the same SQL when it is read.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from infra.domain.visits import tables
from infra.domain.visits.statement import ROW_COLUMNS, TYPES, visits
from infra.kernel.http.problems import Problem
from query_api.kernel.clickhouse_reader import Query, Row, live_table
from schemas import instants
from schemas.tracking import CONVERSION_COLUMNS

MAX_LIVE_EVENTS: Final = 5_000_000
"""More events without a build are read for too long; they are after an import of millions, until it is built."""

_CONVERSION: Final = tuple(column for column in CONVERSION_COLUMNS if column.name not in ROW_COLUMNS)
COLUMNS: Final = (*ROW_COLUMNS, *(column.name for column in _CONVERSION))
"""The columns of every row, traffic or conversion."""
COUNTED: Final = (
    *("type", "occurred_at", "visitor", "is_bot", "visit", "is_entry", "is_bounce", "visit_seconds"),
    *(column.name for column in _CONVERSION if column.type in ("Int8", "Int64")),
)
"""The columns that every counter reads."""


@dataclass(frozen=True, slots=True)
class VisitRows:
    """Where the rows of a website's days are. Days without events are in neither."""

    website_id: str
    builds: Mapping[date, int]
    live: Mapping[date, int]
    """Days without a current build, and their number of events."""

    def everything(self, start: datetime, end: datetime, columns: Collection[str] = COLUMNS) -> str:
        """A SELECT of `columns`: traffic and conversions from `start` until before `end`. Needs `bounds`."""
        return " UNION ALL ".join(filter(None, (self.traffic(start, end, columns), conversions(columns))))

    def traffic(self, start: datetime, end: datetime, columns: Collection[str], without: Collection[date] = ()) -> str:
        """The same without conversions, and without whole days; empty if there is no such day. Raises `Problem` 503."""
        days = [day for day in days_of(start, end) if day not in without]
        built = [(day, self.builds[day]) for day in days if day in self.builds]
        live = [day for day in days if day in self.live]
        if sum(self.live[day] for day in live) > MAX_LIVE_EVENTS:
            message = (
                "This report is being prepared: many events have just been imported. Please try again in a minute."
            )
            raise Problem(503, "report_in_preparation", message, headers={"Retry-After": "30"})
        shown = _shown(columns, _TRAFFIC)
        parts = []
        if built:
            source = tables.table(tables.VISIT_EVENTS)
            parts.append(f"SELECT {shown} FROM {source} WHERE {of_builds(built)} AND {_WITHIN}")
        if live:
            listed = ", ".join(f"'{day}'" for day in live)
            condition = f"website_id = {{website:UUID}} AND toDate(occurred_at) IN ({listed})"
            found = visits("events", condition, {*columns, "occurred_at"})
            parts.append(f"SELECT {shown} FROM ({found}) WHERE {_WITHIN}")
        return " UNION ALL ".join(parts)

    def bounds(self, start: datetime, end: datetime) -> dict[str, object]:
        """What the SELECTs are bound to."""
        return {"website": self.website_id, "start": int(start.timestamp()), "end": int(end.timestamp())}

    def whole_days(self, start: datetime, end: datetime) -> list[tuple[date, int]]:
        """The days with a current build that lie within `start` and `end`, with their builds."""
        return [(day, self.builds[day]) for day in whole_days(start, end) if day in self.builds]


def conversions(columns: Collection[str]) -> str:
    """A SELECT of `columns`: the rows of conversions. Needs `VisitRows.bounds`."""
    of_website = f"website_id = {{website:UUID}} AND type = 'conversion' AND {_WITHIN}"
    return f"SELECT {_shown(columns, _OF_CONVERSION)} FROM events WHERE {of_website}"


def _shown(columns: Collection[str], expressions: Mapping[str, str]) -> str:
    return ", ".join(
        f"CAST({expressions[name]} AS {_TYPES[name]}) AS {name}" if name in expressions else name
        for name in COLUMNS
        if name in columns
    )


def of_builds(built: Sequence[tuple[date, int]]) -> str:
    """The condition that selects the rows of these days and builds."""
    listed = ", ".join(f"(toDate('{day}'), {build})" for day, build in built)
    return f"website_id = {{website:UUID}} AND (day, build) IN ({listed})"


def plan_query(website_id: str, spans: Sequence[tuple[datetime, datetime]]) -> Query:
    """The statement whose rows `plan` takes: days within the spans."""
    within = " OR ".join(
        f"(day >= '{start.astimezone(UTC).date()}' AND day <= '{_last_day(end)}')" for start, end in spans
    )
    return Query(
        "SELECT day, sum(events) AS events, sum(fingerprint) AS fingerprint, sum(built_events) AS built_events,"
        " sum(built_fingerprint) AS built_fingerprint, max(build) AS build FROM ("
        "SELECT day, toInt64(events) AS events, fingerprint, toInt64(0) AS built_events,"
        f" toUInt64(0) AS built_fingerprint, toUInt64(0) AS build FROM {live_table(tables.EVENT_DAYS)}"
        f" WHERE website_id = {{website:UUID}} AND ({within}) UNION ALL "
        "SELECT day, 0, 0, argMax(b.events, b.build), argMax(b.fingerprint, b.build), max(b.build)"
        f" FROM {tables.table(tables.VISIT_BUILDS)} AS b WHERE website_id = {{website:UUID}} AND ({within})"
        " GROUP BY day) GROUP BY day",
        {"website": website_id},
    )


def plan(website_id: str, found: Sequence[Row]) -> VisitRows:
    """From the rows of `plan_query`."""
    builds: dict[date, int] = {}
    live: dict[date, int] = {}
    for row in found:
        if not row["events"]:
            continue
        if (row["events"], row["fingerprint"]) == (row["built_events"], row["built_fingerprint"]):
            builds[row["day"]] = row["build"]
        else:
            live[row["day"]] = row["events"]
    return VisitRows(website_id, builds, live)


def days_of(start: datetime, end: datetime) -> list[date]:
    """The UTC days that have a moment from `start` until before `end`."""
    first = start.astimezone(UTC).date()
    return [first + timedelta(days=number) for number in range((_last_day(end) - first).days + 1)]


def whole_days(start: datetime, end: datetime) -> list[date]:
    """The UTC days that lie within `start` and `end`."""
    return [day for day in days_of(start, end) if start <= _begin(day) and _begin(day + timedelta(days=1)) <= end]


def _begin(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _last_day(end: datetime) -> date:
    return (end.astimezone(UTC) - timedelta(microseconds=1)).date()


_WITHIN: Final = (
    f"occurred_at >= {instants.bound('start')} AND occurred_at < {instants.bound('end')}"
    f" AND toDate(occurred_at) >= toDate({instants.bound('start')})"
    f" AND toDate(occurred_at) <= toDate({instants.bound('end')})"
)
_TYPES: Final = {**TYPES, **{column.name: column.type for column in _CONVERSION}}
_TRAFFIC: Final = {column.name: "0" if column.default == 0 else repr(column.default) for column in _CONVERSION}
"""The columns of conversions in rows of traffic."""
_OF_CONVERSION: Final = {"exit_page": "path", "visit": "0", "is_entry": "0", "is_bounce": "0", "visit_seconds": "0"}
"""The columns of visits in rows of conversions. The exit page of a conversion is the page of its click: there the
visitor left for the partner."""
