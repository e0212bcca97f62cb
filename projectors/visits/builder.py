"""The visit builder: a thread that builds the visits of days whose events changed, in one process at a time.

Each round compares `event_days` with the builds. A day is built once its events rest. One that keeps changing is built
each time it has grown by half, from the size on at which reports use builds of growing days. Days of small weeks are
left to the reports. Several days share one build: a few large inserts instead of many small ones. A build is registered
after its rows are written, with the fingerprint of exactly these rows: a crash leaves rows that nobody reads, and
events that arrive meanwhile make the build outdated, never wrong.

Days whose events have expired are left to `projectors.visits.expiry`.

When all days of a past week are built, their counters are merged into a build of seven days, in the same way.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from threading import Event, Thread
from typing import Any, Final
from uuid import UUID

import psycopg
import structlog

from infra.domain.visits import statement, tables
from infra.domain.visits.builds import GROWN_DAY_EVENTS
from infra.kernel.observability import logging
from projectors.engine.clickhouse import ClickHouse, Unavailable
from projectors.engine.ownership import Ownership
from projectors.visits.batches import BUILD_SETTINGS, Day, batches, listed
from projectors.visits.expiry import EventExpiry, Expiries

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

LOCK: Final = "visits"
INTERVAL_S: Final = 5.0
MIN_EVENTS: Final = 500
"""A smaller day of a week that has less than seven times as much is not built: a build has a row for each value of each
dimension, often more bytes than the events, and a year of such days is read from them in a tenth of a second."""
MIN_EVENTS_TODAY: Final = 20_000
"""A smaller current day is read from `events` about as fast as it is built."""
GROWTH: Final = 0.5
"""All builds of a growing day read three times its events together; with a quarter it would be five times."""
REST_ROUNDS: Final = 2
"""Rounds without a change, after which a day rests."""
EVENTS_A_ROUND: Final = 16_000
"""A day that was built rests for a round more for each so many events, which is twenty times as long as it takes to
build it again: where an event comes now and then, the day is not built for each of them."""
REST_GROWTH: Final = 0.1
"""A current day that rests is built again once it has grown by so much: until then a trickle only changes it again."""
TIDY_EVERY_S: Final = 600.0
KEPT_S: Final = 300
"""Replaced builds are read by requests that began before."""
MAX_BATCH_WEEKS: Final = 100
WEEK_SETTINGS: Final = {**BUILD_SETTINGS, "max_execution_time": KEPT_S - 60}
"""A build of weeks reads builds that were the newest when it began: they must not be deleted meanwhile."""


@dataclass(frozen=True, slots=True)
class DayEvents:
    """The events of a day: now, and in its newest build (0: none)."""

    events: int
    fingerprint: int
    built_events: int
    built_fingerprint: int

    @property
    def is_current(self) -> bool:
        """Returns whether the build has exactly these events."""
        return (self.events, self.fingerprint) == (self.built_events, self.built_fingerprint)


@dataclass(frozen=True, slots=True)
class Week:
    """A past week whose days are built, and not in a current build of the week."""

    website_id: UUID
    first: date
    days: Sequence[tuple[date, int]]
    """With their builds."""


class VisitBuilder:
    """`start` runs it until `stopping`."""

    def __init__(
        self,
        clickhouse: ClickHouse,
        ownership: Ownership,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        expiries: Callable[[], Expiries] = Expiries,
    ) -> None:
        self._clickhouse, self._ownership, self._now, self._expiries = clickhouse, ownership, now, expiries
        self._expiry = EventExpiry(clickhouse, self._build, monotonic=time.monotonic)
        self._total: tuple[Any, ...] = ()
        self._resting: dict[Day, tuple[int, int]] = {}
        self._weeks_of: date | None = None
        self._tidied_at = time.monotonic()

    def start(self, stopping: Event) -> Thread:
        """The running thread."""
        thread = Thread(target=self._run, args=(stopping,), name="visits", daemon=True)
        thread.start()
        return thread

    def _run(self, stopping: Event) -> None:
        logging.begin_context(component="visits")
        while not stopping.wait(INTERVAL_S):
            try:
                if self._ownership.acquire(LOCK):
                    self.build(stopping)
                    self.expire(stopping)
            except (Unavailable, psycopg.Error) as error:
                log.warning("visits_postponed", error=error)
            except Exception:
                log.exception("unexpected_error")

    def build(self, stopping: Event | None = None) -> int:
        """Runs one round: builds what is due, and removes replaced builds; returns the number of built days. Raises
        `Unavailable`."""
        total = tuple(self._clickhouse.rows(_TOTAL)[0])
        if total == self._total:
            return 0
        expiries, today = self._expiries(), self._now().date()
        outdated = {key: each for key, each in self._outdated().items() if not expiries.is_expired(*key)}
        due = select_due(outdated, self._resting, today)
        self._resting = {key: (each.events, self._resting_rounds(key, each)) for key, each in outdated.items()}
        built = 0
        for batch in batches({key: outdated[key].events for key in due}):
            if stopping is not None and stopping.is_set():
                return built
            self._build(batch)
            built += len(batch)
        if built or self._weeks_of != today:
            self._build_weeks(today, stopping)
            self._weeks_of = today
        left = outdated.keys() - due
        if all(day >= today and outdated[website_id, day].events < MIN_EVENTS_TODAY for website_id, day in left):
            self._total = total  # the others are too small: nothing is due before something changes
        if time.monotonic() - self._tidied_at > TIDY_EVERY_S:
            self.tidy()
        return built

    def expire(self, stopping: Event | None = None) -> int:
        """Builds the days whose events have expired and deletes these; returns the number of days whose rows went.
        Raises `Unavailable`."""
        return self._expiry.sweep(self._expiries(), stopping)

    def _resting_rounds(self, key: Day, found: DayEvents) -> int:
        events, rounds = self._resting.get(key, (0, 0))
        return rounds + 1 if events == found.events else 0

    def tidy(self) -> None:
        """Deletes replaced builds, and rows of builds that were never registered."""
        self._tidied_at = time.monotonic()
        oldest_kept = _build_id(self._now() - timedelta(seconds=KEPT_S))
        replaced = self._clickhouse.rows(_REPLACED, {"before": oldest_kept})[0][0]
        if not replaced:
            return
        suffix = f"_local ON CLUSTER '{self._clickhouse.cluster}'" if self._clickhouse.cluster else ""
        for name in (tables.VISIT_EVENTS, tables.BREAKDOWN, tables.VISIT_BUILDS):
            days = "1" if name == tables.VISIT_EVENTS else "days"
            self._clickhouse.run(
                f"ALTER TABLE {tables.table(name)}{suffix} DELETE WHERE build < {oldest_kept}"
                f" AND (website_id, {days}, day, build) NOT IN ({_NEWEST})"
            )
        log.info("visits_tidied", builds=replaced)

    def _outdated(self) -> dict[Day, DayEvents]:
        rows = self._clickhouse.rows(OUTDATED, least_events())
        return {(website_id, day): DayEvents(*counts) for website_id, day, *counts in rows}

    def _build(self, days: Sequence[Day]) -> int:
        """Builds these days in one build, and returns its number."""
        build = _build_id(self._now())
        started = time.monotonic()
        chosen = " OR ".join(
            f"(website_id = '{website_id}' AND toDate(occurred_at) IN ({listed(own)}))"
            for website_id, own in _by_website(days).items()
        )
        columns = ", ".join(statement.ROW_COLUMNS)
        rows = tables.table(tables.VISIT_EVENTS)
        self._clickhouse.run(
            f"INSERT INTO {rows} (website_id, day, build, {columns})"
            f" SELECT website_id, day, {build} AS build, {columns} FROM ({statement.visits('events', chosen)})",
            BUILD_SETTINGS,
        )
        counted = f"website_id, days, day, build, {', '.join(tables.BREAKDOWN_COUNTED)}"
        within = f"day IN ({listed({day for _, day in days})})"
        source = f"(SELECT * FROM {rows} WHERE {within} AND build = {build})"
        self._clickhouse.run(
            f"INSERT INTO {tables.table(tables.BREAKDOWN)} ({counted}, own_visitors)"
            f" SELECT {counted}, {tables.OWN_VISITORS} FROM ({tables.counters_of(source)})",
            BUILD_SETTINGS,
        )
        self._clickhouse.run(
            f"INSERT INTO {_BUILDS} ({_BUILD_COLUMNS}, offsets)"
            " SELECT website_id, 1, day, build, sum(p.events), sum(p.fingerprint), min(p.first_at), max(p.last_at),"
            " mapFromArrays(groupArray(p.place), groupArray(p.until)) FROM ("
            "SELECT website_id, day, build, concat(toString(_topic), ':', toString(_partition)) AS place,"
            f" toInt64(count()) AS events, sum({statement.FINGERPRINT}) AS fingerprint, min(occurred_at) AS first_at,"
            f" max(occurred_at) AS last_at, max(_offset) AS until FROM {rows}"
            f" WHERE {within} AND build = {build} GROUP BY website_id, day, build, place"
            ") AS p GROUP BY website_id, day, build",
            BUILD_SETTINGS,
        )
        log.info("visits_built", days=len(days), took_s=round(time.monotonic() - started, 2))
        return build

    def _build_weeks(self, today: date, stopping: Event | None) -> None:
        weeks = [Week(*row) for row in self._clickhouse.rows(OUTDATED_WEEKS, {"today": today.isoformat()})]
        for number in range(0, len(weeks), MAX_BATCH_WEEKS):
            if stopping is not None and stopping.is_set():
                return
            self._build_week(weeks[number : number + MAX_BATCH_WEEKS])

    def _build_week(self, weeks: Sequence[Week]) -> None:
        build = _build_id(self._now())
        started = time.monotonic()
        chosen = " OR ".join(
            f"(website_id = '{week.website_id}' AND (day, build) IN ("
            + ", ".join(f"(toDate('{day}'), {built})" for day, built in week.days)
            + "))"
            for week in weeks
        )
        counted = ", ".join(tables.BREAKDOWN_COUNTED)
        self._clickhouse.run(
            f"INSERT INTO {tables.table(tables.BREAKDOWN)} (website_id, days, day, build, {counted}, own_visitors)"
            f" SELECT website_id, {tables.DAYS_OF_WEEK}, week, {build}, {counted}, {tables.OWN_VISITORS}"
            f" FROM ({tables.counters_of_weeks(chosen)})",
            WEEK_SETTINGS,
        )
        self._clickhouse.run(
            f"INSERT INTO {_BUILDS} ({_BUILD_COLUMNS})"
            f" SELECT website_id, {tables.DAYS_OF_WEEK}, toMonday(b.day) AS week, {build}, sum(b.events),"
            f" sum(b.fingerprint), min(b.first_at), max(b.last_at) FROM {_BUILDS} AS b WHERE b.days = 1 AND ({chosen})"
            " GROUP BY website_id, week",
            WEEK_SETTINGS,
        )
        log.info("weeks_built", weeks=len(weeks), took_s=round(time.monotonic() - started, 2))


def least_events() -> dict[str, int]:
    """The parameters of `OUTDATED`: the events of a day and of a week from which on days are built."""
    return {"of_day": MIN_EVENTS, "of_week": tables.DAYS_OF_WEEK * MIN_EVENTS}


def select_due(found: Mapping[Day, DayEvents], resting: Mapping[Day, tuple[int, int]], today: date) -> list[Day]:
    """The outdated days to build now, newest first. `resting`: of the last round, the number of events and the number
    of rounds since it changed."""
    due = []
    for key, each in found.items():
        events, rounds = resting.get(key, (0, 0))
        rests = events == each.events and rounds + 1 >= _rounds_of_rest(each)
        grown = each.events >= GROWN_DAY_EVENTS and each.events >= (1 + GROWTH) * each.built_events
        if grown or (rests and (key[1] < today or _is_worth_building_today(each))):
            due.append(key)
    return sorted(due, key=lambda key: (key[1], key[0]), reverse=True)


def _rounds_of_rest(found: DayEvents) -> int:
    return max(REST_ROUNDS, found.events // EVENTS_A_ROUND) if found.built_events else REST_ROUNDS


def _is_worth_building_today(found: DayEvents) -> bool:
    is_marked_otherwise = found.events == found.built_events
    has_grown = found.events - found.built_events >= REST_GROWTH * found.built_events
    return found.events >= MIN_EVENTS_TODAY and (has_grown or is_marked_otherwise)


def _by_website(days: Sequence[Day]) -> Mapping[UUID, list[date]]:
    by_website: dict[UUID, list[date]] = {}
    for website_id, day in days:
        by_website.setdefault(website_id, []).append(day)
    return by_website


def _build_id(moment: datetime) -> int:
    """Builds are ordered by time, in microseconds."""
    return int(moment.timestamp() * 1_000_000)


_BUILDS: Final = tables.table(tables.VISIT_BUILDS)
_BUILD_COLUMNS: Final = "website_id, days, day, build, events, fingerprint, first_at, last_at"
_NEWEST: Final = f"SELECT website_id, days, day, max(build) FROM {_BUILDS} GROUP BY website_id, days, day"
_TOTAL: Final = (
    f"SELECT sum(events), sum(fingerprint), (SELECT count() FROM {_BUILDS}), toStartOfDay(now('UTC'))"
    f" FROM {tables.EVENT_DAYS}"
)
_REPLACED: Final = (
    f"SELECT count() FROM {_BUILDS} WHERE build < {{before:UInt64}}"
    f" AND (website_id, days, day, build) NOT IN ({_NEWEST})"
)
_DAYS: Final = (
    "SELECT website_id, day, sum(now_events) AS events, sum(now_fingerprint) AS fingerprint,"
    " sum(then_events) AS built_events, sum(then_fingerprint) AS built_fingerprint, max(newest) AS build FROM ("
    " SELECT website_id, day, toInt64(events) AS now_events, fingerprint AS now_fingerprint,"
    f" toInt64(0) AS then_events, toUInt64(0) AS then_fingerprint, toUInt64(0) AS newest FROM {tables.EVENT_DAYS}"
    " UNION ALL SELECT website_id, day, 0, 0, argMax(b.events, b.build), argMax(b.fingerprint, b.build), max(b.build)"
    f" FROM {_BUILDS} AS b WHERE b.days = 1 GROUP BY website_id, day)"
    " GROUP BY website_id, day"
)
OUTDATED: Final = (
    "SELECT website_id, day, events, fingerprint, built_events, built_fingerprint FROM ("
    f"SELECT *, sum(events) OVER (PARTITION BY website_id, toMonday(day)) AS week_events FROM ({_DAYS}))"
    " WHERE (events <> built_events OR fingerprint <> built_fingerprint)"
    " AND (events >= {of_day:Int64} OR week_events >= {of_week:Int64}) ORDER BY website_id, day LIMIT 100000"
)
OUTDATED_WEEKS: Final = (
    "SELECT website_id, week, builds FROM ("
    "SELECT website_id, toMonday(d.day) AS week, sum(d.events) AS week_events, sum(d.fingerprint) AS week_fingerprint,"
    " min(d.events = d.built_events AND d.fingerprint = d.built_fingerprint) AS is_built,"
    " groupArrayIf((d.day, d.build), d.events <> 0) AS builds"
    f" FROM ({_DAYS}) AS d GROUP BY website_id, week) AS found LEFT JOIN ("
    " SELECT website_id, day AS week, argMax(b.events, b.build) AS then_events,"
    f" argMax(b.fingerprint, b.build) AS then_fingerprint FROM {_BUILDS} AS b WHERE b.days = {tables.DAYS_OF_WEEK}"
    " GROUP BY website_id, week) AS built USING (website_id, week)"
    f" WHERE is_built AND week_events <> 0 AND week + {tables.DAYS_OF_WEEK} <= {{today:Date}}"
    " AND (week_events <> then_events OR week_fingerprint <> then_fingerprint)"
    " ORDER BY website_id, week LIMIT 100000"
)
