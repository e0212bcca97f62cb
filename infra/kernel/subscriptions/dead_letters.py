"""Records that a projection could not take: kept whole, with the reason and their place, until somebody decides.

A dead letter is written in the transaction that moves the position past its record, so each is there exactly once. In
read models of decided events the later events of the same aggregate are parked behind it, in order.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid5

from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from infra.log import StoredRecord
from infra.log.signature import UNSIGNED
from projectors.engine.positions import Key
from projectors.engine.projection import Bad

PARKED: Final = "parked"
"""Reason of a record that waits behind an earlier dead letter of its aggregate."""

CRASHES: Final = "crashes_the_process"
"""Reason of a record on which the process itself died, three times."""

CRASH: Final = "the process ended on this record"

_NAMESPACE: Final = UUID("3f2f8a64-0c55-5f0b-9a3b-5a0f4f1be9d2")


@dataclass(frozen=True)
class DeadLetter:
    """A stored dead letter."""

    id: UUID
    key: bytes
    value: bytes
    headers: list[list[str]]
    offset: int
    reason: str

    def record(self, topic: str, partition: int) -> StoredRecord:
        """The record as it came from the log."""
        headers = tuple((name, bytes.fromhex(value)) for name, value in self.headers)
        return StoredRecord(topic, partition, self.offset, 0, self.key, self.value, headers)


def letter_id(key: Key, offset: int) -> UUID:
    return uuid5(_NAMESPACE, f"{key.text}:{offset}")


def write(connection: Connection[Any], key: Key, bad: Iterable[Bad]) -> None:
    """Keeps `bad`; one that is there already counts another attempt."""
    for one in bad:
        record = one.record
        connection.execute(
            'insert into engine.dead_letter (id, projection, generation, topic, partition, "offset", reason, error, '
            "key, value, headers) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) "
            "on conflict (id) do update set attempts = engine.dead_letter.attempts + 1, error = excluded.error",
            (
                letter_id(key, record.offset),
                key.projection,
                key.generation,
                key.topic,
                key.partition,
                record.offset,
                one.reason,
                one.error.replace("\x00", "\\0")[:4000],
                record.key,
                record.value,
                Jsonb([[name, value.hex()] for name, value in record.headers]),
            ),
        )


def crashing(connection: Connection[Any], key: Key) -> frozenset[int]:
    """Offsets on which the process died: not to be touched again, by no generation of the projection."""
    rows = connection.execute(
        'select distinct "offset" from engine.dead_letter '
        "where projection = %s and topic = %s and partition = %s and reason = %s and state <> 'retried'",
        (key.projection, key.topic, key.partition, CRASHES),
    ).fetchall()
    return frozenset(row[0] for row in rows)


def parked_keys(connection: Connection[Any], key: Key) -> set[bytes]:
    """Keys of aggregates whose events wait behind a dead letter."""
    rows = connection.execute(
        "select distinct key from engine.dead_letter where projection = %s and generation = %s and topic = %s "
        "and partition = %s and state = 'open' and reason <> %s",
        (key.projection, key.generation, key.topic, key.partition, UNSIGNED),
    ).fetchall()
    return {bytes(row[0]) for row in rows}


def to_retry(connection: Connection[Any], key: Key) -> list[DeadLetter]:
    """Those that somebody asked to try again, in order. A forged one stays what it is: it can only be skipped."""
    return _open(connection, key, "and retry_requested_at is not null and reason <> %(unsigned)s", unsigned=UNSIGNED)


def waiting_for(connection: Connection[Any], key: Key, aggregate: bytes) -> list[DeadLetter]:
    """Every open dead letter of one aggregate, in order; a forged one is none of its events."""
    condition = "and key = %(aggregate)s and reason <> %(unsigned)s"
    return _open(connection, key, condition, aggregate=aggregate, unsigned=UNSIGNED)


def hold(connection: Connection[Any], letter_id: UUID) -> bool:
    """Whether it is open still; until the transaction's end nobody else decides on it."""
    row = connection.execute(
        "select 1 from engine.dead_letter where id = %s and state = 'open' for no key update", (letter_id,)
    ).fetchone()
    return row is not None


def decide(connection: Connection[Any], ids: Sequence[UUID], state: str) -> int:
    """Ends open dead letters as `retried` or `skipped`; how many of them were still open."""
    return connection.execute(
        "update engine.dead_letter set state = %s, decided_at = now(), retry_requested_at = null "
        "where id = any(%s) and state = 'open'",
        (state, list(ids)),
    ).rowcount


def still_bad(connection: Connection[Any], letter_id: UUID, error: str) -> None:
    """A retry that failed: the dead letter stays open."""
    connection.execute(
        "update engine.dead_letter set attempts = attempts + 1, error = %s, retry_requested_at = null where id = %s",
        (error.replace("\x00", "\\0")[:4000], letter_id),
    )


def _open(connection: Connection[Any], key: Key, condition: str, **values: Any) -> list[DeadLetter]:
    with connection.cursor(row_factory=class_row(DeadLetter)) as cursor:
        return cursor.execute(
            'select id, key, value, headers, "offset", reason from engine.dead_letter '
            "where projection = %(projection)s and generation = %(generation)s and topic = %(topic)s "
            f"and partition = %(partition)s and state = 'open' {condition} order by \"offset\"",
            {**vars(key), **values},
        ).fetchall()
