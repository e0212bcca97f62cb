"""Dead letters: records that a projection could not process, stored with reason and position until retried or skipped.

A dead letter is written in the transaction that moves the position past its record, so each is there exactly once. In
read models of decided events the later events of the same aggregate are parked behind it, in order.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid5

import psycopg
import structlog
from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from infra.kernel.log import StoredRecord
from infra.kernel.log.signature import UNSIGNED
from infra.kernel.subscriptions.positions import Fenced, WorkerKey
from schemas.message_ids import CORRELATION_ID, correlation_of
from schemas.topics import CLICKS

CHANNEL: Final = "dead_letters"
"""Postgres NOTIFY channel of requested retries."""

PARKED: Final = "parked"
"""Reason of a record that waits behind an earlier dead letter of its aggregate."""

NEWER: Final = "newer_version"
"""Reason of a record that a newer version of the program wrote. The next owner of the partition tries it again."""

NO_FAULTS: Final = frozenset({PARKED, NEWER})
"""Reasons that say nothing against the code or the producer: they do not count as failures."""

SUPERSEDED: Final = "superseded"
"""State of a dead letter whose generation was replaced by one that read the record again."""

UNDECODABLE: Final = "undecodable"
REFUSED: Final = "refused_by_handler"

CRASHES: Final = "crashes_the_process"
"""Reason of a record on which the process itself died, three times."""

CRASH: Final = "the process ended on this record"

CORRELATION_SQL: Final = f"""coalesce(
    (SELECT convert_from(decode(header ->> 1, 'hex'), 'UTF8') FROM jsonb_array_elements(headers) AS header
        WHERE header ->> 0 = '{CORRELATION_ID}' LIMIT 1),
    CASE WHEN topic = '{CLICKS.name}' THEN encode(key, 'escape') END, '')"""
"""The correlation id of a dead letter's record, as `schemas.message_ids.correlation_of` finds it."""

DECIDED_SQL: Final = "decided_at = now(), retry_requested_at = null, value = '', headers = '[]'"
"""The columns that are set when a dead letter is retried or skipped. The content goes: nothing reads it any more, it
may name people, and the log has the record."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_NAMESPACE: Final = UUID("3f2f8a64-0c55-5f0b-9a3b-5a0f4f1be9d2")


@dataclass(frozen=True, slots=True)
class FailedRecord:
    """A record that cannot become rows: `reason` is a stable code, `error` the message."""

    record: StoredRecord
    reason: str
    error: str


@dataclass(frozen=True)
class StoredDeadLetter:
    """A stored dead letter."""

    id: UUID
    key: bytes
    value: bytes
    headers: list[list[str]]
    offset: int
    reason: str

    def record(self, topic: str, partition: int) -> StoredRecord:
        """The record as it came from the log; signed, because a forged one is never tried again."""
        headers = tuple((name, bytes.fromhex(value)) for name, value in self.headers)
        return StoredRecord(topic, partition, self.offset, 0, self.key, self.value, headers, is_signed=True)


def letter_id(key: WorkerKey, offset: int) -> UUID:
    """Derives the id from key and offset: the same record is the same dead letter, however often it fails."""
    return uuid5(_NAMESPACE, f"{key.text}:{offset}")


def write(connection: Connection[Any], key: WorkerKey, bad: Iterable[FailedRecord]) -> None:
    """Keeps `bad`; one that is there already counts another attempt."""
    for one in bad:
        record = one.record
        if one.reason != PARKED:
            correlation_id = correlation_of(record.topic, record.key, record.headers)
            log.warning(
                "dead_letter_written",
                subscription=key.projection,
                reason=one.reason,
                offset=record.offset,
                correlation_id=correlation_id,
            )
        connection.execute(
            'insert into engine.dead_letter (id, projection, generation, topic, partition, "offset", reason, error, '
            "key, value, headers) values (%(id)s, %(projection)s, %(generation)s, %(topic)s, %(partition)s, "
            "%(offset)s, %(reason)s, %(error)s, %(key)s, %(value)s, %(headers)s) "
            "on conflict (id) do update set attempts = engine.dead_letter.attempts + 1, error = excluded.error",
            {
                **vars(key),
                "id": letter_id(key, record.offset),
                "offset": record.offset,
                "reason": one.reason,
                "error": one.error.replace("\x00", "\\0")[:4000],
                "key": record.key,
                "value": record.value,
                "headers": Jsonb([[name, value.hex()] for name, value in record.headers]),
            },
        )


def crashing(connection: Connection[Any], key: WorkerKey) -> frozenset[int]:
    """Offsets on which the process died: not to be touched again, by no generation of the projection."""
    rows = connection.execute(
        'select distinct "offset" from engine.dead_letter '
        "where projection = %s and topic = %s and partition = %s and reason = %s and state in ('open', 'skipped')",
        (key.projection, key.topic, key.partition, CRASHES),
    ).fetchall()
    return frozenset(row[0] for row in rows)


def inherited(connection: Connection[Any], key: WorkerKey) -> frozenset[int]:
    """Offsets on which the process died in another generation, and which wait there: this one does not try them, and
    has no dead letter of them yet."""
    rows = connection.execute(
        'select distinct o."offset" from engine.dead_letter o where o.projection = %(projection)s '
        "and o.topic = %(topic)s and o.partition = %(partition)s and o.generation <> %(generation)s "
        "and o.reason = %(reason)s and o.state = 'open' and not exists (select from engine.dead_letter d "
        "where d.projection = o.projection and d.topic = o.topic and d.partition = o.partition "
        'and d.generation = %(generation)s and d."offset" = o."offset")',
        {**vars(key), "reason": CRASHES},
    ).fetchall()
    return frozenset(row[0] for row in rows)


def supersede(connection: Connection[Any], projection: str | None = None) -> None:
    """Closes what retired generations of `projection` (of all) left open: the live generation reads the same records,
    and has dead letters of its own where it cannot process them."""
    connection.execute(
        "update engine.dead_letter d set state = %(superseded)s, decided_at = now(), retry_requested_at = null "
        "from engine.build b where b.name = d.projection and b.generation = d.generation and b.state = 'retired' "
        "and d.state = 'open' and (%(projection)s::text is null or d.projection = %(projection)s)",
        {"projection": projection, "superseded": SUPERSEDED},
    )


def reopen(connection: Connection[Any], projection: str, generation: int) -> None:
    """Opens again what `supersede` closed, for a generation that goes on."""
    connection.execute(
        "update engine.dead_letter set state = 'open', decided_at = null "
        "where projection = %s and generation = %s and state = %s",
        (projection, generation, SUPERSEDED),
    )


def parked_keys(connection: Connection[Any], key: WorkerKey) -> set[bytes]:
    """Keys of aggregates whose events wait behind a dead letter, also a superseded one: a rollback may reopen it."""
    rows = connection.execute(
        "select distinct key from engine.dead_letter where projection = %s and generation = %s and topic = %s "
        "and partition = %s and state in ('open', 'superseded') and reason <> %s",
        (key.projection, key.generation, key.topic, key.partition, UNSIGNED),
    ).fetchall()
    return {bytes(row[0]) for row in rows}


def to_retry(connection: Connection[Any], key: WorkerKey) -> list[StoredDeadLetter]:
    """Dead letters with a requested retry, in order. A forged record can only be skipped."""
    return _open(connection, key, "and retry_requested_at is not null and reason <> %(unsigned)s", unsigned=UNSIGNED)


def waiting_for(connection: Connection[Any], key: WorkerKey, aggregate: bytes) -> list[StoredDeadLetter]:
    """Every open dead letter of one aggregate, in order; a forged one is none of its events."""
    condition = "and key = %(aggregate)s and reason <> %(unsigned)s"
    return _open(connection, key, condition, aggregate=aggregate, unsigned=UNSIGNED)


def readmit(connection: Connection[Any], key: WorkerKey) -> bool:
    """Requests the retry of what an older version of the program could not read; returns whether there is any."""
    changed = connection.execute(
        "update engine.dead_letter set retry_requested_at = now() where projection = %s and generation = %s "
        "and topic = %s and partition = %s and state = 'open' and reason = %s",
        (key.projection, key.generation, key.topic, key.partition, NEWER),
    )
    return changed.rowcount > 0


def hold(connection: Connection[Any], letter_id: UUID) -> bool:
    """Locks the dead letter until the transaction's end; returns whether it is still open."""
    row = connection.execute(
        "select 1 from engine.dead_letter where id = %s and state = 'open' for no key update", (letter_id,)
    ).fetchone()
    return row is not None


def decide(connection: Connection[Any], ids: Sequence[UUID], state: str) -> int:
    """Ends open dead letters as `retried` or `skipped`, and deletes their content; how many of them were still open."""
    return connection.execute(
        f"update engine.dead_letter set state = %s, {DECIDED_SQL} where id = any(%s) and state = 'open'",
        (state, list(ids)),
    ).rowcount


def still_bad(connection: Connection[Any], letter_id: UUID, error: str) -> None:
    """A retry that failed: the dead letter stays open."""
    connection.execute(
        "update engine.dead_letter set attempts = attempts + 1, error = %s, retry_requested_at = null where id = %s",
        (error.replace("\x00", "\\0")[:4000], letter_id),
    )


def retry(
    connection: Connection[Any], key: WorkerKey, aggregate: bytes, apply: Callable[[StoredDeadLetter], None]
) -> bool:
    """Applies the dead letters of one aggregate in order, each in a transaction, up to the first that fails again;
    returns whether none did. Raises `Fenced` if another process decided on one, and errors of a lost connection."""
    for letter in waiting_for(connection, key, aggregate):
        try:
            with connection.transaction():
                apply(letter)
                if not decide(connection, [letter.id], "retried"):
                    raise Fenced(f"{key.text}: another process decided on dead letter {letter.id}")
        except (Fenced, psycopg.OperationalError, psycopg.InterfaceError):
            raise
        except Exception as error:  # noqa: BLE001 - the dead letter keeps the reason
            still_bad(connection, letter.id, f"{type(error).__name__}: {error}")
            return False
    return True


def _open(connection: Connection[Any], key: WorkerKey, condition: str, **values: Any) -> list[StoredDeadLetter]:
    with connection.cursor(row_factory=class_row(StoredDeadLetter)) as cursor:
        return cursor.execute(
            'select id, key, value, headers, "offset", reason from engine.dead_letter '
            "where projection = %(projection)s and generation = %(generation)s and topic = %(topic)s "
            f"and partition = %(partition)s and state = 'open' {condition} order by \"offset\"",
            {**vars(key), **values},
        ).fetchall()
