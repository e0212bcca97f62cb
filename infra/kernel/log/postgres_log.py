"""The log of record on Postgres: one machine without Java, and the fast tests.

Offsets come from one row per partition, locked until the commit, so they have no gaps and readers see them in order.
One writer thread per `PostgresLog` commits whatever calls wait together (group commit); NOTIFY wakes the readers.
The table is created by the migrations (`0050_log.sql`).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from math import inf
from threading import Condition, Event, Thread
from time import monotonic, time
from typing import Any, Final

import msgspec
import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from infra.kernel.config.settings import Settings
from infra.kernel.log.calls import Calls, PublishCall
from infra.kernel.log.limits import partition_for
from infra.kernel.log.port import (
    ANSWER_S,
    NO_COUNTS,
    Log,
    LogUnavailable,
    Position,
    Record,
    TopicPartition,
    describe_partitions,
)
from infra.kernel.log.postgres_deadlines import Deadlines
from infra.kernel.log.postgres_source import Bell, PostgresSource
from infra.kernel.log.signature import Signer
from schemas import topics

GROUP_RECORDS: Final = 10_000
GROUP_BYTES: Final = 16 * 1024 * 1024
COUNTED_EVERY_S: Final = 5.0
"""The interval at which a writer reads the number of partitions."""
_TICK_S: Final = 0.1

CONNECTION: Final = {
    "connect_timeout": 3,
    "application_name": "althing-log",
    "options": "-c synchronous_commit=on -c statement_timeout=10s -c lock_timeout=5s "
    "-c idle_in_transaction_session_timeout=10s",
    "tcp_user_timeout": 5000,
    "keepalives_idle": 5,
}


class PostgresLog(Log):
    """`infra.kernel.log.Log` on Postgres. `delivery_timeout_s`: after this long an unacknowledged call fails.

    `max_buffered_bytes` bounds what waits for the database; above it `publish` fails at once with `LogUnavailable`.
    """

    def __init__(
        self,
        settings: Settings,
        signer: Signer | None = None,
        *,
        delivery_timeout_s: float = 10.0,
        max_buffered_bytes: int = 64 * 1024 * 1024,
    ) -> None:
        if settings.postgres_url is None:
            raise ValueError("POSTGRES_URL is not set")
        self._url = settings.postgres_url
        self._signer = signer
        self._delivery_timeout_s = delivery_timeout_s
        self._begun = Calls("Postgres", delivery_timeout_s, max_buffered_bytes)
        self._waiting: deque[PublishCall] = deque()
        self._committing: list[PublishCall] = []
        self._counts: Mapping[str, int] = {}
        self._counted_at = -inf
        self._changed = Condition()
        self._closing = Event()
        self._readers = ConnectionPool(
            self._url,
            kwargs={**CONNECTION, "autocommit": True},
            min_size=0,
            max_size=4,
            timeout=3,
            reconnect_timeout=1,
            open=True,
        )
        self._deadlines = Deadlines()
        self._bell = Bell(self._url, CONNECTION)
        self._writer = Thread(target=self._write, name="postgres-log", daemon=True)
        self._keeper = Thread(target=self._expire, name="postgres-log-late-calls", daemon=True)
        self._writer.start()
        self._keeper.start()

    def publish(self, records: Sequence[Record]) -> Future[list[Position]]:
        """Queues the records for the writer thread, which commits all waiting calls together."""
        call = self._begun.begin(records)
        if call.future.done():
            return call.future
        with self._changed:
            if self._closing.is_set():
                self._begun.forget(call)
                call.fail("this log is closed")
            else:
                self._waiting.append(call)
                self._changed.notify()
        return call.future

    def source(self, topic: str, partition: int, offset: int = 0) -> PostgresSource:
        """A reader that borrows a connection of the log for each `read`."""
        return PostgresSource(self._readers, self._deadlines, self._bell, topic, partition, offset, self._signer)

    def end_offsets(self, places: Iterable[TopicPartition], timeout_s: float = ANSWER_S) -> dict[TopicPartition, int]:
        """Runs one query for all partitions; raises `LogUnavailable` after `timeout_s`."""
        places = list(places)
        try:
            with (
                self._readers.connection(timeout=timeout_s) as connection,
                self._deadlines.within(timeout_s, connection),
            ):
                rows: list[tuple[str, int, int]] = connection.execute(
                    "SELECT topic, partition, next_offset FROM log.partition WHERE topic = ANY(%s)",
                    (list({topic for topic, _ in places}),),
                ).fetchall()
        except (psycopg.Error, PoolTimeout) as error:
            raise LogUnavailable(
                f"Postgres does not return the end of {describe_partitions(places)}: {error}"
            ) from error
        ends = {(topic, partition): end for topic, partition, end in rows}
        if missing := [place for place in places if place not in ends]:
            raise LogUnavailable(f"{describe_partitions(missing)} is not created yet")
        return {place: ends[place] for place in places}

    def partitions(self, topic: str) -> int:
        """Returns the number of partitions as the writer has last read it from the table."""
        return self._counts.get(topic, 1)

    def create_topics(self, stored: Mapping[str, int] = NO_COUNTS) -> Mapping[str, int]:
        """Adds the table's partitions. Raises `RuntimeError` when a topic has more of them than it should."""
        with psycopg.connect(self._url, **CONNECTION) as connection:  # type: ignore[arg-type]  # typed per keyword
            there, numbers = _counts(connection), dict[str, int]()
            for topic in topics.ALL:
                default = (there.get(topic.name) if topic is topics.CLICKS else None) or topic.partitions
                numbers[topic.name] = stored.get(topic.name, default)
                connection.execute(
                    "INSERT INTO log.partition (topic, partition) SELECT %s, generate_series(0, %s - 1) "
                    "ON CONFLICT DO NOTHING",
                    (topic.name, numbers[topic.name]),
                )
            counts = _counts(connection)
            for name, number in counts.items():
                if number != numbers.get(name, number):
                    raise RuntimeError(
                        f"Topic {name} has {number} partitions, not {numbers[name]}: keys would change their place."
                    )
            return counts

    def close(self) -> None:
        """Waits for what was handed over, at most the delivery timeout."""
        with self._changed:
            self._closing.set()
            self._changed.notify_all()
        self._writer.join()
        self._keeper.join()
        self._bell.close()
        self._readers.close()
        self._deadlines.close()

    def _write(self) -> None:
        connection: psycopg.Connection[Any] | None = None
        while group := self._take():
            try:
                if connection is None:
                    connection = psycopg.connect(self._url, **CONNECTION)  # type: ignore[arg-type]  # per keyword
                with self._deadlines.within(self._delivery_timeout_s, connection):
                    if monotonic() - self._counted_at > COUNTED_EVERY_S:
                        self._counts, self._counted_at = _counts(connection), monotonic()
                    places = _insert(connection, group, self._signer, self._counts)
            except (psycopg.Error, OSError) as error:
                if connection is not None:
                    connection.close()
                    connection = None
                if not self._retry(group, error):
                    self._finish(group, f"Postgres did not accept the records: {error}")
                continue
            try:
                with self._deadlines.within(self._delivery_timeout_s, connection):
                    connection.commit()
            except (psycopg.Error, OSError) as error:
                connection.close()
                connection = None
                self._finish(group, f"Postgres did not confirm the commit: {error}")
                continue
            self._finish(group, places)
        if connection is not None:
            connection.close()

    def _take(self) -> list[PublishCall]:
        """The calls of the next commit; empty only when closing and nothing waits."""
        with self._changed:
            while not self._waiting and not self._closing.is_set():
                self._changed.wait()
            group: list[PublishCall] = []
            records = size = 0
            while self._waiting and (not group or records + len(self._waiting[0].records) <= GROUP_RECORDS):
                if group and size + self._waiting[0].size > GROUP_BYTES:
                    break
                call = self._waiting.popleft()
                group.append(call)
                records += len(call.records)
                size += call.size
            self._committing = group
            return group

    def _retry(self, group: list[PublishCall], error: Exception) -> bool:
        """Requeues the group, of which nothing was committed, in order while the database is unavailable and time is
        left."""
        if not isinstance(error, (psycopg.OperationalError, OSError)):
            return False
        with self._changed:
            self._waiting.extendleft(reversed(group))
            self._committing = []
            self._changed.wait(_TICK_S)
        return True

    def _finish(self, group: list[PublishCall], outcome: list[list[Position]] | str) -> None:
        """The calls' places, or why there are none."""
        with self._changed:
            self._committing = []
        for index, call in enumerate(group):
            self._begun.forget(call)
            if isinstance(outcome, str):
                call.fail(outcome)
            else:
                call.succeed(outcome[index])

    def _expire(self) -> None:
        """Fails late calls; those that no transaction holds yet are forgotten, the others stay until it ends."""
        while not (self._closing.is_set() and not self._writer.is_alive()):
            now = monotonic()
            with self._changed:
                late = [call for call in self._committing if call.deadline < now]
                while self._waiting and self._waiting[0].deadline < now:
                    call = self._waiting.popleft()
                    self._begun.forget(call)
                    late.append(call)
            for call in late:
                call.fail(f"Postgres did not answer within {self._delivery_timeout_s:g} s")
            self._writer.join(_TICK_S)


def _counts(connection: psycopg.Connection[Any]) -> dict[str, int]:
    """The number of partitions by topic."""
    return dict(connection.execute("SELECT topic, count(*) FROM log.partition GROUP BY topic").fetchall())


def _insert(
    connection: psycopg.Connection[Any], group: list[PublishCall], signer: Signer | None, known: Mapping[str, int]
) -> list[list[Position]]:
    """Writes the calls' records into the open transaction, notifies, and returns their positions. Each record is
    signed on its own: unlike Kafka's batches, rows are read in any portion."""
    now = int(time() * 1000)
    counts: dict[tuple[str, int], int] = defaultdict(int)
    placed = [[partition_for(record, known.get(record.topic, 1)) for record in call.records] for call in group]
    for call, partitions in zip(group, placed, strict=True):
        for record, partition in zip(call.records, partitions, strict=True):
            counts[record.topic, partition] += 1
    offsets = _reserve(connection, counts)
    places: list[list[Position]] = []
    with connection.cursor().copy(
        'COPY log.record (topic, partition, "offset", timestamp_ms, size, key, value, headers) '
        "FROM STDIN WITH (FORMAT BINARY)"
    ) as copy:
        copy.set_types(["text", "int4", "int8", "int8", "int4", "bytea", "bytea", "bytea"])
        for call, partitions in zip(group, placed, strict=True):
            positions = []
            for record, partition in zip(call.records, partitions, strict=True):
                topic, key, value = record.topic, record.key, record.value
                offset = offsets[topic, partition]
                offsets[topic, partition] = offset + 1
                every = record.headers
                if signer is not None and record.is_signed:
                    every = (*every, signer.header(topic, partition, (record,)))
                headers = msgspec.msgpack.encode(every) if every else None
                size = len(key) + len(value) + len(headers or b"")
                copy.write_row((topic, partition, offset, record.timestamp_ms or now, size, key, value, headers))
                positions.append(Position(topic, partition, offset))
            places.append(positions)
    for topic, partition in counts:
        connection.execute("SELECT pg_notify('log', %s)", (f"{topic}:{partition}",))
    return places


def _reserve(connection: psycopg.Connection[Any], counts: dict[tuple[str, int], int]) -> dict[tuple[str, int], int]:
    """Locks the partitions, always in the same order, and returns each one's first free offset."""
    offsets: dict[tuple[str, int], int] = {}
    for topic, partition in sorted(counts):
        row = connection.execute(
            "UPDATE log.partition SET next_offset = next_offset + %s WHERE topic = %s AND partition = %s "
            "RETURNING next_offset",
            (counts[topic, partition], topic, partition),
        ).fetchone()
        if row is None:
            raise psycopg.DataError(f"{topic}[{partition}] is not created yet")
        offsets[topic, partition] = row[0] - counts[topic, partition]
    return offsets
