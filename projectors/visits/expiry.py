"""Deletes the events of days whose time is over (`website.events_expired`), once all that is kept of them is built.

Of such a day remain the rollups, which were fed with its events, and the counters of its visits (`breakdown`), of the
whole UTC day and of its two parts before and from the midnight of the website. Rows go when `event_days` says that the
day's build has exactly the events that there were. So it is the same after a crash, and after `events` was built again
from the log: a day whose build has other contents is built from the rows that came back, and then they go again. A day
that lacks a build and rows (an event came after they had gone, or the visits have a new version) waits for that.

Runs in the visit builder's thread, which is one of all processes.
"""

# ruff: noqa: S608 - names of tables and columns are ours, ids and days were checked

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import islice
from threading import Event
from typing import Any, Final
from uuid import UUID

import structlog
from psycopg import Connection

from infra.domain.retention import midnights
from infra.domain.visits import tables
from infra.domain.visits.statement import FINGERPRINT
from projectors.engine import failpoints, schema
from projectors.engine.clickhouse import ClickHouse
from projectors.engine.tables import table_name
from projectors.rollups.events_raw import EVENTS
from projectors.rollups.expired_events import CONVERSION, expired_days
from projectors.visits.batches import BUILD_SETTINGS, Day, batches, listed
from schemas.zones import ZoneInfo

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

SWEEP_EVERY_S: Final = 60.0
"""While no more days expire: to find what came back or was left."""
GRACE_S: Final = 60
"""A reader of events first checks whether they have expired: for this time after that they are still there."""
SPANS_AT_ONCE: Final = 500
"""Spans of days in one statement that deletes."""
DELETE_SETTINGS: Final = {"mutations_sync": 2, "max_execution_time": 3_000}
"""The statement returns when the rows are deleted on every replica."""

Contents = tuple[int, int]
"""Number and fingerprint of events."""


@dataclass(frozen=True, slots=True)
class Expiry:
    """The expired events of a website: events before the UTC day `kept_from`."""

    kept_from: date
    timezone: str


@dataclass(frozen=True, slots=True)
class Expiries:
    """The expired events by website, and the live generation of `events`."""

    websites: Mapping[UUID, Expiry] = field(default_factory=dict)
    generation: int = 0

    def is_expired(self, website_id: UUID, day: date) -> bool:
        """Returns whether the events of that day have expired."""
        expiry = self.websites.get(website_id)
        return expiry is not None and day < expiry.kept_from

    def condition(self, day: str) -> str:
        """Returns the condition that `day`, an expression, has expired for the row's website."""
        return expired_days({str(website_id): expiry.kept_from for website_id, expiry in self.websites.items()}, day)


def read_expiries(connection: Connection[Any]) -> Expiries:
    """Reads the expired events from the read models."""
    rows = connection.execute(_EXPIRIES, (GRACE_S,)).fetchall()
    if not rows:
        return Expiries()
    websites = {website_id: Expiry(kept_from, timezone) for website_id, kept_from, timezone in rows}
    return Expiries(websites, schema.live_generation(connection, EVENTS.name))


@dataclass(frozen=True, slots=True)
class _Built:
    """The newest builds of days and of their parts."""

    days: Mapping[Day, tuple[int, Contents]]
    """The number of the build, and its contents."""
    parts: Mapping[Day, int]
    """The number of the build of the parts."""

    def is_whole(self, key: Day, now: Contents | None, expiry: Expiry) -> bool:
        """Returns whether reports need the day's rows no more. `now`: the events that the day has had."""
        number, contents = self.days.get(key, (0, None))
        if contents is None or contents != now:
            return False
        return self.parts.get(key) == number or not midnights(ZoneInfo(expiry.timezone), key[1])


class EventExpiry:
    """`sweep`, time and again. `build`: builds days in one build and returns its number."""

    def __init__(
        self, clickhouse: ClickHouse, build: Callable[[Sequence[Day]], int], monotonic: Callable[[], float]
    ) -> None:
        self._clickhouse, self._build, self._monotonic = clickhouse, build, monotonic
        self._swept: Expiries | None = None
        self._swept_at = 0.0

    def sweep(self, expiries: Expiries, stopping: Event | None = None) -> int:
        """Builds the counters that are to be kept, deletes the expired rows; returns the number of days of websites
        whose events were deleted. Raises `Unavailable`; it can be repeated at any time."""
        if not expiries.websites:
            return 0
        if expiries == self._swept and self._monotonic() - self._swept_at < SWEEP_EVERY_S:
            return 0
        raw, events = self._raw(expiries), table_name(EVENTS.name, expiries.generation)
        now, built = self._now(expiries), self._built(expiries)
        whole = {
            key: contents[0]
            for key, contents in raw.items()
            if now.get(key) == contents and not built.is_whole(key, contents, expiries.websites[key[0]])
        }
        for batch in batches(whole):
            if stopping is not None and stopping.is_set():
                return 0
            self._build_whole(batch, expiries)
        failpoints.reach("expiry_built", EVENTS.name)
        if whole:
            built = self._built(expiries)
        kept = {key for key in now if built.is_whole(key, now[key], expiries.websites[key[0]])}
        gone = sorted(raw.keys() & kept)
        self._delete(events, "toDate(occurred_at)", gone, f"type <> '{CONVERSION}' AND ")
        failpoints.reach("expiry_deleted", EVENTS.name)
        self._delete(tables.table(tables.VISIT_EVENTS), "day", sorted(self._visit_days(expiries) & kept))
        if gone:
            log.info("events_expired", days=len(gone))
        if unknown := now.keys() - kept:
            log.warning("expired_days_not_built", days=len(unknown), hint="rebuild events: its rows come from the log")
        self._swept, self._swept_at = expiries, self._monotonic()
        return len(gone)

    def _raw(self, expiries: Expiries) -> dict[Day, Contents]:
        """The stored events of each expired day."""
        events = table_name(EVENTS.name, expiries.generation)
        return self._contents(
            f"SELECT website_id, toDate(occurred_at) AS day, toInt64(count()), sum({FINGERPRINT}) FROM {events}"
            f" WHERE type <> '{CONVERSION}' AND {expiries.condition('toDate(occurred_at)')} GROUP BY website_id, day"
            " ORDER BY day, website_id"
        )

    def _now(self, expiries: Expiries) -> dict[Day, Contents]:
        """Returns the contents that each expired day has had."""
        return self._contents(
            "SELECT website_id, day, toInt64(sum(d.events)), sum(d.fingerprint)"
            f" FROM {tables.EVENT_DAYS} AS d WHERE {expiries.condition('day')} GROUP BY website_id, day"
        )

    def _contents(self, query: str) -> dict[Day, Contents]:
        rows = self._clickhouse.rows(query)
        return {(website_id, day): (events, fingerprint) for website_id, day, events, fingerprint in rows}

    def _built(self, expiries: Expiries) -> _Built:
        rows = self._clickhouse.rows(
            "SELECT website_id, if(b.days = 1, 1, 0) AS is_day, day, max(b.build), argMax(b.events, b.build),"
            f" argMax(b.fingerprint, b.build) FROM {tables.table(tables.VISIT_BUILDS)} AS b WHERE"
            f" b.days IN (1, {', '.join(map(str, tables.PARTS))}) AND {expiries.condition('day')}"
            " GROUP BY website_id, is_day, day"
        )
        days = {(site, day): (build, (events, sums)) for site, is_day, day, build, events, sums in rows if is_day}
        return _Built(days, {(site, day): build for site, is_day, day, build, *_ in rows if not is_day})

    def _visit_days(self, expiries: Expiries) -> set[Day]:
        """The expired days of which there are rows with visits."""
        rows = tables.table(tables.VISIT_EVENTS)
        day_rows = self._clickhouse.rows(
            f"SELECT DISTINCT website_id, day FROM {rows} WHERE {expiries.condition('day')}"
        )
        return {(website_id, day) for website_id, day in day_rows}

    def _build_whole(self, days: Sequence[Day], expiries: Expiries) -> None:
        """The days, then their parts under the same number."""
        build = self._build(days)
        by_zone: dict[str, list[Day]] = defaultdict(list)
        for key in days:
            by_zone[expiries.websites[key[0]].timezone].append(key)
        for timezone, own in by_zone.items():
            self._build_parts(build, ZoneInfo(timezone), own)

    def _build_parts(self, build: int, zone: ZoneInfo, days: Sequence[Day]) -> None:
        by_day = {day: midnights(zone, day) for day in {day for _, day in days}}
        cut = {day: int(moments[0].timestamp() * 1000) for day, moments in by_day.items() if len(moments) == 1}
        if not cut:
            return
        websites = ", ".join(sorted(f"'{website_id}'" for website_id in {website_id for website_id, _ in days}))
        midnight = f"transform(toString(day), [{listed(cut)}], {[cut[day] for day in sorted(cut)]}, toInt64(0))"
        part = f"if(toUnixTimestamp64Milli(occurred_at) < {midnight}, {tables.BEFORE_MIDNIGHT}, {tables.FROM_MIDNIGHT})"
        rows = (
            f"(SELECT *, toUInt8({part}) AS part FROM {tables.table(tables.VISIT_EVENTS)}"
            f" WHERE website_id IN ({websites}) AND day IN ({listed(cut)}) AND build = {build})"
        )
        counted = f"website_id, days, day, build, {', '.join(tables.BREAKDOWN_COUNTED)}"
        self._clickhouse.run(
            f"INSERT INTO {tables.table(tables.BREAKDOWN)} ({counted}, own_visitors)"
            f" SELECT {counted}, {tables.OWN_VISITORS} FROM ({tables.counters_of(rows, 't.part')})",
            BUILD_SETTINGS,
        )
        self._clickhouse.run(
            f"INSERT INTO {tables.table(tables.VISIT_BUILDS)}"
            " (website_id, days, day, build, events, fingerprint, first_at, last_at)"
            f" SELECT website_id, part, day, build, toInt64(count()), sum({FINGERPRINT}), min(occurred_at),"
            f" max(occurred_at) FROM {rows} GROUP BY website_id, part, day, build",
            BUILD_SETTINGS,
        )

    def _delete(self, table: str, column: str, days: Sequence[Day], condition: str = "") -> None:
        suffix = f"_local ON CLUSTER '{self._clickhouse.cluster}'" if self._clickhouse.cluster else ""
        spans = iter(spans_of(days))
        while some := list(islice(spans, SPANS_AT_ONCE)):
            chosen = " OR ".join(
                f"website_id = '{website_id}' AND {column} BETWEEN '{first}' AND '{last}'"
                for website_id, first, last in some
            )
            self._clickhouse.run(f"ALTER TABLE {table}{suffix} DELETE WHERE {condition}({chosen})", DELETE_SETTINGS)


def spans_of(days: Iterable[Day]) -> Iterator[tuple[UUID, date, date]]:
    """Days one after the other together: website, first and last day. `days` are sorted."""
    span: tuple[UUID, date, date] | None = None
    for website_id, day in days:
        if span is not None and span[0] == website_id and day == span[2] + timedelta(days=1):
            span = website_id, span[1], day
            continue
        if span is not None:
            yield span
        span = website_id, day, day
    if span is not None:
        yield span


_EXPIRIES: Final = (
    "select e.website_id, max(e.before), coalesce(max(w.timezone), 'UTC') from read.event_expiries as e "
    "left join read.websites as w on w.id = e.website_id "
    "where e.expired_at < now() - make_interval(secs => %s) group by e.website_id"
)
