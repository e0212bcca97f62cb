"""Finds the rows of a report's days: in current builds of whole days, and for other days in `events`.

Counters of whole builds come from those of their weeks where these are current.

`plan` reads which days have a current build (`infra.domain.visits.tables`). No report waits for a build: what is not
built, or has grown since, is found by the same SQL when it is read. Days whose events have expired are read from the
counters of their builds alone: of the whole day, or of its parts before and from the website's midnight.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final

from infra.domain.visits import tables
from infra.domain.visits.builds import Contents, VisitBuild
from infra.kernel.http.problems import Problem
from query_api.analytics import visit_growth
from query_api.analytics.kept_events import KeptEvents
from query_api.analytics.visit_growth import GrownDay
from query_api.kernel.clickhouse_reader import Query, Row, live_table

MAX_LIVE_EVENTS: Final = 5_000_000
"""More events without a build are read for too long; they are after an import of millions, until it is built."""


@dataclass(frozen=True, slots=True)
class DayRows:
    """The places of the rows of some days."""

    whole: tuple[VisitBuild, ...] = ()
    """Builds whose rows are all meant."""
    cut: tuple[VisitBuild, ...] = ()
    """Builds of which a part is meant."""
    live: tuple[date, ...] = ()
    """Days whose rows are found from `events`."""
    grown: tuple[GrownDay, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.whole or self.cut or self.live or self.grown)


NO_ROWS: Final = DayRows()


@dataclass(frozen=True, slots=True)
class VisitRows:
    """The places of the rows of a website's days. Days without events are in neither `builds` nor `live`."""

    website_id: str
    builds: Mapping[date, VisitBuild]
    live: Mapping[date, int]
    """Days without a current build, and their number of events."""
    weeks: Mapping[date, VisitBuild]
    """Current builds by Monday."""
    outdated: Sequence[VisitBuild] = ()
    """Builds of large days in `live`."""
    grown: Mapping[date, GrownDay] = field(default_factory=dict)
    """Days that are read from an outdated build and their newer events."""
    kept: KeptEvents = KeptEvents()
    parts: Mapping[date, Sequence[VisitBuild]] = field(default_factory=dict)
    """Current builds of the parts of days."""

    def with_grown(self, found: Sequence[Row]) -> VisitRows:
        """Returns a copy with the days for which `visit_growth.check_query` found that their builds are a part of
        them."""
        grown = visit_growth.grown_days(self.outdated, found)
        live = {day: events for day, events in self.live.items() if day not in grown}
        return replace(self, live=live, grown=grown, outdated=())

    def rows(self, start: datetime, end: datetime, without: Collection[date] = ()) -> DayRows:
        """Returns where traffic from `start` until before `end` is, without some whole days.

        Raises `Problem` 503, and 422 for days whose events have expired."""
        days = [day for day in days_of(start, end) if day not in without]
        if any(not self.kept.has(day) and self._needs_rows(day, start, end) for day in days):
            raise self.kept.problem()
        days = [day for day in days if self.kept.has(day)]
        built = [self.builds[day] for day in days if day in self.builds]
        live = tuple(day for day in days if day in self.live)
        grown = tuple(self.grown[day] for day in days if day in self.grown)
        if sum(self.live[day] for day in live) + sum(day.newer for day in grown) > MAX_LIVE_EVENTS:
            message = (
                "This report is being prepared: many events have just been imported. Please try again in a minute."
            )
            raise Problem(503, "report_in_preparation", message, headers={"Retry-After": "30"})
        whole = tuple(build for build in built if build.lies_within(start, end))
        return DayRows(whole, tuple(build for build in built if build not in whole), live, grown)

    def whole(self, start: datetime, end: datetime) -> list[VisitBuild]:
        """The builds that lie within `start` and `end`: weeks, the days beside them, and the parts of expired days."""
        weeks = [week for week in self.weeks.values() if week.lies_within(start, end)]
        in_weeks = {day for week in weeks for day in week.covered}
        days = [build for day, build in self.builds.items() if day not in in_weeks and build.lies_within(start, end)]
        parts = (part for day in self.parts if day not in in_weeks for part in self._parts_within(day, start, end))
        return sorted((*weeks, *days, *parts), key=lambda build: build.day)

    def _parts_within(self, day: date, start: datetime, end: datetime) -> Sequence[VisitBuild]:
        """Returns the parts of a day that make up its events in the range; none if they do not, or the whole day
        does."""
        if self.kept.has(day) or day not in self.builds or self.builds[day].lies_within(start, end):
            return ()
        parts = [part for part in self.parts[day] if not part.lies_outside(start, end)]
        return parts if all(part.lies_within(start, end) for part in parts) else ()

    def _needs_rows(self, day: date, start: datetime, end: datetime) -> bool:
        """Returns whether the range has events of an expired day; those that counters have are excluded before."""
        if day not in self.builds:
            return day in self.live or day in self.grown
        parts = self.parts.get(day, (self.builds[day],))
        return not all(part.lies_outside(start, end) for part in parts)


def plan_queries(website_id: str, spans: Sequence[tuple[datetime, datetime]]) -> tuple[Query, Query]:
    """The statements whose rows `plan` takes: what days within the spans have now, and their newest builds."""
    within = " OR ".join(
        f"(day >= '{start.astimezone(UTC).date()}' AND day <= '{_last_day(end)}')" for start, end in spans
    )
    of_website = f"website_id = {{website:UUID}} AND ({within})"
    bound = {"website": website_id}
    return (
        Query(
            f"SELECT day, toInt64(sum(d.events)) AS events, sum(d.fingerprint) AS fingerprint"
            f" FROM {live_table(tables.EVENT_DAYS)} AS d WHERE {of_website} GROUP BY day",
            bound,
        ),
        Query(
            f"SELECT days, day, build, events, fingerprint, first_at, last_at, offsets"
            f" FROM {tables.table(tables.VISIT_BUILDS)} WHERE {of_website} ORDER BY build DESC LIMIT 1 BY days, day",
            bound,
        ),
    )


def plan(website_id: str, days: Sequence[Row], builds: Sequence[Row], kept: KeptEvents) -> VisitRows:
    """Returns the rows of visits, from the rows of `plan_queries`."""
    now: dict[date, Contents] = {row["day"]: (row["events"], row["fingerprint"]) for row in days if row["events"]}
    built: dict[int, dict[date, VisitBuild]] = {number: {} for number in (1, tables.DAYS_OF_WEEK, *tables.PARTS)}
    for row in builds:
        contents, times = (row["events"], row["fingerprint"]), (_utc(row["first_at"]), _utc(row["last_at"]))
        number_of_days, day = row["days"], row["day"]
        built[number_of_days][day] = VisitBuild(number_of_days, day, row["build"], contents, *times, row["offsets"])
    current = {day: build for day, build in built[1].items() if now.get(day) == build.contents}
    outdated = {day: build for day, build in built[1].items() if day in now and day not in current and kept.has(day)}
    parts = {
        day: existing
        for day, build in current.items()
        if (existing := [built[each][day] for each in tables.PARTS if _is_part(built[each].get(day), build)])
    }
    return VisitRows(
        website_id,
        builds=current,
        live={day: events for day, (events, _) in now.items() if day not in current},
        weeks={
            day: build
            for day, build in built[tables.DAYS_OF_WEEK].items()
            if _together(now, build.covered) == build.contents
        },
        outdated=visit_growth.candidates({day: events for day, (events, _) in now.items()}, outdated),
        kept=kept,
        parts=parts,
    )


def _is_part(part: VisitBuild | None, build: VisitBuild) -> bool:
    return part is not None and part.number == build.number


def _together(now: Mapping[date, Contents], days: Sequence[date]) -> Contents:
    contents = [now[day] for day in days if day in now]
    return sum(events for events, _ in contents), sum(fingerprint for _, fingerprint in contents) % 2**64


def _utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def days_of(start: datetime, end: datetime) -> list[date]:
    """The UTC days that have a moment from `start` until before `end`."""
    first = start.astimezone(UTC).date()
    return [first + timedelta(days=number) for number in range((_last_day(end) - first).days + 1)]


def _last_day(end: datetime) -> date:
    return (end.astimezone(UTC) - timedelta(microseconds=1)).date()
