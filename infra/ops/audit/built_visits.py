"""Built visits against the raw rows: `visit_events`, `breakdown` and `visit_builds`, row by row and cell by cell.

raw rows -> `visit_events` -> `breakdown` of days -> `breakdown` of weeks: each is compared with what the one before it
comes to. Visits are found with arrays (`infra.ops.audit.visits_of_events`), not with the statement of the product.
Only what a report can read is compared: the newest build of a day, as long as the raw rows up to its offsets are what
it was built of. ClickHouse reads, sorts and groups; days are taken in batches, so that memory does not grow with the
history.
"""

# ruff: noqa: S608 - queries are made of this package's own names, of numbers, and of what ClickHouse said

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from infra.domain.visits import tables
from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit import visits_of_events
from infra.ops.audit.expired_events import NONE, Expired
from infra.ops.audit.report import AuditReport, DefectKind

CHECKS: Final = tuple(tables.table(name) for name in (tables.VISIT_EVENTS, tables.BREAKDOWN, tables.VISIT_BUILDS))
_ROWS, _BREAKDOWN, _BUILDS = CHECKS
_MAX_EVENTS: Final = 400_000
_MAX_DAYS: Final = 500
"""The maximum number of days of a batch; a larger day is a batch of its own."""
_SHOWN: Final = 1_000
_TRIES: Final = 3
_UNREGISTERED: Final = timedelta(hours=1)
"""A process that ends between the rows of a build and its registration leaves rows; the next build of the day comes
within minutes."""
_SETTINGS: Final = (
    " SETTINGS max_threads = 2, max_bytes_before_external_group_by = 1000000000, max_bytes_before_external_sort ="
    " 1000000000"
)
_FINGERPRINT: Final = "cityHash64(_topic, _partition, _offset, is_bot, bot_reason, visitor, click_id, city, props)"
_PLACE: Final = "concat(toString(_topic), ':', toString(_partition))"
_COUNTERS: Final = {
    "events": "count()",
    "pageviews": "countIf(type = 'pageview')",
    "clicks": "countIf(type = 'click')",
    "impressions": "sumIf(value, type = 'link.impression')",
    "visits": "uniqExactIf(visit, visit != 0)",
    "entries": "sum(is_entry)",
    "bounces": "sum(is_bounce)",
    "seconds": "sum(visit_seconds)",
}
_NO_ID: Final = "00000000-0000-0000-0000-000000000000"
_SAME_NAME: Final = (
    *("entry_page", "exit_page", "hostname", "source", "channel", "utm_source", "utm_medium", "utm_campaign"),
    *("utm_content", "utm_term", "region", "city", "device", "browser", "os", "language", "placement"),
    *(f"sub{number}" for number in range(1, 11)),
)
DIMENSIONS: Final[Mapping[str, str]] = {
    "total": "''",
    "page": "path",
    "referrer": "referrer_host",
    **{name: name for name in _SAME_NAME},
    "country": "if(country = 'ZZ', '', toString(country))",
    "partner": f"if(toString(partner_id) = '{_NO_ID}', '', toString(partner_id))",
    "link": f"if(toString(link_id) = '{_NO_ID}', '', toString(link_id))",
    "coupon": "''",
    "event": "type",
    "hour": "toString(intDiv(toUnixTimestamp(occurred_at), 3600) * 3600)",
    "quarter": "toString(intDiv(toUnixTimestamp(occurred_at), 900) * 900)",
}
"""The value of each dimension in a row of `visit_events`."""

Day = tuple[str, str]
"""A website and a date, as text."""
Contents = tuple[int, int, str, str]
"""Number and fingerprint of events, the first and the last moment."""
Offsets = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class _Build:
    """A row of `visit_builds`. `place`: its website, number of days, and first day."""

    place: tuple[str, int, str]
    number: int
    events: int
    fingerprint: int
    first_at: str
    last_at: str
    offsets: Offsets
    copies: int

    @property
    def day(self) -> Day:
        return self.place[0], self.place[2]

    @property
    def contents(self) -> Contents:
        return self.events, self.fingerprint, self.first_at, self.last_at

    @property
    def name(self) -> str:
        website_id, days, day = self.place
        return f"build of {'the week' if days > 1 else 'the day'} {day} of website {website_id}"


def audit_built_visits(
    clickhouse: Reader, progress: Callable[[int], None] = lambda _: None, expired: Expired = NONE
) -> AuditReport:
    """Compares every build that a report can read. `progress` gets the number of builds of each batch."""
    report = AuditReport()
    columns = _event_columns(clickhouse)
    for website_id in [row["website_id"] for row in clickhouse.rows(_WEBSITES)]:
        builds = _newest(clickhouse, f"website_id = '{website_id}'")
        days = {build.day: build for build in builds if build.place[1] == 1}
        there = [build for build in days.values() if build.place[2] >= expired.kept_from.get(website_id, "")]
        for build in builds:
            if build.copies > 1:
                report.found(DefectKind.DUPLICATE, _BUILDS, f"{build.name} is registered {build.copies} times")
        for batch in _batches(there):
            report.add(_audit_days(clickhouse, columns, batch))
            progress(len(batch))
        report.add(_audit_parts(days, [build for build in builds if build.place[1] in tables.PARTS]))
        for week in (build for build in builds if build.place[1] == tables.DAYS_OF_WEEK):
            report.add(_audit_week(clickhouse, week))
            progress(1)
    report.add(_unregistered(clickhouse, datetime.now(UTC) - _UNREGISTERED))
    return report


def count_builds(clickhouse: Reader) -> int:
    """Returns how many builds `audit_built_visits` compares."""
    [row] = clickhouse.rows(f"SELECT uniqExact(website_id, days, day) AS builds FROM {_BUILDS}")
    return int(row["builds"])


def _audit_days(clickhouse: Reader, columns: Sequence[str], builds: Sequence[_Build]) -> AuditReport:
    """Compares many days at once, as if no event came meanwhile; those that differ, one by one, up to the offsets of
    their build."""
    suspects = _days_that_differ(clickhouse, columns, builds)
    report = _compared(clickhouse, builds)
    for build in builds:
        if build.day in suspects:
            report.add(_audit_day(clickhouse, columns, build))
    return report


def _days_that_differ(clickhouse: Reader, columns: Sequence[str], builds: Sequence[_Build]) -> set[Day]:
    own = _own_contents(clickhouse, builds)
    wrong = [build.day for build in builds if own.get(build.day) != (build.contents, build.offsets)]
    events = " OR ".join(
        f"(website_id = '{website_id}' AND toDate(occurred_at) IN ({_listed(days)}))"
        for website_id, days in _by_website(builds).items()
    )
    queries = _rows_query(columns, events, builds), _breakdown_query(*_sides_of_days(builds))
    differing = [(row["website_id"], row["day"]) for query in queries for row in clickhouse.rows(query)]
    return {*wrong, *differing}


def _audit_day(clickhouse: Reader, columns: Sequence[str], build: _Build) -> AuditReport:
    for _ in range(_TRIES):
        report = _audit_build(clickhouse, columns, build)
        newest = _newest(clickhouse, _is_day(build))
        if report.is_clean or not newest or newest[0].number == build.number:
            break  # else it was replaced, and its rows perhaps deleted, while they were read
        build = newest[0]
    return report


def _audit_build(clickhouse: Reader, columns: Sequence[str], build: _Build) -> AuditReport:
    report = AuditReport()
    own = _own_contents(clickhouse, [build]).get(build.day)
    if own != (build.contents, build.offsets):
        what = f"{build.name} says {(build.contents, build.offsets)}, its rows say {own}"
        report.found(DefectKind.WRONG, _BUILDS, what)
    website_id, day = build.day
    until = " OR ".join(f"({_PLACE} = '{place}' AND _offset <= {offset})" for place, offset in build.offsets)
    events = f"website_id = '{website_id}' AND toDate(occurred_at) = '{day}' AND ({until or '0'})"
    [raw] = clickhouse.rows(
        f"SELECT count() AS events, sum({_FINGERPRINT}) AS fingerprint FROM events"
        f" WHERE ({events}) AND type != 'conversion'"
    )
    if (raw["events"], raw["fingerprint"]) == build.contents[:2]:  # else no report reads it
        for row in clickhouse.rows(_rows_query(columns, events, [build])):
            report.found(_kind(row["copies"]), _ROWS, _row_difference(build, row))
    for row in clickhouse.rows(_breakdown_query(*_sides_of_days([build]))):
        report.found(_kind(row["d_copies"]), _BREAKDOWN, _cell_difference(build, row))
    return report


def _audit_week(clickhouse: Reader, week: _Build) -> AuditReport:
    """A week is the sum of the newest builds of its days, unless one of them is newer than the week."""
    report = AuditReport()
    website_id, first = week.day
    last = date.fromisoformat(first) + timedelta(days=week.place[1] - 1)
    days = _newest(clickhouse, f"website_id = '{website_id}' AND days = 1 AND day BETWEEN '{first}' AND '{last}'")
    whole = (
        sum(build.events for build in days),
        sum(build.fingerprint for build in days) % 2**64,
        min((build.first_at for build in days), default=""),
        max((build.last_at for build in days), default=""),
    )
    if whole != week.contents:
        if whole[:2] == week.contents[:2] or all(build.number <= week.number for build in days):
            report.found(DefectKind.WRONG, _BUILDS, f"{week.name} says {week.contents} instead of {whole}")
        return report
    kept = _cells(f"days = {week.place[1]} AND ({_in_builds([week])})", "b.day")
    expected = _cells(f"days = 1 AND ({_in_builds(days)})", "toMonday(b.day)", copies="1")
    for row in clickhouse.rows(_breakdown_query(kept, expected)):
        report.found(_kind(row["d_copies"]), _BREAKDOWN, _cell_difference(week, row))
    report.add(_compared(clickhouse, [week]))
    return report


def _audit_parts(days: Mapping[Day, _Build], parts: Sequence[_Build]) -> AuditReport:
    """The parts of a day before and from midnight come to the day, unless it was built again since."""
    report = AuditReport()
    by_day: dict[Day, list[_Build]] = defaultdict(list)
    for part in parts:
        if part.day in days and days[part.day].number == part.number:
            by_day[part.day].append(part)
    for day, builds in by_day.items():
        whole = (
            sum(part.events for part in builds),
            sum(part.fingerprint for part in builds) % 2**64,
            min(part.first_at for part in builds),
            max(part.last_at for part in builds),
        )
        if whole != days[day].contents:
            report.found(DefectKind.WRONG, _BUILDS, f"the parts of the {days[day].name} come to {whole}")
        report.checked["builds of parts of days"] += len(builds)
    return report


def _unregistered(clickhouse: Reader, latest: datetime) -> AuditReport:
    """Rows of a build that was never registered, with no build of the place since: its registration is lost."""
    report = AuditReport()
    rows = clickhouse.rows(
        f"SELECT website_id, days, day, max(newest) AS written, max(registered) AS known FROM ("
        f"SELECT website_id, days, day, build AS newest, 0 AS registered FROM {_BREAKDOWN} WHERE dimension = 'total'"
        f" UNION ALL SELECT website_id, days, day, 0, build FROM {_BUILDS})"
        " GROUP BY website_id, days, day"
        f" HAVING written > known AND written < {int(latest.timestamp() * 1_000_000)} LIMIT {_SHOWN}"
    )
    for row in rows:
        what = f"build of {row['days']} days from {row['day']} of website {row['website_id']} is not registered"
        report.found(DefectKind.MISSING, _BUILDS, what)
    return report


def _compared(clickhouse: Reader, builds: Sequence[_Build]) -> AuditReport:
    report = AuditReport()
    [cells] = clickhouse.rows(
        f"SELECT count() AS cells FROM {_BREAKDOWN} WHERE days = {builds[0].place[1]} AND ({_in_builds(builds)})"
    )
    report.checked[f"builds of {'weeks' if builds[0].place[1] > 1 else 'days'}"] += len(builds)
    report.checked["cells of breakdown"] += cells["cells"]
    report.checked["rows of visit_events"] += sum(build.events for build in builds if build.place[1] == 1)
    return report


def _newest(clickhouse: Reader, condition: str) -> list[_Build]:
    """The newest build of each place. What is registered twice is given once, with `copies`."""
    rows = clickhouse.rows(
        "SELECT website_id, days, day, max(b.build) AS number, argMax(b.events, b.build) AS events,"
        " argMax(b.fingerprint, b.build) AS fingerprint, toString(argMax(b.first_at, b.build)) AS first_at,"
        " toString(argMax(b.last_at, b.build)) AS last_at,"
        " arraySort(argMax(arrayZip(mapKeys(b.offsets), mapValues(b.offsets)), b.build)) AS offsets,"
        " countEqual(groupArray(b.build), max(b.build)) AS copies"
        f" FROM {_BUILDS} AS b WHERE {condition} GROUP BY website_id, days, day ORDER BY days, day"
    )
    return [
        _Build(
            (row["website_id"], row["days"], row["day"]),
            row["number"],
            row["events"],
            row["fingerprint"],
            row["first_at"],
            row["last_at"],
            tuple((place, offset) for place, offset in row["offsets"]),
            row["copies"],
        )
        for row in rows
    ]


def _own_contents(clickhouse: Reader, builds: Sequence[_Build]) -> Mapping[Day, tuple[Contents, Offsets]]:
    """Returns the contents and offsets of each day's build, computed from its rows."""
    rows = clickhouse.rows(
        "SELECT website_id, day, sum(part_events) AS events, sum(part_fingerprint) AS fingerprint,"
        " toString(min(part_first)) AS first_at, toString(max(part_last)) AS last_at,"
        " arraySort(groupArray((place, until))) AS offsets FROM ("
        f"SELECT website_id, day, {_PLACE} AS place, count() AS part_events, sum({_FINGERPRINT}) AS part_fingerprint,"
        " min(occurred_at) AS part_first, max(occurred_at) AS part_last, max(_offset) AS until"
        f" FROM {_ROWS} WHERE {_in_builds(builds)} GROUP BY website_id, day, place) GROUP BY website_id, day"
    )
    return {
        (row["website_id"], row["day"]): (
            (row["events"], row["fingerprint"], row["first_at"], row["last_at"]),
            tuple((place, offset) for place, offset in row["offsets"]),
        )
        for row in rows
    }


def _event_columns(clickhouse: Reader) -> tuple[str, ...]:
    """The columns of `visit_events` that are the event's own."""
    rows = clickhouse.rows(
        f"SELECT name FROM system.columns WHERE database = currentDatabase() AND table = '{_ROWS}' ORDER BY position"
    )
    others = {"website_id", "day", "build", *visits_of_events.COLUMNS}
    return tuple(row["name"] for row in rows if row["name"] not in others)


def _rows_query(columns: Sequence[str], events: str, builds: Sequence[_Build]) -> str:
    """One row for each event whose row of the build is not what the raw rows give."""
    content = f"toInt64(cityHash64({', '.join(columns)}))"
    visit = f"toInt64(cityHash64({', '.join(visits_of_events.COLUMNS)}))"
    place = "website_id, day, _topic, _partition, _offset"
    return (
        f"SELECT {place}, sum(row_copies) AS copies, sum(row_content) AS content, sum(row_visit) AS visit FROM ("
        f"SELECT {place}, toInt64(1) AS row_copies, {content} AS row_content, {visit} AS row_visit"
        f" FROM {_ROWS} WHERE {_in_builds(builds)} UNION ALL "
        f"SELECT {place}, toInt64(-1), -own_content, -{visit} FROM ({visits_of_events.query(events, content)})"
        f") GROUP BY {place} HAVING copies != 0 OR content != 0 OR visit != 0 LIMIT {_SHOWN}{_SETTINGS}"
    )


def _sides_of_days(builds: Sequence[_Build]) -> tuple[str, str]:
    """The kept cells of these days, and those that their rows come to."""
    listed = ", ".join(f"('{name}', toString({value}))" for name, value in DIMENSIONS.items())
    counters = ", ".join(f"toInt64({sql}) AS {name}" for name, sql in _COUNTERS.items())
    expected = (
        f"SELECT website_id, day AS first, is_bot, pair.1 AS dimension, pair.2 AS shown, {counters},"
        " uniqCombinedStateIf(12)(visitor, visitor != 0) AS visitors, toInt64(0) AS alone, toInt64(1) AS copies"
        f" FROM {_ROWS} ARRAY JOIN [{listed}] AS pair"
        f" WHERE {_in_builds(builds)} GROUP BY website_id, first, is_bot, dimension, shown"
    )
    return _cells(f"days = 1 AND ({_in_builds(builds)})", "b.day"), expected


def _cells(condition: str, first: str, copies: str = "count()") -> str:
    """Cells of `breakdown`, added up by `first`, a first day. `alone`: how far `own_visitors` is off the states."""
    counters = ", ".join(f"sum(b.{name}) AS {name}" for name in _COUNTERS)
    return (
        f"SELECT website_id, {first} AS first, is_bot, toString(b.dimension) AS dimension, b.value AS shown,"
        f" {counters}, uniqCombinedMergeState(12)(b.visitors) AS visitors,"
        " sum(b.own_visitors - toInt64(finalizeAggregation(b.visitors))) AS alone,"
        f" toInt64({copies}) AS copies"
        f" FROM {_BREAKDOWN} AS b WHERE {condition} GROUP BY website_id, first, is_bot, dimension, shown"
    )


def _breakdown_query(kept: str, expected: str) -> str:
    """One row for each cell that differs. Two states are equal if both count the same, and if one added to the other
    counts the same as the other added to itself. (A state of 256 visitors is exact; added to an equal one, it becomes
    an estimate, which may differ.)"""
    states = [f"uniqCombinedMergeStateIf(12)(c.visitors, {side})" for side in ("is_kept", "NOT is_kept")]
    key = "website_id, first, is_bot, dimension, shown"
    columns = f"{key}, {', '.join(_COUNTERS)}, visitors, alone, copies"
    sums = ", ".join(f"sum(if(is_kept, c.{name}, -c.{name})) AS d_{name}" for name in _COUNTERS)
    differs = " OR ".join(f"d_{name} != 0" for name in _COUNTERS)
    return (
        f"SELECT website_id, toString(first) AS day, dimension, shown, {sums},"
        " sum(if(is_kept, c.copies, -c.copies)) AS d_copies, sumIf(c.alone, is_kept) AS d_alone,"
        " uniqCombinedMergeIf(12)(c.visitors, is_kept) AS kept_visitors,"
        " uniqCombinedMergeIf(12)(c.visitors, NOT is_kept) AS expected_visitors,"
        f" arrayReduce('uniqCombinedMerge(12)', [{', '.join(states)}]) AS both_visitors,"
        f" arrayReduce('uniqCombinedMerge(12)', [{states[1]}, {states[1]}]) AS twice_expected"
        f" FROM (SELECT 1 AS is_kept, {columns} FROM ({kept}) UNION ALL SELECT 0, {columns} FROM ({expected})) AS c"
        f" GROUP BY {key} HAVING d_copies != 0 OR d_alone != 0 OR {differs} OR kept_visitors != expected_visitors"
        f" OR both_visitors != twice_expected LIMIT {_SHOWN}{_SETTINGS}"
    )


def _row_difference(build: _Build, row: Mapping[str, Any]) -> str:
    name = f"row of {row['_topic']}[{row['_partition']}]@{row['_offset']} in the {build.name}"
    if row["copies"]:
        return f"{name} is there {row['copies']:+d} times"
    parts = [what for what, differs in (("event", row["content"]), ("visit", row["visit"])) if differs]
    return f"{name} has another {' and '.join(parts)}"


def _cell_difference(build: _Build, row: Mapping[str, Any]) -> str:
    counters = {name: row[f"d_{name}"] for name in _COUNTERS if row[f"d_{name}"]}
    text = ", ".join(f"{name} {difference:+d}" for name, difference in counters.items())
    visitors = f"visitors {row['kept_visitors']} instead of {row['expected_visitors']}"
    if not text and row["d_copies"]:
        text = f"there {row['d_copies']:+d} times"
    return f"{row['dimension']} {row['shown']!r} in the {build.name}: {text or visitors}"


def _kind(copies: int) -> DefectKind:
    if copies < 0:
        return DefectKind.MISSING
    return DefectKind.DUPLICATE if copies > 0 else DefectKind.WRONG


def _in_builds(builds: Iterable[_Build]) -> str:
    listed = ", ".join(f"('{each.place[0]}', toDate('{each.place[2]}'), {each.number})" for each in builds)
    return f"(website_id, day, build) IN ({listed})" if listed else "0"


def _is_day(build: _Build) -> str:
    website_id, days, day = build.place
    return f"website_id = '{website_id}' AND days = {days} AND day = '{day}'"


def _by_website(builds: Iterable[_Build]) -> Mapping[str, list[str]]:
    days: dict[str, list[str]] = defaultdict(list)
    for build in builds:
        days[build.place[0]].append(build.place[2])
    return days


def _listed(days: Iterable[str]) -> str:
    return ", ".join(f"'{day}'" for day in sorted(days))


def _batches(builds: Iterable[_Build]) -> Iterator[list[_Build]]:
    batch: list[_Build] = []
    events = 0
    for build in builds:
        if batch and (events + build.events > _MAX_EVENTS or len(batch) == _MAX_DAYS):
            yield batch
            batch, events = [], 0
        batch.append(build)
        events += build.events
    if batch:
        yield batch


_WEBSITES: Final = f"SELECT DISTINCT website_id FROM {_BUILDS} ORDER BY website_id"
