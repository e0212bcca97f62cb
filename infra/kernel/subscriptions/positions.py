"""Positions: how far each generation has read. Stored in Postgres, moved by compare-and-set.

For ClickHouse the move has two steps around the insert, `intend` and `advance`; for Postgres read models `advance` is
part of the transaction that writes the rows. A step that finds an unexpected position raises `Fenced`:
another process owns the partition now.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from psycopg import Connection
from psycopg.rows import class_row

from infra.kernel.log import StoredRecord
from infra.kernel.log.partitions import COUNT_OF_SPLITS


@dataclass(frozen=True)
class WorkerKey:
    """One worker's place of work."""

    projection: str
    generation: int
    topic: str
    partition: int

    @property
    def text(self) -> str:
        """`projection:generation:topic:partition`: the name of the worker, and of its lock."""
        return f"{self.projection}:{self.generation}:{self.topic}:{self.partition}"


@dataclass(frozen=True)
class StoredPosition:
    """The stored position of a partition; see `0030_engine.sql`."""

    next_offset: int
    intent_to: int | None
    domain_position: int
    barrier_offset: int | None
    starts: int
    accept_bad_to: int


class Fenced(Exception):
    """Another process moved this position: the step must stop and has no effect."""


class BarrierReached(Exception):
    """The position may not pass `barrier_offset` for now: two generations are being compared there."""

    def __init__(self, barrier_offset: int) -> None:
        super().__init__(f"held at {barrier_offset}")
        self.barrier_offset = barrier_offset


_WHERE = (
    "projection = %(projection)s and generation = %(generation)s and topic = %(topic)s and partition = %(partition)s"
)
_STOP = "case when stop_until > now() then stop_at end"


def load(connection: Connection[Any], key: WorkerKey) -> StoredPosition:
    """The stored position. Raises `Fenced` when the generation was dropped."""
    with connection.cursor(row_factory=class_row(StoredPosition)) as cursor:
        position = cursor.execute(
            f"select next_offset, intent_to, domain_position, {_STOP} as barrier_offset, starts, accept_bad_to "
            f"from engine.position where {_WHERE}",
            vars(key),
        ).fetchone()
    if position is None:
        raise Fenced(f"{key.text} is no longer there")
    return position


def create(connection: Connection[Any], key: WorkerKey) -> None:
    """Makes a position at offset 0; one that exists stays where it is."""
    connection.execute(
        "insert into engine.position (projection, generation, topic, partition) "
        "values (%(projection)s, %(generation)s, %(topic)s, %(partition)s) on conflict do nothing",
        vars(key),
    )


def hold_all(connection: Connection[Any], wait_s: int) -> None:
    """Locks all positions: until the transaction's end none moves, and none is intended. Raises
    `psycopg.errors.LockNotAvailable`."""
    connection.execute(f"set local lock_timeout = '{wait_s}s'")
    connection.execute("lock table engine.position in exclusive mode")


def add_partition(connection: Connection[Any], topic: str, partition: int) -> None:
    """Makes a position at offset 0 for every generation that reads the topic."""
    connection.execute(
        "insert into engine.position (projection, generation, topic, partition) "
        "select projection, generation, topic, %s from engine.position where topic = %s and partition = 0",
        (partition, topic),
    )


def start(connection: Connection[Any], key: WorkerKey, owner: str, *, counts: bool) -> StoredPosition:
    """Notes that a worker starts here; with `counts`, counts the starts that led to no step forward."""
    connection.execute(
        "update engine.position set owner = %(owner)s, error = '', start_offset = next_offset, "
        "starts = case when start_offset <> next_offset then %(more)s else starts + %(more)s end "
        f"where {_WHERE}",
        {**vars(key), "owner": owner, "more": int(counts)},
    )
    return load(connection, key)


def stop(connection: Connection[Any], key: WorkerKey, owner: str) -> None:
    """Notes an orderly end: it does not count as a start without a step."""
    connection.execute(
        f"update engine.position set owner = null, starts = 0 where {_WHERE} and owner = %(owner)s",
        {**vars(key), "owner": owner},
    )


def intend(connection: Connection[Any], key: WorkerKey, first: int, last: int, owner: str, *, splits: int = 0) -> None:
    """Step 1 of an insert: "from `first` to `last` is being inserted". `splits`: how many of the topic the owner knows
    (`infra.kernel.log.partitions`). Raises `Fenced`, also when there was another split, or `BarrierReached`."""
    changed = connection.execute(
        "update engine.position set intent_to = %(last)s, owner = %(owner)s, updated_at = now() "
        f"where {_WHERE} and next_offset = %(first)s and (intent_to is null or intent_to = %(last)s) "
        f"and (intent_to = %(last)s or {_STOP} is null or %(last)s < {_STOP}) "
        f"and %(splits)s = {COUNT_OF_SPLITS}",
        {**vars(key), "first": first, "last": last, "owner": owner, "splits": splits},
    )
    if changed.rowcount != 1:
        _explain(connection, key, first, last)


@dataclass(frozen=True)
class Step:
    """A step of a reader: the records from `first` to `last` are done."""

    first: int
    last: int
    domain_position: int
    record_at: datetime
    records: int
    rate: float

    @classmethod
    def over(cls, first: int, records: list[StoredRecord], domain_position: int, rate: float) -> Step:
        """Makes the step for `records` that begin at offset `first`; `rate` is in records per second."""
        end = records[-1]
        at = datetime.fromtimestamp(end.timestamp_ms / 1000, UTC)
        return cls(first, end.offset, domain_position, at, len(records), rate)


def advance(connection: Connection[Any], key: WorkerKey, step: Step, *, notify: bool) -> None:
    """The last step: the position moves behind `step.last`. Raises `Fenced` or `BarrierReached`.

    A listener of channel `projection` hears `<projection>:<topic>:<partition>:<next_offset>:<domain_position>`.
    """
    moved = connection.execute(_ADVANCE_AND_TELL if notify else _ADVANCE, {**vars(key), **vars(step)})
    if moved.rowcount != 1:
        _explain(connection, key, step.first, step.last)


@dataclass(frozen=True)
class Advance:
    """A step of one position, and whether it notifies listeners."""

    key: WorkerKey
    step: Step
    notify: bool


def advance_all(connection: Connection[Any], each: Sequence[Advance]) -> set[WorkerKey]:
    """`advance` of many positions in one statement, none of which has an intent; returns those that moved. One that is
    held, another's or locked does not move, so that no worker waits for a transaction that concerns another one."""
    columns: dict[str, list[Any]] = {"notify": [one.notify for one in each]}
    for name in ("projection", "generation", "topic", "partition"):
        columns[name] = [getattr(one.key, name) for one in each]
    for name in ("first", "last", "domain_position", "record_at", "records", "rate"):
        columns[name] = [getattr(one.step, name) for one in each]
    return {WorkerKey(*row[:4]) for row in connection.execute(_ADVANCE_ALL, columns).fetchall()}


def _notification(next_offset: str) -> str:
    """The expression that notifies listeners, of these columns and of `next_offset`."""
    return f"pg_notify('projection', concat_ws(':', projection, topic, partition, {next_offset}, domain_position))"


_ADVANCE = (
    "update engine.position set next_offset = %(last)s + 1, intent_to = null, updated_at = now(), "
    "domain_position = %(domain_position)s, record_at = %(record_at)s, error = '', "
    "processed = processed + %(records)s, rate = %(rate)s "
    f"where {_WHERE} and next_offset = %(first)s and (intent_to is null or intent_to = %(last)s) "
    f"and (intent_to = %(last)s or {_STOP} is null or %(last)s < {_STOP})"
)
_ADVANCE_AND_TELL = (
    f"with moved as ({_ADVANCE} returning projection, topic, partition, next_offset, domain_position) "
    f"select {_notification('next_offset')} from moved"
)
_ADVANCE_ALL = f"""
with step as (
    select * from unnest(
        %(projection)s::text[], %(generation)s::int[], %(topic)s::text[], %(partition)s::int[], %(first)s::bigint[],
        %(last)s::bigint[], %(domain_position)s::bigint[], %(record_at)s::timestamptz[], %(records)s::bigint[],
        %(rate)s::real[], %(notify)s::bool[]
    ) as step (
        projection, generation, topic, partition, first, last, domain_position, record_at, records, rate, notify
    )
), free as (
    select step.* from engine.position join step using (projection, generation, topic, partition)
    where next_offset = step.first and intent_to is null
        and ({_STOP} is null or step.last < {_STOP})
    for update of position skip locked
), moved as (
    update engine.position set next_offset = free.last + 1, updated_at = now(), record_at = free.record_at, error = '',
        domain_position = free.domain_position, processed = processed + free.records, rate = free.rate
    from free where (position.projection, position.generation, position.topic, position.partition)
        = (free.projection, free.generation, free.topic, free.partition)
    returning free.*
)
select projection, generation, topic, partition, case when notify then {_notification("last + 1")} end from moved
"""


def note_error(connection: Connection[Any], key: WorkerKey, error: str) -> None:
    """Shows why the worker waits; cleared by the next step."""
    connection.execute(
        f"update engine.position set error = %(error)s where {_WHERE}",
        {**vars(key), "error": error[:2000]},
    )


def _explain(connection: Connection[Any], key: WorkerKey, first: int, last: int) -> None:
    position = load(connection, key)
    if (
        position.next_offset == first
        and position.intent_to is None
        and position.barrier_offset is not None
        and position.barrier_offset <= last
    ):
        raise BarrierReached(position.barrier_offset)
    raise Fenced(f"{key.text}: expected {first}..{last}, found {position.next_offset}, intent {position.intent_to}")
