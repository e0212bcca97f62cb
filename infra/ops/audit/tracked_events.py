"""Topic `clicks` against ClickHouse: every record is exactly one row, one recorded duplicate, or one dead letter."""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import orjson
import psycopg

from infra.kernel.clickhouse.reader import Reader
from infra.kernel.log import Log, StoredRecord
from infra.ops.audit.log_reader import Ends, read
from infra.ops.audit.report import Kind, Report
from infra.ops.audit.signatures import Signatures
from infra.ops.audit.traffic_rules import Rules, generation_of
from infra.ops.audit.wide_rows import WideRows
from schemas.canary import WEBSITE_ID
from schemas.topics import CLICKS
from schemas.tracking import HASH_HEADER, from_log_time

DUPLICATE_WINDOW_S: Final = 35 * 24 * 3600
_CHECK: Final = "events"
_TRIES: Final = 3


def audit_tracked_events(log: Log, clickhouse: Reader, postgres: psycopg.Connection[Any], ends: Ends) -> Report:
    """Compares every record before `ends`; again, if another generation of the rows became live meanwhile."""
    for _ in range(_TRIES):
        generation = generation_of(clickhouse)
        report = _audit_generation(log, clickhouse, postgres, ends, generation)
        if generation_of(clickhouse) == generation:
            break
    return report


def _audit_generation(
    log: Log, clickhouse: Reader, postgres: psycopg.Connection[Any], ends: Ends, generation: int
) -> Report:
    report = Report()
    signatures, rules = Signatures(postgres, report), Rules(postgres, generation, report)
    for partition in range(CLICKS.partitions):
        end = ends[CLICKS.name, partition]
        dead = dead_letters(postgres, CLICKS.name, partition)
        _audit_partition(log, clickhouse, partition, end, dead, signatures, rules, report)
    _audit_repeated_ids(clickhouse, ends, report)
    return report


def _audit_partition(
    log: Log,
    clickhouse: Reader,
    partition: int,
    end: int,
    dead: set[int],
    signatures: Signatures,
    rules: Rules,
    report: Report,
) -> None:
    place = f"_topic = '{CLICKS.name}' AND _partition = {partition} AND _offset < {end}"
    duplicates = _duplicates(clickhouse, place, partition, report)
    wanted = {duplicate["first_offset"] for duplicate in duplicates.values()}
    firsts: dict[int, StoredRecord] = {}
    rows = WideRows(
        clickhouse,
        CLICKS.name,
        partition,
        end,
        lambda offset, count: report.found(
            Kind.WRONG, _CHECK, f"row {_shown(partition, offset)} has no record in the log", count
        ),
    )
    for record in signatures.watched(read(log, CLICKS.name, partition, end)):
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
        if hashes:
            fields = rules.applied(orjson.loads(record.value))
            if any(found != rows.hash_of(fields) for found in hashes):
                what = f"row {_shown(partition, offset)} has {rows.difference(offset, fields)}"
                report.found(Kind.WRONG, _CHECK, what)
        if offset in duplicates:
            _audit_duplicate(partition, record, duplicates[offset], firsts, report)
    rows.finish()


def _duplicates(clickhouse: Reader, place: str, partition: int, report: Report) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    query = (
        f"SELECT _offset, first_offset, is_conflict, website_id, event_id, received_at FROM duplicates WHERE {place}"
    )
    for row in clickhouse.rows(query):
        if row["_offset"] in found:
            report.found(Kind.DUPLICATE, "duplicates", f"{_shown(partition, row['_offset'])} is recorded twice")
        found[row["_offset"]] = row
    return found


def _audit_duplicate(
    partition: int, record: StoredRecord, claimed: dict[str, Any], firsts: dict[int, StoredRecord], report: Report
) -> None:
    """A record may only be left out if an earlier one really has its id."""
    report.checked["recorded duplicates"] += 1
    name, first = _shown(partition, record.offset), firsts.get(claimed["first_offset"])
    if first is record and orjson.loads(record.value)["website_id"] == str(WEBSITE_ID):
        return  # the canary's: left out of `events` on purpose, its own first
    at, is_conflict = claimed["first_offset"], bool(claimed["is_conflict"])
    if first is None or first.offset >= record.offset:
        report.found(Kind.WRONG, "duplicates", f"{name} claims a first one at {at}, not before it")
        return
    mine, other = orjson.loads(record.value), orjson.loads(first.value)
    if (mine["website_id"], mine["event_id"]) != (other["website_id"], other["event_id"]):
        report.found(Kind.MISSING, "duplicates", f"{name} is left out, but {at} has another id")
        return
    hashes = dict(record.headers).get(HASH_HEADER), dict(first.headers).get(HASH_HEADER)
    if None in hashes:
        report.found(Kind.MISSING, "duplicates", f"{name} is left out, but its id was not chosen by a client")
    elif is_conflict != (hashes[0] != hashes[1]):
        report.found(Kind.WRONG, "duplicates", f"{name} says conflict={is_conflict}, the log says otherwise")
    elif (claimed["website_id"], claimed["event_id"]) != (mine["website_id"], mine["event_id"]):
        report.found(Kind.WRONG, "duplicates", f"{name} is recorded under another id")
    elif claimed["received_at"] != mine["received_at"]:
        report.found(Kind.WRONG, "duplicates", f"{name} is recorded as received at {claimed['received_at']}")


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


def dead_letters(
    postgres: psycopg.Connection[Any], topic: str, partition: int, *, projection: str = "events"
) -> set[int]:
    """Offsets of one partition that the live generation of a projection has dead-lettered."""
    rows = postgres.execute(
        'SELECT DISTINCT d."offset" FROM engine.dead_letter d JOIN engine.projection p '
        "ON p.name = d.projection AND p.live_generation = d.generation "
        "WHERE d.projection = %s AND d.topic = %s AND d.partition = %s AND d.state <> 'retried'",
        (projection, topic, partition),
    )
    return {offset for (offset,) in rows}


def _shown(partition: int, offset: int) -> str:
    return f"{CLICKS.name}[{partition}]@{offset}"
