"""Rows with their visits for reports: from current builds of whole days, and for other days from `events`.

Counters of whole days come from the builds of their weeks where these are current.

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
TRAFFIC_COUNTED: Final = (
    *("type", "value", "occurred_at", "visitor", "is_bot", "visit", "is_entry", "is_bounce", "visit_seconds"),
)
CONVERSIONS_COUNTED: Final = (
    *("visitor", "is_bot"),
    *(column.name for column in _CONVERSION if column.type in ("Int8", "Int64")),
)
"""The columns that the counters read of traffic, and of conversions."""
COUNTED: Final = tuple(dict.fromkeys((*TRAFFIC_COUNTED, *CONVERSIONS_COUNTED)))
"""The columns that the counters read of both together."""


Contents = tuple[int, int]
"""Number and fingerprint of events."""
Built = Sequence[tuple[date, int]]
"""Days, or the first days of weeks, with their builds."""


@dataclass(frozen=True, slots=True)
class Whole:
    """The whole weeks of a range that have a current build, and its whole days beside them that have one."""

    weeks: Built
    days: Built

    @property
    def covered(self) -> set[date]:
        """All days that are in one of them."""
        return {day for day, _ in self.days} | {day for first, _ in self.weeks for day in days_of_week(first)}


@dataclass(frozen=True, slots=True)
class VisitRows:
    """Where the rows of a website's days are. Days without events are in neither `builds` nor `live`."""

    website_id: str
    builds: Mapping[date, int]
    live: Mapping[date, int]
    """Days without a current build, and their number of events."""
    weeks: Mapping[date, int]
    """Current builds by Monday."""

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
            found = visits(_EVENTS, condition, {*columns, "occurred_at"})
            parts.append(f"SELECT {shown} FROM ({found}) WHERE {_WITHIN}")
        return " UNION ALL ".join(parts)

    def bounds(self, start: datetime, end: datetime) -> dict[str, object]:
        """What the SELECTs are bound to."""
        return {"website": self.website_id, "start": int(start.timestamp()), "end": int(end.timestamp())}

    def whole(self, start: datetime, end: datetime) -> Whole:
        """What is built of the days that lie within `start` and `end`."""
        days = set(whole_days(start, end))
        weeks = [first for first in sorted(days & self.weeks.keys()) if days.issuperset(days_of_week(first))]
        days -= {day for first in weeks for day in days_of_week(first)}
        return Whole(
            [(first, self.weeks[first]) for first in weeks],
            [(day, self.builds[day]) for day in sorted(days & self.builds.keys())],
        )


def conversions(columns: Collection[str]) -> str:
    """A SELECT of `columns`: the rows of conversions. Needs `VisitRows.bounds`."""
    of_website = f"website_id = {{website:UUID}} AND type = 'conversion' AND {_WITHIN}"
    return f"SELECT {_shown(columns, _OF_CONVERSION)} FROM {_EVENTS} WHERE {of_website}"


def _shown(columns: Collection[str], expressions: Mapping[str, str]) -> str:
    return ", ".join(
        f"CAST({expressions[name]} AS {_TYPES[name]}) AS {name}" if name in expressions else name
        for name in COLUMNS
        if name in columns
    )


def of_builds(built: Built) -> str:
    """The condition that selects the rows of these builds."""
    listed = ", ".join(f"(toDate('{day}'), {build})" for day, build in built)
    return f"website_id = {{website:UUID}} AND (day, build) IN ({listed})"


def plan_query(website_id: str, spans: Sequence[tuple[datetime, datetime]]) -> Query:
    """The statement whose rows `plan` takes: days within the spans."""
    within = " OR ".join(
        f"(day >= '{start.astimezone(UTC).date()}' AND day <= '{_last_day(end)}')" for start, end in spans
    )
    of_days = f"website_id = {{website:UUID}} AND ({within}) GROUP BY day"
    newest = "toInt64(argMax(b.events, b.build)), argMax(b.fingerprint, b.build), max(b.build)"
    return Query(
        f"SELECT {_NOW} AS kind, day, toInt64(sum(d.events)) AS events, sum(d.fingerprint) AS fingerprint,"
        f" toUInt64(0) AS build FROM {live_table(tables.EVENT_DAYS)} AS d WHERE {of_days} UNION ALL "
        f"SELECT {_DAY}, day, {newest} FROM {tables.table(tables.VISIT_BUILDS)} AS b WHERE {of_days} UNION ALL "
        f"SELECT {_WEEK}, day, {newest} FROM {tables.table(tables.WEEK_BUILDS)} AS b WHERE {of_days}",
        {"website": website_id},
    )


def plan(website_id: str, found: Sequence[Row]) -> VisitRows:
    """From the rows of `plan_query`."""
    days: dict[date, Contents] = {}
    builds: dict[date, tuple[Contents, int]] = {}
    weeks: dict[date, tuple[Contents, int]] = {}
    for row in found:
        day, contents = row["day"], (row["events"], row["fingerprint"])
        if row["kind"] != _NOW:
            (builds if row["kind"] == _DAY else weeks)[day] = contents, row["build"]
        elif row["events"]:
            days[day] = contents
    current = {day: build for day, (contents, build) in builds.items() if days.get(day) == contents}
    return VisitRows(
        website_id,
        builds=current,
        live={day: events for day, (events, _) in days.items() if day not in current},
        weeks={first: build for first, (contents, build) in weeks.items() if _of_week(days, first) == contents},
    )


def _of_week(days: Mapping[date, Contents], first: date) -> Contents:
    found = [days[day] for day in days_of_week(first) if day in days]
    return sum(events for events, _ in found), sum(fingerprint for _, fingerprint in found) % 2**64


def days_of_week(first: date) -> list[date]:
    """The seven days from `first` on."""
    return [first + timedelta(days=number) for number in range(tables.DAYS_OF_WEEK)]


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


_NOW, _DAY, _WEEK = 0, 1, 2
"""Kinds of rows of `plan_query`: the events of a day, and the newest build of a day and of a week."""
_EVENTS: Final = live_table("events")
"""Resolving the view of that name, with all its columns, takes longer than reading a small website."""
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
