"""Topic `clicks` against ClickHouse: every record is exactly one row, one recorded duplicate, or one dead letter.

Rows are compared whole, by an MD5 of their text that ClickHouse works out on its side and this module on the other.
"""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from struct import Struct
from typing import Any, Final

import orjson
import psycopg

from infra.auditing.clickhouse import Reader
from infra.auditing.records import Ends, read
from infra.auditing.report import Kind, Report
from infra.log import Log, StoredRecord
from schemas.topics import CLICKS
from schemas.tracking import HASH_HEADER, TrackedEvent, from_log_time

DUPLICATE_WINDOW_S: Final = 35 * 24 * 3600
_CHECK: Final = "events"
_HASH: Final = Struct("<Q16s")
_DEFAULTS: Final[dict[str, Any]] = {
    name: str(field.default) if not isinstance(field.default, int | str) else field.default
    for name, field in TrackedEvent.model_fields.items()
    if not field.is_required()
}
_FIELDS: Final = tuple(TrackedEvent.model_fields)
_TEXT: Final = (
    "concat("
    + ", '\\x1f', ".join("toString(toUInt8(is_bot))" if name == "is_bot" else f"toString({name})" for name in _FIELDS)
    + ")"
)


@dataclass(frozen=True, slots=True)
class _Duplicate:
    first_offset: int
    is_conflict: bool
    website_id: str
    event_id: str


def audit_tracked(log: Log, clickhouse: Reader, postgres: psycopg.Connection[Any], ends: Ends) -> Report:
    """Compares every record before `ends`."""
    report = Report()
    for partition in range(CLICKS.partitions):
        end = ends[CLICKS.name, partition]
        _audit_partition(log, clickhouse, partition, end, dead_letters(postgres, partition), report)
    _audit_repeated_ids(clickhouse, ends, report)
    return report


def _audit_partition(log: Log, clickhouse: Reader, partition: int, end: int, dead: set[int], report: Report) -> None:
    place = f"_topic = '{CLICKS.name}' AND _partition = {partition} AND _offset < {end}"
    duplicates = _duplicates(clickhouse, place, partition, report)
    wanted = {duplicate.first_offset for duplicate in duplicates.values()}
    firsts: dict[int, StoredRecord] = {}
    rows = _Rows(
        clickhouse.packed(f"SELECT _offset, MD5({_TEXT}) FROM events WHERE {place} ORDER BY _offset", _HASH),
        lambda offset: report.found(Kind.WRONG, _CHECK, f"row {_shown(partition, offset)} has no record in the log"),
    )
    for record in read(log, CLICKS.name, partition, end):
        offset = record.offset
        hashes = rows.take(offset)
        report.checked["records of topic clicks"] += 1
        if offset in wanted:
            firsts[offset] = record
        homes = bool(hashes) + (offset in duplicates) + (offset in dead)
        if homes == 0:
            report.found(Kind.MISSING, _CHECK, f"record {_shown(partition, offset)} has no row")
        elif homes > 1 or len(hashes) > 1:
            count = len(hashes) + (offset in duplicates) + (offset in dead)
            report.found(Kind.DUPLICATE, _CHECK, f"record {_shown(partition, offset)} is kept {count} times", count - 1)
        if hashes and any(found != _hash(record.value) for found in hashes):
            report.found(Kind.WRONG, _CHECK, _difference(clickhouse, partition, record))
        if offset in duplicates:
            _audit_duplicate(partition, record, duplicates[offset], firsts, report)
    rows.finish()


class _Rows:
    """Rows in order of their offsets, taken offset by offset."""

    def __init__(self, rows: Iterator[tuple[Any, ...]], without_record: Callable[[int], None]) -> None:
        self._rows, self._without_record = rows, without_record
        self._next = next(rows, None)

    def take(self, offset: int) -> list[bytes]:
        """The hashes of the rows with this offset; those passed over have no record."""
        found: list[bytes] = []
        while self._next is not None and self._next[0] <= offset:
            if self._next[0] == offset:
                found.append(self._next[1])
            else:
                self._without_record(self._next[0])
            self._next = next(self._rows, None)
        return found

    def finish(self) -> None:
        while self._next is not None:
            self._without_record(self._next[0])
            self._next = next(self._rows, None)


def _hash(value: bytes) -> bytes:
    fields = _DEFAULTS | orjson.loads(value)
    fields["is_bot"] = int(fields["is_bot"])
    return hashlib.md5("\x1f".join([str(fields[name]) for name in _FIELDS]).encode(), usedforsecurity=False).digest()


def _difference(clickhouse: Reader, partition: int, record: StoredRecord) -> str:
    names = ", ".join(f"toString({name}) AS {name}" for name in _FIELDS if name != "is_bot")
    rows = clickhouse.rows(
        f"SELECT {names}, toString(toUInt8(is_bot)) AS is_bot FROM events "
        f"WHERE _topic = '{CLICKS.name}' AND _partition = {partition} AND _offset = {record.offset}"
    )
    expected = _DEFAULTS | orjson.loads(record.value)
    expected["is_bot"] = int(expected["is_bot"])
    found = [
        f"{name}: {row[name]!r} instead of {str(expected[name])!r}"
        for row in rows
        for name in _FIELDS
        if row[name] != str(expected[name])
    ]
    return f"row {_shown(partition, record.offset)} has {'; '.join(found) or 'other content'}"


def _duplicates(clickhouse: Reader, place: str, partition: int, report: Report) -> dict[int, _Duplicate]:
    found: dict[int, _Duplicate] = {}
    query = f"SELECT _offset, first_offset, is_conflict, website_id, event_id FROM duplicates WHERE {place}"
    for row in clickhouse.rows(query):
        if row["_offset"] in found:
            report.found(Kind.DUPLICATE, "duplicates", f"{_shown(partition, row['_offset'])} is recorded twice")
        found[row["_offset"]] = _Duplicate(
            row["first_offset"], bool(row["is_conflict"]), row["website_id"], row["event_id"]
        )
    return found


def _audit_duplicate(
    partition: int, record: StoredRecord, claimed: _Duplicate, firsts: dict[int, StoredRecord], report: Report
) -> None:
    """A record may only be left out if an earlier one really has its id."""
    report.checked["recorded duplicates"] += 1
    name, first = _shown(partition, record.offset), firsts.get(claimed.first_offset)
    if first is None or first.offset >= record.offset:
        report.found(Kind.WRONG, "duplicates", f"{name} claims a first one at {claimed.first_offset}, not before it")
        return
    mine, other = orjson.loads(record.value), orjson.loads(first.value)
    if (mine["website_id"], mine["event_id"]) != (other["website_id"], other["event_id"]):
        report.found(Kind.MISSING, "duplicates", f"{name} is left out, but {claimed.first_offset} has another id")
        return
    hashes = dict(record.headers).get(HASH_HEADER), dict(first.headers).get(HASH_HEADER)
    if None in hashes:
        report.found(Kind.MISSING, "duplicates", f"{name} is left out, but its id was not chosen by a client")
    elif claimed.is_conflict != (hashes[0] != hashes[1]):
        report.found(Kind.WRONG, "duplicates", f"{name} says conflict={claimed.is_conflict}, the log says otherwise")
    elif (claimed.website_id, claimed.event_id) != (mine["website_id"], mine["event_id"]):
        report.found(Kind.WRONG, "duplicates", f"{name} is recorded under another id")


def _audit_repeated_ids(clickhouse: Reader, ends: Ends, report: Report) -> None:
    """No id has two rows within the window in which it counts once."""
    parts = 1 + sum(ends[CLICKS.name, p] for p in range(CLICKS.partitions)) // 500_000
    for part in range(parts):
        for row in clickhouse.rows(
            "SELECT website_id, event_id, arraySort(groupArray(toString(received_at))) AS times "
            f"FROM events WHERE _topic = '{CLICKS.name}' AND cityHash64(event_id) % {parts} = {part} "
            "GROUP BY website_id, event_id HAVING count() > 1"
        ):
            times = [from_log_time(text).timestamp() for text in row["times"]]
            for earlier, later in pairwise(times):
                if later - earlier <= DUPLICATE_WINDOW_S:
                    what = f"id {row['event_id']} of website {row['website_id']} has two rows"
                    report.found(Kind.DUPLICATE, "event ids", what)


def dead_letters(postgres: psycopg.Connection[Any], partition: int) -> set[int]:
    """Offsets of one partition of topic `clicks` that the live projection has set aside."""
    rows = postgres.execute(
        'SELECT DISTINCT d."offset" FROM engine.dead_letter d JOIN engine.projection p '
        "ON p.name = d.projection AND p.live_generation = d.generation "
        "WHERE d.projection = 'events' AND d.topic = %s AND d.partition = %s AND d.state <> 'retried'",
        (CLICKS.name, partition),
    )
    return {offset for (offset,) in rows}


def _shown(partition: int, offset: int) -> str:
    return f"{CLICKS.name}[{partition}]@{offset}"
