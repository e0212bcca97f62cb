"""Topic `clicks` against ClickHouse: every record is exactly one row, one recorded duplicate, or one dead letter."""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import orjson
import psycopg

from infra.kernel.clickhouse.reader import Reader
from infra.kernel.log import Log, StoredRecord, partitions
from infra.kernel.log.partitions import Lineage, is_before, place_of
from infra.kernel.log.sealed_texts import Opened, Texts, without_texts
from infra.ops.audit.expired_events import NONE, Expired
from infra.ops.audit.forgotten_visitors import ForgottenVisitors
from infra.ops.audit.log_reader import Ends, read
from infra.ops.audit.report import AuditReport, DefectKind
from infra.ops.audit.signatures import Signatures
from infra.ops.audit.traffic_rules import Rules, generation_of
from infra.ops.audit.wide_rows import WideRows
from schemas.canary import WEBSITE_ID
from schemas.topics import CLICKS
from schemas.tracking import HASH_HEADER, SEALED_OF_EVENTS, TEXT_KEY, from_log_time

DUPLICATE_WINDOW_S: Final = 35 * 24 * 3600
_CHECK: Final = "events"
TRIES: Final = 3
_MOVED_AT_ONCE: Final = 1_000


def audit_tracked_events(
    log: Log,
    clickhouse: Reader,
    postgres: psycopg.Connection[Any],
    ends: Ends,
    expired: Expired = NONE,
    texts: Texts = without_texts,
) -> AuditReport:
    """Compares every record before `ends`; again, if another generation of the rows became live meanwhile."""
    return of_live_generation(
        clickhouse, lambda generation: _audit_generation(log, clickhouse, postgres, ends, generation, expired, texts)
    )


def of_live_generation(clickhouse: Reader, audit: Callable[[int], AuditReport]) -> AuditReport:
    """The report on the live generation of the rows; on the next one if that became live meanwhile."""
    for _ in range(TRIES):
        generation = generation_of(clickhouse)
        report = audit(generation)
        if generation_of(clickhouse) == generation:
            break
    return report


def _audit_generation(
    log: Log,
    clickhouse: Reader,
    postgres: psycopg.Connection[Any],
    ends: Ends,
    generation: int,
    expired: Expired,
    texts: Texts,
) -> AuditReport:
    report = AuditReport()
    signatures, rules = Signatures(postgres, report), Rules(postgres, generation, report)
    forgotten = ForgottenVisitors.of(postgres, generation, report)
    splits = partitions.splits(postgres, CLICKS.name)
    clicks = sorted(partition for topic, partition in ends if topic == CLICKS.name)
    stored = [_stored(clickhouse, postgres, partition, ends[CLICKS.name, partition], report) for partition in clicks]
    firsts = Firsts(stored)
    for each in stored:
        moved = MovedRecords(Lineage(each.partition, splits), clickhouse, report, expired)
        _audit_partition(log, clickhouse, each, firsts, moved, signatures, rules, forgotten, expired, texts, report)
    _audit_repeated_ids(clickhouse, ends, report)
    return report


@dataclass(frozen=True)
class Stored:
    """The rows of one partition before `end`, by offset: dead letters, those that were taken again since (`late`), and
    recorded duplicates."""

    partition: int
    end: int
    dead: set[int]
    late: set[int]
    duplicates: Mapping[int, dict[str, Any]]


def _stored(
    clickhouse: Reader, postgres: psycopg.Connection[Any], partition: int, end: int, report: AuditReport
) -> Stored:
    dead, late = (dead_letters(postgres, CLICKS.name, partition, retried=is_late) for is_late in (False, True))
    return Stored(partition, end, dead, late, _duplicates(clickhouse, partition, end, report))


class Firsts:
    """The records that recorded duplicates name as their first ones, kept as they are read. A partition comes after
    those that it was split from, so most can be forgotten at the end of their own (`end`)."""

    def __init__(self, stored: Sequence[Stored]) -> None:
        wanted = [
            (place_of(duplicate["first_offset"], each.partition), each.partition)
            for each in stored
            for duplicate in each.duplicates.values()
        ]
        self._wanted = {place for place, _ in wanted}
        self._wanted_later = {place for place, partition in wanted if place[0] != partition}
        self._found: dict[tuple[int, int], StoredRecord] = {}

    def note(self, record: StoredRecord) -> None:
        if (record.partition, record.offset) in self._wanted:
            self._found[record.partition, record.offset] = record

    def get(self, place: tuple[int, int]) -> StoredRecord | None:
        return self._found.get(place)

    def end(self) -> None:
        """Forgets what only the partition that was read wants."""
        self._found = {place: record for place, record in self._found.items() if place in self._wanted_later}


class MovedRecords:
    """Records that a writer put into this partition after their ids had got another one
    (`infra.kernel.log.partitions`): here each is recorded as its own first, and there it is a row or a duplicate."""

    def __init__(self, lineage: Lineage, clickhouse: Reader, report: AuditReport, expired: Expired = NONE) -> None:
        self._lineage, self._clickhouse, self._report, self._expired = lineage, clickhouse, report, expired
        self._waiting: list[tuple[StoredRecord, tuple[str, str]]] = []

    def takes(self, record: StoredRecord) -> bool:
        """Returns whether the record was moved; then it is checked, at the latest by `finish`."""
        if self._lineage.elsewhere(record.key, record.offset) is None or not any(
            name == HASH_HEADER for name, _ in record.headers
        ):
            return False
        row = orjson.loads(record.value)
        if row["website_id"] == str(WEBSITE_ID):
            return False  # the canary's stay where they are
        if self._expired.has(row):
            return True  # and the row of its id may be gone
        self._waiting.append((record, (row["website_id"], row["event_id"])))
        if len(self._waiting) >= _MOVED_AT_ONCE:
            self.finish()
        return True

    def finish(self) -> None:
        if not self._waiting:
            return
        ids = ", ".join(f"'{event_id}'" for _, (_, event_id) in self._waiting)
        there = {
            (row["website_id"], row["event_id"])
            for table in ("events", "duplicates")
            for row in self._clickhouse.rows(
                f"SELECT DISTINCT website_id, event_id FROM {table} WHERE _topic = '{CLICKS.name}'"
                f" AND _partition <> {self._lineage.partition} AND event_id IN ({ids})"
            )
        }
        for record, wanted in self._waiting:
            self._report.checked["records moved to another partition"] += 1
            if wanted not in there:
                what = f"record {_shown(record.partition, record.offset)} was not moved to the partition of its id"
                self._report.found(DefectKind.MISSING, _CHECK, what)
        self._waiting = []


def _audit_partition(
    log: Log,
    clickhouse: Reader,
    stored: Stored,
    firsts: Firsts,
    moved: MovedRecords,
    signatures: Signatures,
    rules: Rules,
    forgotten: ForgottenVisitors,
    expired: Expired,
    texts: Texts,
    report: AuditReport,
) -> None:
    partition, end, duplicates, dead = stored.partition, stored.end, stored.duplicates, stored.dead
    waiting: list[StoredRecord] = []
    rows = WideRows(
        clickhouse,
        CLICKS.name,
        partition,
        end,
        lambda offset, count: report.found(
            DefectKind.WRONG, _CHECK, f"row {_shown(partition, offset)} has no record in the log", count
        ),
    )
    for record in signatures.watched(read(log, CLICKS.name, partition, end)):
        offset = record.offset
        hashes = rows.take(offset)
        report.checked["records of topic clicks"] += 1
        firsts.note(record)
        homes = bool(hashes) + (offset in duplicates) + (offset in dead)
        if homes == 0 and not expired.has(orjson.loads(record.value)):
            report.found(DefectKind.MISSING, _CHECK, f"record {_shown(partition, offset)} has no row")
        elif homes > 1 or len(hashes) > 1:
            count = len(hashes) + (offset in duplicates) + (offset in dead)
            report.found(
                DefectKind.DUPLICATE, _CHECK, f"record {_shown(partition, offset)} is kept {count} times", count - 1
            )
        if hashes:
            [opened] = texts([record])
            fields = forgotten.applied({**rules.applied(orjson.loads(opened.value)), TEXT_KEY: opened.number})
            if any(row_hash != rows.hash_of(fields) for row_hash in hashes):
                what = _difference(rows, offset, fields, opened)
                if what:
                    report.found(DefectKind.WRONG, _CHECK, f"row {_shown(partition, offset)} has {what}")
        if offset in duplicates and not moved.takes(record):
            if offset in stored.late:
                waiting.append(record)
            else:
                _audit_duplicate(partition, record, duplicates[offset], firsts, report)
    for record in waiting:
        _audit_duplicate(partition, record, duplicates[record.offset], firsts, report, is_late=True)
    rows.finish()
    moved.finish()
    firsts.end()


def _difference(rows: WideRows, offset: int, fields: Mapping[str, Any], opened: Opened) -> str:
    """Returns the columns that differ. Until the row is built without an erased person, it has texts that the log has
    not."""
    if opened.is_whole:
        return rows.difference(offset, fields)
    return "; ".join(rows.differences(offset, fields, without=SEALED_OF_EVENTS))


def _duplicates(clickhouse: Reader, partition: int, end: int, report: AuditReport) -> dict[int, dict[str, Any]]:
    duplicates: dict[int, dict[str, Any]] = {}
    query = (
        "SELECT _offset, first_offset, is_conflict, website_id, event_id, received_at FROM duplicates"
        f" WHERE _topic = '{CLICKS.name}' AND _partition = {partition} AND _offset < {end}"
    )
    for row in clickhouse.rows(query):
        if row["_offset"] in duplicates:
            report.found(DefectKind.DUPLICATE, "duplicates", f"{_shown(partition, row['_offset'])} is recorded twice")
        duplicates[row["_offset"]] = row
    return duplicates


def _audit_duplicate(
    partition: int,
    record: StoredRecord,
    recorded: dict[str, Any],
    firsts: Firsts,
    report: AuditReport,
    *,
    is_late: bool = False,
) -> None:
    """A record may only be left out if an earlier one really has its id; for one that was taken late, as a dead letter,
    any other one."""
    report.checked["recorded duplicates"] += 1
    place = place_of(recorded["first_offset"], partition)
    name, first = _shown(partition, record.offset), firsts.get(place)
    if first is record and orjson.loads(record.value)["website_id"] == str(WEBSITE_ID):
        return  # the canary's: left out of `events` on purpose, its own first
    at, is_conflict = _shown(*place), bool(recorded["is_conflict"])
    if first is None or first is record or not (is_late or is_before(recorded["first_offset"], record.offset)):
        report.found(DefectKind.WRONG, "duplicates", f"{name} names a first one at {at}, not before it")
        return
    mine, other = orjson.loads(record.value), orjson.loads(first.value)
    if (mine["website_id"], mine["event_id"]) != (other["website_id"], other["event_id"]):
        report.found(DefectKind.MISSING, "duplicates", f"{name} is left out, but {at} has another id")
        return
    hashes = dict(record.headers).get(HASH_HEADER), dict(first.headers).get(HASH_HEADER)
    if None in hashes:
        report.found(DefectKind.MISSING, "duplicates", f"{name} is left out, but its id was not chosen by a client")
    elif is_conflict != (hashes[0] != hashes[1]):
        report.found(DefectKind.WRONG, "duplicates", f"{name} says conflict={is_conflict}, the log says otherwise")
    elif (recorded["website_id"], recorded["event_id"]) != (mine["website_id"], mine["event_id"]):
        report.found(DefectKind.WRONG, "duplicates", f"{name} is recorded under another id")
    elif recorded["received_at"] != mine["received_at"]:
        report.found(DefectKind.WRONG, "duplicates", f"{name} is recorded as received at {recorded['received_at']}")


def _audit_repeated_ids(clickhouse: Reader, ends: Ends, report: AuditReport) -> None:
    """Reports ids that have two rows within the window in which they count once."""
    parts = 1 + sum(end for (topic, _), end in ends.items() if topic == CLICKS.name) // 500_000
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
                    report.found(DefectKind.DUPLICATE, "event ids", what)


def dead_letters(
    postgres: psycopg.Connection[Any], topic: str, partition: int, *, projection: str = "events", retried: bool = False
) -> set[int]:
    """Offsets of one partition that the live generation of a projection has dead-lettered; or those that it has taken
    again since."""
    rows = postgres.execute(
        'SELECT DISTINCT d."offset" FROM engine.dead_letter d JOIN engine.projection p '
        "ON p.name = d.projection AND p.live_generation = d.generation "
        "WHERE d.projection = %s AND d.topic = %s AND d.partition = %s AND (d.state = 'retried') = %s",
        (projection, topic, partition, retried),
    )
    return {offset for (offset,) in rows}


def _shown(partition: int, offset: int) -> str:
    return f"{CLICKS.name}[{partition}]@{offset}"
