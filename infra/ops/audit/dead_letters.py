"""Dead letters (`engine.dead_letter`) against the log: each is the record at its place, once for its generation.

The other checks take a dead letter for the home of a record that has no row. One that was forged would hide a loss.
"""

from __future__ import annotations

from contextlib import closing
from time import monotonic
from typing import Any, Final

import psycopg

from infra.kernel.log import Log, LogUnavailable, StoredRecord, partitions
from infra.ops.audit.report import AuditReport, DefectKind

TABLE: Final = "engine.dead_letter"
_PATIENCE_S: Final = 30.0


def audit_dead_letters(log: Log, postgres: psycopg.Connection[Any]) -> AuditReport:
    """Compares all, but for those of process managers: they are timeouts, and no records. Raises `LogUnavailable`."""
    report = AuditReport()
    places = set(partitions.places(postgres))
    newest: tuple[Any, ...] = ()
    for projection, generation, topic, partition, offset, state, key, value in postgres.execute(_LETTERS).fetchall():
        if (topic, partition) not in places:
            continue
        report.checked[f"rows of {TABLE}"] += 1
        place, newest_before = (projection, generation, topic, partition, offset), newest
        newest, name = place, f"the dead letter of {projection} for {topic}[{partition}]@{offset}"
        if place == newest_before:
            report.found(DefectKind.DUPLICATE, TABLE, f"{name} is there twice")
            continue
        record = _record(log, topic, partition, offset)
        if record is None:
            report.found(DefectKind.WRONG, TABLE, f"{name} has no record")
        elif not is_record(record, state, bytes(key), bytes(value)):
            report.found(DefectKind.WRONG, TABLE, f"{name} is not the record")
    return report


def is_record(record: StoredRecord, state: str, key: bytes, value: bytes) -> bool:
    """Returns whether a dead letter in this state is the record. Its value is deleted when it is retried or skipped."""
    return key == record.key and (value == record.value or (value == b"" and state in ("retried", "skipped")))


def _record(log: Log, topic: str, partition: int, offset: int) -> StoredRecord | None:
    """The record at this place; `None`: there is none."""
    if offset >= log.end_offset(topic, partition):
        return None
    deadline = monotonic() + _PATIENCE_S
    with closing(log.source(topic, partition, offset)) as source:
        while monotonic() < deadline:
            records = source.read(1, 1.0)
            if records:
                return records[0] if records[0].offset == offset else None
    raise LogUnavailable(f"{topic}[{partition}] gives nothing at {offset}")


_LETTERS: Final = (
    'SELECT projection, generation, topic, partition, "offset", state, key, value FROM engine.dead_letter'
    ' ORDER BY projection, generation, topic, partition, "offset", id'
)
