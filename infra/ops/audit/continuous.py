"""The continuous audit: every minute, how far behind the tables are, and whether the last hours are complete.

A job of `infra.ops.scheduled_jobs`; the results are on command's `/metrics`. It costs a few queries and reads the
log only where something is behind, so it can run permanently beside live traffic. `althing audit` compares contents;
this audit counts.
"""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from time import sleep
from typing import Any, Final

import orjson
import psycopg
from prometheus_client import Gauge

from infra.kernel.clickhouse.reader import Reader
from infra.kernel.config.settings import Settings
from infra.kernel.log import Log, LogUnavailable, StoredRecord, open_log
from infra.kernel.postgres.pool import connect
from infra.ops.audit.expired_events import Expired
from infra.ops.audit.log_reader import ends_of
from infra.ops.audit.tracked_events import dead_letters
from schemas import instants, topics

WINDOW: Final = timedelta(hours=2)
"""Full hours that are counted. More than one, so that each boundary is inside the window of another hour."""

_FRESHNESS: Final = Gauge(
    "pipeline_freshness_seconds", "Age of the oldest record that this reader of the log has not taken", ["reader"]
)
_MISMATCH: Final = Gauge(
    "audit_mismatch_total", "Records of the last full hours without a row, or with more than one; must be 0", ["kind"]
)
_GRACE_S: Final = 1.0
_LIMITS: Final = "SETTINGS max_execution_time = 20, max_threads = 1"
_CLICKS: Final = topics.CLICKS.name
_MAX_LOOKED_AT: Final = 100_000
_PAGE: Final = 10_000


@dataclass(frozen=True)
class Counted:
    """`checked`: records of topic `clicks` in the window. `unread`: partitions left out: they are not read yet, or lack
    rows while events expire, and have too many records to look at each."""

    checked: int
    missing: int
    duplicate: int
    unread: int


def check(settings: Settings) -> str:
    """Sets the metrics; gives a sentence for the log. Raises what the engines raise when they are away."""
    log = _log(settings)
    with connect(settings) as postgres, Reader(settings) as clickhouse:
        postgres.autocommit = True
        behind = freshness(log, postgres)
        counted = count(clickhouse, postgres, datetime.now(UTC), log)
    for reader, seconds in behind.items():
        _FRESHNESS.labels(reader).set(seconds)
    _MISMATCH.labels("missing").set(counted.missing)
    _MISMATCH.labels("duplicate").set(counted.duplicate)
    slowest = max(behind, key=lambda reader: behind[reader], default="")
    return (
        f"{counted.checked} records counted, {counted.missing} missing, {counted.duplicate} duplicate; "
        f"{f'{slowest} is {behind[slowest]:.1f} s behind' if slowest and behind[slowest] else 'everything is read'}"
    )


def freshness(log: Log, postgres: psycopg.Connection[Any]) -> Mapping[str, float]:
    """Seconds behind, by live projection and policy: 0 when all that was in the log a moment ago has been read."""
    ends = ends_of(log, postgres)
    sleep(_GRACE_S)
    ages: dict[tuple[str, int, int], float] = {}
    behind: dict[str, float] = {}
    for reader, topic, partition, offset in _positions(postgres):
        behind.setdefault(reader, 0.0)
        if offset < ends.get((topic, partition), 0):
            place = (topic, partition, offset)
            if place not in ages:
                ages[place] = _age(log, *place)
            behind[reader] = max(behind[reader], ages[place])
    return behind


def count(clickhouse: Reader, postgres: psycopg.Connection[Any], now: datetime, log: Log) -> Counted:
    """Every offset between the window's first and last record is one row, one recorded duplicate or one dead letter, or
    an event that expired soon after it arrived, as imported history does: only then the log is read.

    Offsets have no gaps: all writers of the log are our own, and none writes in Kafka's transactions.
    """
    until = now.replace(minute=0, second=0, microsecond=0)
    expired = Expired.read(postgres)
    read = {p: offset for reader, topic, p, offset in _positions(postgres) if (reader, topic) == ("events", _CLICKS)}
    all_bounds = _bounds(clickhouse, until - WINDOW, until)
    bounds = {partition: place for partition, place in all_bounds.items() if place[1] < read.get(partition, 0)}
    checked = missing = duplicate = 0
    unread = len(all_bounds) - len(bounds)
    kept = _kept(clickhouse, bounds)
    for partition, (first, last) in bounds.items():
        rows, distinct = kept[partition]
        dead = sum(first <= offset <= last for offset in dead_letters(postgres, _CLICKS, partition))
        lost = max(0, last - first + 1 - distinct - dead)
        duplicate += rows - distinct
        if lost and expired.is_newer(until - WINDOW):
            if last - first >= _MAX_LOOKED_AT:
                unread += 1
                continue
            lost = max(0, lost - _expired(log, partition, first, last, expired))
        checked += last - first + 1
        missing += lost
    return Counted(checked, missing, duplicate, unread)


def _expired(log: Log, partition: int, first: int, last: int, expired: Expired) -> int:
    """Counts those of these records that may have no row any more. Raises `LogUnavailable`."""
    total, offset = 0, first
    with closing(log.source(_CLICKS, partition, first)) as source:
        while offset <= last:
            records = source.read(_PAGE, 5.0)
            if not records:
                raise LogUnavailable(f"{_CLICKS}[{partition}] gives nothing at {offset}, before its end")
            total += sum(_has_expired(record, expired) for record in records if record.offset <= last)
            offset = records[-1].offset + 1
    return total


def _has_expired(record: StoredRecord, expired: Expired) -> bool:
    try:
        return expired.has(orjson.loads(record.value))
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return False  # a dead letter


@lru_cache(maxsize=1)
def _log(settings: Settings) -> Log:
    return open_log(settings)


def _positions(postgres: psycopg.Connection[Any]) -> list[tuple[str, str, int, int]]:
    rows = postgres.execute(
        "SELECT q.projection, q.topic, q.partition, q.next_offset FROM engine.position q "
        "LEFT JOIN engine.projection p ON p.name = q.projection "
        "WHERE q.generation = 0 OR p.live_generation = q.generation"
    ).fetchall()
    return rows


def _age(log: Log, topic: str, partition: int, offset: int) -> float:
    with closing(log.source(topic, partition, offset)) as source:
        records = source.read(1, 5.0)
    if not records:
        raise LogUnavailable(f"{topic}[{partition}] gives nothing at {offset}, before its end")
    return max(0.0, datetime.now(UTC).timestamp() - records[0].timestamp_ms / 1000)


def _bounds(clickhouse: Reader, since: datetime, until: datetime) -> Mapping[int, tuple[int, int]]:
    """First and last offset by partition. The first follows the last record before the window, so that one that lacks
    its row at the very beginning is missed too."""
    begin, end = instants.literal(since), instants.literal(until)
    rows = clickhouse.rows(
        f"SELECT _partition, countIf(received_at < {begin}) AS earlier, "
        f"maxIf(_offset, received_at < {begin}) AS before, "
        f"minIf(_offset, received_at >= {begin}) AS first, maxIf(_offset, received_at >= {begin}) AS last, "
        f"countIf(received_at >= {begin}) AS within FROM ("
        f"SELECT _partition, _offset, received_at FROM events WHERE _topic = '{_CLICKS}' AND received_at < {end} "
        f"UNION ALL SELECT _partition, _offset, received_at FROM duplicates WHERE received_at < {end}) "
        f"GROUP BY _partition HAVING within > 0 {_LIMITS}"
    )
    return {
        row["_partition"]: (min(row["first"], row["before"] + 1 if row["earlier"] else 0), row["last"]) for row in rows
    }


def _kept(clickhouse: Reader, bounds: Mapping[int, tuple[int, int]]) -> Mapping[int, tuple[int, int]]:
    """Rows and distinct offsets by partition, wherever they are kept."""
    if not bounds:
        return {}
    places = " OR ".join(
        f"(_partition = {partition} AND _offset BETWEEN {first} AND {last})"
        for partition, (first, last) in bounds.items()
    )
    rows = clickhouse.rows(
        "SELECT _partition, count() AS rows, uniqExact(_offset) AS distinct_offsets FROM ("
        f"SELECT _partition, _offset FROM events WHERE _topic = '{_CLICKS}' AND ({places}) "
        f"UNION ALL SELECT _partition, _offset FROM duplicates WHERE {places}) GROUP BY _partition {_LIMITS}"
    )
    return {row["_partition"]: (row["rows"], row["distinct_offsets"]) for row in rows}
