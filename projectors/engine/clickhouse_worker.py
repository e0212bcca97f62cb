"""Writes a batch to ClickHouse exactly once across any crash: intend, make rows, insert with a token, advance.

1. `intend`: the position stores which range is being inserted (Postgres).
2. The records become rows; the same range gives the same rows.
3. One insert per table under the range's token: sent again, it is dropped by ClickHouse.
4. `advance`: the position moves behind the range, with the dead letters in the same transaction (Postgres).
A restart that finds an intent repeats exactly this range from 2.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from time import monotonic
from typing import Any, Final

import orjson
import psycopg
import structlog

from infra.kernel.log import Log, LogSource, LogUnavailable, Record, StoredRecord, partitions, signature
from infra.kernel.log.partitions import Lineage
from infra.kernel.log.signature import UNSIGNED, UNSIGNED_TEXT
from infra.kernel.subscriptions import dead_letters, positions
from infra.kernel.subscriptions.dead_letters import FailedRecord, StoredDeadLetter
from infra.kernel.subscriptions.positions import WorkerKey
from projectors.engine import failpoints
from projectors.engine.clickhouse import InsertRejected
from projectors.engine.dedup import DedupBatch, DedupStore, InheritedIds, NullDedupIndex
from projectors.engine.generations import PARAMETERS
from projectors.engine.projection import Batch, ClickHouseProjection, DedupIndex, Duplicate
from projectors.engine.repair import insert_missing
from projectors.engine.tables import table_name
from projectors.engine.worker import READ_S, Runtime, SinkLostRows, Worker
from schemas.topics import DOMAIN

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

MAX_ROWS: Final = 50_000
MAX_BYTES: Final = 16 * 1024 * 1024
GATHER_S: Final = 0.02
"""A lone event is inserted after this time; under a trickle, inserts are `Runtime.insert_interval_s` apart, to spare
ClickHouse parts. Decided events (topic `domain`) come one by one and mostly make no rows: waiting for more gains
nothing, and a client may be waiting to read its own write."""

INSERT_SHARE: Final = 9
INSERT_SHARE_OF_DECISIONS: Final = 3
ROWS_A_SECOND: Final = 400
MAX_INTERVAL_S: Final = 0.75
"""Inserts are `INSERT_SHARE` times as far apart as the last one took, those of decided events, which a client may wait
for, a third of that; where a partition gets `ROWS_A_SECOND` rows, they are `MAX_INTERVAL_S` apart, and proportionally
less where it gets fewer. Batches grow, instead of many small inserts: an insert costs as much as two thousand of its
rows, and what comes is still shown within a second."""

INTENT_STANDS_S: Final = 5.0
TRICKLE_ROWS: Final = 2_000
CATCH_UP_ROWS: Final = 20_000
PRUNE_EVERY_S: Final = 24 * 3600.0
PUBLISH_TIMEOUT_S: Final = 30.0
REFUSED: Final = "refused_by_clickhouse"


def interval_s(topic: str, took_s: float, rows_a_second: float) -> float:
    """Returns the interval between inserts of a partition after one that took `took_s`; `Runtime.insert_interval_s` at
    least."""
    share = INSERT_SHARE_OF_DECISIONS if topic == DOMAIN.name else INSERT_SHARE
    return min(max(share * took_s, MAX_INTERVAL_S * rows_a_second / ROWS_A_SECOND), MAX_INTERVAL_S)


class ClickHouseWorker(Worker):
    """Moves one partition of a ClickHouse projection forward."""

    def __init__(
        self,
        key: WorkerKey,
        projection: ClickHouseProjection,
        runtime: Runtime,
        on_failure: Callable[[WorkerKey, str], None],
    ) -> None:
        super().__init__(key, runtime, on_failure)
        self._projection = projection
        self._make = projection.transforms[key.topic]
        self._ids: DedupStore | None = None
        self._sink_is_checked = False
        self._parameters: Any = None
        self._lineage = Lineage(key.partition)
        self._last_insert = 0.0
        self._insert_interval_s = runtime.insert_interval_s
        self._last_prune = monotonic()

    def prepare(self) -> None:
        """Loads parameters and remembered ids, then repeats the insert that a crash left unfinished."""
        parameters = self._read_parameters()
        with self.runtime.pool.connection() as connection:
            self._parameters = self._projection.parse_parameters(parameters, connection)
            self._lineage = partitions.lineage(connection, self.key.topic, self.key.partition)
        if self.key.topic in self._projection.deduplicated_topics:
            folder = self.runtime.data_dir / "projector" / self.key.projection / str(self.key.generation)
            self._ids = DedupStore(folder / f"{self.key.topic}-{self.key.partition}", self._lineage)
            self._inherit_ids(self._ids)
            self._catch_up_ids(self._ids)
            if not self._sink_is_checked:
                self._check_sink(self._ids)
                self._sink_is_checked = True
        if self._position.intent_to is not None:
            self._repeat(self._position.intent_to)

    def close(self) -> None:
        """Closes the database of ids, so that the partition's next owner can open it."""
        if self._ids is not None:
            self._ids.close()
            self._ids = None

    def step(self) -> None:
        """Inserts one batch and advances the position; without records, prunes old ids once a day."""
        records = self._gather()
        if records:
            self._project(records)
        elif self._ids is not None and monotonic() - self._last_prune > PRUNE_EVERY_S:
            self._last_prune = monotonic()
            log.info("dedup_index_pruned", ids=self._ids.prune())

    def retry(self, letters: Sequence[StoredDeadLetter]) -> None:
        """Retries each dead letter on its own; one that fails again stays and does not block the others."""
        for letter in letters:
            self._retry_one(letter)

    def _may_lack(self) -> Callable[[bytes], bool]:
        """Returns a function that says whether the main table may lack a row that was inserted."""
        if self._projection.lacking is None:
            return lambda _row: False
        with self.runtime.pool.connection() as connection:
            return self._projection.lacking(connection).has

    def _read_parameters(self) -> list[Any]:
        """Reads the parameters that the generation began with: the same records always make the same rows of it."""
        with self.runtime.pool.connection() as connection:
            row = connection.execute(
                "select coalesce(progress -> %s, '[]'::jsonb) from engine.build where name = %s and generation = %s",
                (PARAMETERS, self.key.projection, self.key.generation),
            ).fetchone()
        return list(row[0]) if row is not None else []

    def _gather(self) -> list[StoredRecord]:
        """The next batch: full, or what came until the log was drained for a moment."""
        records = self.read_next(MAX_ROWS)
        if not records:
            return records
        size = sum(len(record.value) for record in records)
        now = monotonic()
        soon = now if self.key.topic == DOMAIN.name else now + GATHER_S
        deadline = max(soon, min(self._last_insert, now) + self._insert_interval_s)
        is_trickle = len(records) < TRICKLE_ROWS
        while len(records) < MAX_ROWS and size < MAX_BYTES and not self._stopping.is_set():
            more = self._read_more(MAX_ROWS - len(records), deadline - monotonic(), is_trickle)
            records += more
            size += sum(len(record.value) for record in more)
            is_trickle = len(more) < TRICKLE_ROWS
            if monotonic() >= deadline and is_trickle:
                break
        return self._cut(records, size)

    def _read_more(self, max_records: int, left_s: float, is_trickle: bool) -> list[StoredRecord]:
        """Reads the records that come in the time that is left. Of a trickle it is read at the end of that time: to
        fetch each event as it comes costs the broker and this process more than the event itself."""
        if not is_trickle or left_s <= 0:
            return self.read(max_records, max(left_s, 0.0))
        self._stopping.wait(left_s)
        records = self.read(max_records, GATHER_S)  # what the fetch that was on its way brought: the first that came
        if 0 < len(records) < max_records:
            records += self.read(max_records - len(records), GATHER_S)
        return records

    def _cut(self, records: list[StoredRecord], size: int) -> list[StoredRecord]:
        if size <= 2 * MAX_BYTES:
            return records
        total = 0
        for place, record in enumerate(records):
            total += len(record.value)
            if total > MAX_BYTES and place:
                self.put_back(records[place:])
                return records[:place]
        return records

    def _project(self, records: list[StoredRecord]) -> None:
        first, last, batch = self._position.next_offset, records[-1].offset, None
        try:
            if self._ids is None:
                self.find_crashing(records)
                batch = self._rows_of(records, None)
                if batch.is_empty:
                    self._pass_over(first, records, batch)
                    return
            with self.runtime.pool.connection() as connection:
                self._intend(connection, first, last)
        except positions.BarrierReached as held:
            allowed = self.records_before(held.barrier_offset, records)
            if allowed:
                self._project(allowed)
            raise
        self._finish(first, records, batch)

    def _intend(self, connection: psycopg.Connection[Any], first: int, last: int) -> None:
        positions.intend(connection, self.key, first, last, self.runtime.name, splits=len(self._lineage.splits))

    def _pass_over(self, first: int, records: list[StoredRecord], batch: Batch) -> None:
        """Advances the position without an intent, since there is nothing to insert. Most decided events concern no
        table here."""
        step = positions.Step.over(first, records, batch.domain_position, self._rate.count(len(records)))
        self.runtime.steps.advance(self.key, step, notify=self.is_live)
        self.count_outcomes(records, [])
        self.advanced(step)

    def _repeat(self, intent_to: int) -> None:
        """A range was intended before this start: the same records, the same rows, the same token."""
        first = self._position.next_offset
        log.info("batch_repeating", first_offset=first, last_offset=intent_to)
        records = _read_range(self.read, self.runtime.log, self.key, intent_to)
        self.put_back([record for record in records if record.offset > intent_to])
        records = [record for record in records if record.offset <= intent_to]
        if not records or records[-1].offset != intent_to:
            raise SinkLostRows(f"offset {intent_to} was to be inserted, and the log does not give it any more")
        self._finish(first, records, is_repeated=True)

    def _finish(
        self, first: int, records: list[StoredRecord], made: Batch | None = None, *, is_repeated: bool = False
    ) -> None:
        intended, last = monotonic(), records[-1].offset
        failpoints.reach("after_intent", self.key.text)
        dedup_batch = self._ids.begin_batch() if self._ids is not None else None
        if made is None:
            self.find_crashing(records)
        batch = made if made is not None else self._rows_of(records, dedup_batch)
        self.count_outcomes(records, batch.bad)
        failpoints.reach("after_making", self.key.text)
        if monotonic() - intended > INTENT_STANDS_S:
            with self.runtime.pool.connection() as connection:
                self._intend(connection, first, last)
        began = monotonic()
        self._insert(batch, records, f"{self.key.text}:{first}-{last}")
        took = monotonic() - began
        if is_repeated:
            self._complete(batch)
        failpoints.reach("after_insert", self.key.text)
        if batch.publish and self.publishes:
            self._publish(batch.publish)
        step = positions.Step.over(first, records, batch.domain_position, self._rate.count(len(records)))
        with self.runtime.pool.connection() as connection, connection.transaction():
            dead_letters.write(connection, self.key, batch.bad)
            positions.advance(connection, self.key, step, notify=self.is_live)
        failpoints.reach("after_advance", self.key.text)
        if self._ids is not None and dedup_batch is not None:
            self._ids.commit(dedup_batch, last + 1)
        if batch.rows or batch.others:
            now = monotonic()
            rate = len(records) / max(now - self._last_insert, self._insert_interval_s)
            wanted_s = interval_s(self.key.topic, took, rate)
            self._insert_interval_s = max(self.runtime.insert_interval_s, wanted_s)
            self._last_insert = now
        self.advanced(step)

    def _complete(self, batch: Batch) -> None:
        """Checks that rows which were inserted again are there now, and inserts the missing ones
        (`engine.lost_rows`)."""
        refused = {bad.record.offset for bad in batch.bad if bad.reason == REFUSED}
        placed = zip(batch.offsets, batch.rows, strict=True)
        may_lack = self._may_lack()
        main = [(place, row) for place, row in placed if place not in refused and not may_lack(row)]
        sent = {self._projection.main.name: main}
        sent |= {name: [(orjson.loads(row)["_offset"], row) for row in rows] for name, rows in batch.others.items()}
        for name, rows in sent.items():
            table = table_name(name, self.key.generation)
            lacking = insert_missing(self.runtime.clickhouse, table, self.key, rows)
            if lacking:
                log.warning("lost_rows_inserted", table=table, rows=lacking)

    def _rows_of(self, records: Sequence[StoredRecord], known: DedupIndex | None) -> Batch:
        batch = self._batch(self._position.domain_position)
        if self._crashing:
            records = [record for record in records if record.offset not in self._crashing]
        if failpoints.ARE_SET:
            for record in records:
                failpoints.touch(record.value)
        ours = self._without_forged(records)
        self._make(ours, known or NullDedupIndex(), batch)
        if len(ours) < len(records):
            forged = (record for record in records if record.is_forged(self._signed_from))
            batch.bad += [FailedRecord(record, UNSIGNED, UNSIGNED_TEXT) for record in forged]
            batch.bad.sort(key=lambda bad: bad.record.offset)
        return batch

    def _batch(self, domain_position: int = 0) -> Batch:
        return Batch(
            domain_position=domain_position,
            parameters=self._parameters,
            texts=self.runtime.texts,
            decrypt=self.runtime.decrypt,
        )

    def _without_forged(self, records: Sequence[StoredRecord]) -> Sequence[StoredRecord]:
        if all(record.is_signed for record in records):
            return records
        return [record for record in records if not record.is_forged(self._signed_from)]

    def _insert(self, batch: Batch, records: Sequence[StoredRecord], token: str) -> None:
        clickhouse, generation = self.runtime.clickhouse, self.key.generation
        main = table_name(self._projection.main.name, generation)
        if batch.rows:
            count = len(batch.bad)
            self._insert_rows(main, batch, records, 0, len(batch.rows), token)
            if len(batch.bad) > count:
                batch.bad.sort(key=lambda bad: bad.record.offset)
                self.count_outcomes(records, [bad for bad in batch.bad if bad.reason == REFUSED])
        for name, lines in batch.others.items():
            failpoints.reach("between_tables", self.key.text)
            clickhouse.insert(table_name(name, generation), b"\n".join(lines), token)

    def _insert_rows(
        self, main: str, batch: Batch, records: Sequence[StoredRecord], start: int, end: int, token: str
    ) -> None:
        """Inserts the rows `start` to `end`; halves what ClickHouse refuses until the culprit is alone."""
        try:
            self.runtime.clickhouse.insert(main, b"\n".join(batch.rows[start:end]), token)
        except InsertRejected as error:
            if end - start == 1:
                place = bisect_left(records, batch.offsets[start], key=lambda record: record.offset)
                batch.bad.append(FailedRecord(records[place], REFUSED, str(error)))
                return
            middle = (start + end) // 2
            for low, high in ((start, middle), (middle, end)):
                part = f"{token}/{batch.offsets[low]}-{batch.offsets[high - 1]}"
                self._insert_rows(main, batch, records, low, high, part)

    def _publish(self, records: Sequence[Record]) -> None:
        try:
            self.runtime.log.publish(records).result(PUBLISH_TIMEOUT_S)
        except TimeoutError as error:
            raise LogUnavailable("the log did not acknowledge in time") from error

    def _inherit_ids(self, ids: DedupStore) -> None:
        """Reads the records of the partitions that this one was split from: their ids are older than any here."""
        for ancestor in ids.heritage:
            log.info("dedup_index_inheriting", partition=ancestor.partition, to_offset=ancestor.end)
            key = replace(self.key, partition=ancestor.partition)
            with self.runtime.pool.connection() as connection:
                crashing = dead_letters.crashing(connection, key)
                signed_from = signature.start(connection, key.topic, key.partition)
            with closing(self.runtime.log.source(key.topic, key.partition, 0)) as source:
                at = 0
                while at < ancestor.end:
                    records = self._read_before(ancestor.end, source, key.partition)
                    ours = [
                        record
                        for record in records
                        if record.offset < ancestor.end
                        and record.offset not in crashing
                        and (record.is_signed or record.offset < signed_from)
                        and self._lineage.inherits(record.key)
                    ]
                    dedup_batch = ids.begin_batch()
                    self._make(ours, InheritedIds(dedup_batch, ancestor), Batch())
                    ids.inherit(dedup_batch)
                    failpoints.reach("inheriting", self.key.text)
                    at = records[-1].offset + 1
        if ids.heritage:
            ids.end_heritage()

    def _catch_up_ids(self, ids: DedupStore) -> None:
        """Reads the log between what the ids know and the position: a batch after a crash, everything after a loss."""
        goal = self._position.next_offset
        if ids.marker > goal:
            ids.reset()
        if ids.marker == goal:
            return
        log.info("dedup_index_catching_up", from_offset=ids.marker, to_offset=goal)
        with closing(self.runtime.log.source(self.key.topic, self.key.partition, ids.marker)) as source:
            while ids.marker < goal:
                records = self._read_before(goal, source)
                used = [r for r in records if r.offset < goal and r.offset not in self._crashing]
                dedup_batch = ids.begin_batch()
                self._make(self._without_forged(used), dedup_batch, Batch())
                ids.commit(dedup_batch, min(records[-1].offset + 1, goal))

    def _read_before(self, goal: int, source: LogSource, ancestor: int | None = None) -> list[StoredRecord]:
        """The next records of a log that reaches `goal`: an empty answer only means that the log is slow."""
        while not self._stopping.is_set():
            records = source.read(CATCH_UP_ROWS, READ_S)
            if records:
                return records
            partition = self.key.partition if ancestor is None else ancestor
            if self.runtime.log.end_offset(self.key.topic, partition) < goal:
                raise SinkLostRows(f"the position is {goal}, and the log ends before it")
        raise positions.Fenced("stopping")

    def _check_sink(self, ids: DedupStore) -> None:
        """Checks the tables. Raises when rows before the position are missing: detects a disk that lost its last
        writes."""
        goal = self._position.next_offset
        if goal == 0:
            return
        highest = -1
        for table in (self._projection.main, *self._projection.others):
            rows = self.runtime.clickhouse.rows(
                f"SELECT count(), max(_offset) FROM {table_name(table.name, self.key.generation)} "  # noqa: S608 - own text
                "WHERE _topic = {topic:String} AND _partition = {partition:UInt16}",
                {"topic": self.key.topic, "partition": self.key.partition},
            )
            if rows[0][0]:
                highest = max(highest, int(rows[0][1]))
        if highest + 1 < goal:
            self._check_tail(ids, highest + 1, goal)

    def _check_tail(self, ids: DedupStore, start: int, goal: int) -> None:
        """Checks that no row must be stored from `start` on: correct if these records make no rows (failed,
        duplicates)."""
        with self.runtime.pool.connection() as connection:
            letters = connection.execute(
                'select "offset" from engine.dead_letter where projection = %s and generation = %s and topic = %s '
                'and partition = %s and "offset" >= %s',
                (self.key.projection, self.key.generation, self.key.topic, self.key.partition, start),
            ).fetchall()
        dead, may_lack = {row[0] for row in letters}, self._may_lack()
        with closing(self.runtime.log.source(self.key.topic, self.key.partition, start)) as source:
            at = start
            while at < goal:
                records = self._read_before(goal, source)
                batch = Batch()
                used = [r for r in records if r.offset < goal and r.offset not in dead]
                self._make(self._without_forged(used), ids.begin_batch(), batch)
                placed = zip(batch.offsets, batch.rows, strict=True)
                lost = next((offset for offset, row in placed if not may_lack(row)), None)
                if lost is not None:
                    raise SinkLostRows(
                        f"ClickHouse has no row of offset {lost}, though the position is {goal}: rows that "
                        "were inserted are gone; rebuild this projection"
                    )
                at = records[-1].offset + 1

    def _retry_one(self, letter: StoredDeadLetter) -> None:
        record = letter.record(self.key.topic, self.key.partition)
        dedup_batch = _Retry(self._ids.begin_batch() if self._ids is not None else None)
        batch = self._batch()
        if self.ends_the_process(letter):
            batch.bad.append(FailedRecord(record, dead_letters.CRASHES, dead_letters.CRASH))
        else:
            failpoints.touch(record.value)
            self._make([record], dedup_batch, batch)
        if batch.bad:
            with self.runtime.pool.connection() as connection:
                dead_letters.still_bad(connection, letter.id, batch.bad[0].error)
            return
        if batch.publish and self.publishes:
            self._publish(batch.publish)
        with self.runtime.pool.connection() as connection, connection.transaction():
            if not dead_letters.hold(connection, letter.id):
                return  # skipped meanwhile: its rows must not appear
            self._insert(batch, [record], f"{self.key.text}:{record.offset}-{record.offset}:retry")
            failpoints.reach("after_retry_insert", self.key.text)
            if batch.bad:
                dead_letters.still_bad(connection, letter.id, batch.bad[0].error)
            else:
                dead_letters.decide(connection, [letter.id], "retried")
        if self._ids is not None and dedup_batch.inner is not None and not batch.bad:
            self._ids.commit(dedup_batch.inner, self._ids.marker)


class _Retry:
    """`DedupIndex` for a late record: an id that was used in the meantime makes it a duplicate, at any offset."""

    def __init__(self, inner: DedupBatch | None) -> None:
        self.inner = inner

    def load(self, keys: Sequence[bytes]) -> None:
        if self.inner is not None:
            self.inner.load(keys)

    def elsewhere(self, record: StoredRecord) -> int | None:
        return self.inner.elsewhere(record) if self.inner is not None else None

    def check(self, key: bytes, offset: int, content: bytes, at: int) -> Duplicate | None:
        if self.inner is None:
            return None
        first = self.inner.known(key)
        if first is not None and first[0] != offset:
            return Duplicate(first[0], first[1] == content)
        return self.inner.check(key, offset, content, at)


def _read_range(
    read: Callable[[int, float], list[StoredRecord]], the_log: Log, key: WorkerKey, last: int
) -> list[StoredRecord]:
    records: list[StoredRecord] = []
    while not records or records[-1].offset < last:
        more = read(MAX_ROWS, READ_S)
        if not more and the_log.end_offset(key.topic, key.partition) <= last:
            break
        records += more
    return records
