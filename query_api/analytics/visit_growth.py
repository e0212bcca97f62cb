"""Days that grew since they were built: the build for most visitors, and `events` for those with newer ones.

A visit depends on the events of its visitor and day alone, so a build stays right for every visitor without a newer
event. The records of a partition are projected in order: what a build has of a partition are the events up to an
offset. `check_query` compares these with the build; a day for which they differ (a repaired record, a traffic rule) is
read from `events`. Reports read events up to the offsets that the check saw, so that all of a statement's parts mean
the same events.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from infra.domain.visits.builds import GROWN_DAY_EVENTS, Offsets, VisitBuild
from infra.domain.visits.statement import FINGERPRINT
from query_api.kernel.clickhouse_reader import Query, Row, live_table

MAX_DAYS: Final = 3
"""As many grow at a time; an import changes many, and soon they are built."""


@dataclass(frozen=True, slots=True)
class GrownDay:
    """A day with its outdated build. `until`: the newest events to read."""

    build: VisitBuild
    until: Offsets
    newer: int
    """Number of events that the build lacks."""


def candidates(now: Mapping[date, int], outdated: Mapping[date, VisitBuild]) -> list[VisitBuild]:
    """The outdated builds that are worth a check, newest first. `now`: the number of events of each day."""
    large = [build for day, build in sorted(outdated.items(), reverse=True) if now[day] >= GROWN_DAY_EVENTS]
    return large[:MAX_DAYS]


def check_query(website_id: str, builds: Sequence[VisitBuild]) -> Query:
    """The statement whose rows `grown_days` takes."""
    days = ", ".join(f"'{build.day}'" for build in builds)
    is_known = " OR ".join(f"toDate(occurred_at) = '{build.day}' AND {up_to(build.offsets)}" for build in builds)
    return Query(
        "SELECT toDate(occurred_at) AS day, concat(toString(_topic), ':', toString(_partition)) AS place,"
        f" max(_offset) AS until, toInt64(countIf({is_known})) AS events,"
        f" sumIf({FINGERPRINT}, {is_known}) AS fingerprint, toInt64(count()) - events AS newer FROM {_EVENTS}"
        f" WHERE website_id = {{website:UUID}} AND type <> 'conversion' AND toDate(occurred_at) IN ({days})"
        " GROUP BY day, place",
        {"website": website_id},
    )


def grown_days(builds: Sequence[VisitBuild], found: Sequence[Row]) -> Mapping[date, GrownDay]:
    """Returns the days whose events up to the build's offsets equal the build's."""
    by_day: dict[date, list[Row]] = defaultdict(list)
    for row in found:
        by_day[row["day"]].append(row)
    grown = {}
    for build in builds:
        rows = by_day[build.day]
        contents = (sum(row["events"] for row in rows), sum(row["fingerprint"] for row in rows) % 2**64)
        if contents == build.contents:
            until = {row["place"]: row["until"] for row in rows}
            grown[build.day] = GrownDay(build, until, sum(row["newer"] for row in rows))
    return grown


def up_to(offsets: Offsets) -> str:
    """Returns the condition on events with at most these offsets; events of other partitions are not among them."""
    places = []
    for place, offset in sorted(offsets.items()):
        topic, _, partition = place.rpartition(":")
        places.append(f"_topic = '{topic}' AND _partition = {int(partition)} AND _offset <= {int(offset)}")
    return f"({' OR '.join(places) or '0'})"


_EVENTS: Final = live_table("events")
