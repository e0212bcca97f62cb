"""One worker: a thread that moves one (projection, generation, topic, partition) forward until it is stopped.

This module has what all workers share: ownership of the partition, retries after errors, and failing the generation
when going on would do harm. The steps are in `engine.clickhouse_worker` and `engine.postgres_worker`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from threading import Event, Thread
from time import monotonic, time_ns
from typing import Any

import psycopg
import structlog
from psycopg_pool import ConnectionPool, PoolTimeout, TooManyRequests

from infra.kernel.log import Log, LogSource, LogUnavailable, OffsetOutOfRange, StoredRecord, signature
from infra.kernel.log.sealed_texts import TextReader
from infra.kernel.observability import logging, tracing
from infra.kernel.observability.log_throttle import LogThrottle
from infra.kernel.observability.spans import Attributes
from infra.kernel.subscriptions import dead_letters, limits, positions
from infra.kernel.subscriptions.dead_letters import FailedRecord
from infra.kernel.subscriptions.group_commit import GroupCommit
from infra.kernel.subscriptions.positions import BarrierReached, Fenced, StoredPosition, WorkerKey
from projectors.engine import probe
from projectors.engine.clickhouse import ClickHouse, Unavailable
from projectors.engine.dedup import MarkerMoved
from projectors.engine.ownership import Ownership
from schemas.envelope import Decrypt
from schemas.message_ids import correlation_of

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

TRANSIENT = (psycopg.OperationalError, psycopg.InterfaceError, LogUnavailable, Unavailable)
STANDBY_S = 1.0
HELD_S = 0.05
READ_S = 0.5
IDLE_READ_S = 2.0
IDLE_AFTER_S = 30.0
"""A worker without records for so long waits longer for the next ones: what comes ends the wait, but each wait that
ends without any costs, and an installation has about seventy workers."""
TRIES_BEFORE_PROBING = 3


class SinkLostRows(Exception):
    """Rows before the position are missing from the tables: they must be rebuilt from the log."""


@dataclass(frozen=True)
class Runtime:
    """The dependencies that all workers of this process use."""

    name: str
    pool: ConnectionPool[psycopg.Connection[Any]]
    steps: GroupCommit
    log: Log
    clickhouse: ClickHouse
    ownership: Ownership
    decrypt: Decrypt
    texts: TextReader
    data_dir: Path
    probe_module: str
    """Started by `engine.probe` as the child process; knows the registry."""
    insert_interval_s: float = 0.2
    """See `ALTHING_INSERT_INTERVAL_MS`."""


class Worker(ABC, Thread):
    """Runs until `stop`. `on_failure` is called, once, with the reason when the generation must not go on."""

    def __init__(self, key: WorkerKey, runtime: Runtime, on_failure: Callable[[WorkerKey, str], None]) -> None:
        super().__init__(name=key.text, daemon=True)
        self.key, self.runtime = key, runtime
        self.is_live = False
        self.publishes = False
        self.has_retries = Event()
        self._on_failure = on_failure
        self._stopping = Event()
        self._backoff = limits.Backoff()
        self._log_throttle = LogThrottle()
        self._rate = limits.Rate()
        self._limit = limits.DeadLetterLimit()
        self._is_first = True
        self._source: LogSource | None = None
        self._left: list[StoredRecord] = []
        self._crashing: frozenset[int] = frozenset()
        self._inherited: frozenset[int] = frozenset()
        self._signed_from: float = inf
        self._read_ns = 0
        self._last_records = monotonic()
        self._where: Attributes = {"generation": key.generation, "topic": key.topic, "partition": key.partition}
        self._position = StoredPosition(0, None, 0, None, 0, 0)

    def stop(self) -> None:
        """Ends the worker after its current step."""
        self._stopping.set()

    def run(self) -> None:
        """Owns the partition and steps until `stop`: retries transient errors, fails the generation on fatal ones."""
        key = self.key
        logging.begin_context(
            component="projector",
            projection=key.projection,
            generation=key.generation,
            topic=key.topic,
            partition=key.partition,
        )
        while not self._stopping.is_set():
            try:
                if not self.runtime.ownership.acquire(self.key.text):
                    self._stopping.wait(STANDBY_S)
                    continue
                self._own()
            except (Fenced, MarkerMoved) as error:
                log.warning("worker_restarting", worker=self.key.text, delay_s=STANDBY_S, error=error)
                self._stopping.wait(STANDBY_S)
            except TRANSIENT as error:
                self._show_error(error)
                self._backoff.wait(self._stopping, limits.MAX_RECONNECT_WAIT_S)
            except (limits.TooManyDeadLetters, OffsetOutOfRange, SinkLostRows) as error:
                self._fail(error)
            except Exception as error:
                log.exception("unexpected_error")
                self._show_error(error)
                self._backoff.wait(self._stopping)
        self._let_go()

    @abstractmethod
    def prepare(self) -> None:
        """Brings state beside the position up to date with it; called once the partition is owned."""

    @abstractmethod
    def step(self) -> None:
        """Reads what comes next and moves the position, or finds nothing and returns."""

    @abstractmethod
    def retry(self, letters: Sequence[dead_letters.StoredDeadLetter]) -> None:
        """Takes dead letters again."""

    def close(self) -> None:
        """Gives back what `prepare` took."""

    def _own(self) -> None:
        try:
            with self.runtime.pool.connection() as connection:
                self._position = positions.start(connection, self.key, self.runtime.name, counts=self._is_first)
                self._crashing = dead_letters.crashing(connection, self.key)
                self._inherited = dead_letters.inherited(connection, self.key)
                self._signed_from = signature.start(connection, self.key.topic, self.key.partition)
                if dead_letters.readmit(connection, self.key):
                    self.has_retries.set()
            self._bind_offset()
            self._is_first = False
            self._source = self.runtime.log.source(self.key.topic, self.key.partition, self._position.next_offset)
            self._left = []
            self._limit = limits.DeadLetterLimit()
            self.prepare()
            while not self._stopping.is_set() and self.runtime.ownership.holds(self.key.text):
                if self.has_retries.is_set():
                    self.has_retries.clear()
                    self._take_retries()
                try:
                    self.step()
                except BarrierReached:
                    self._stopping.wait(HELD_S)
        finally:
            self.close()
            if self._source is not None:
                self._source.close()
                self._source = None

    def read_next(self, max_records: int) -> list[StoredRecord]:
        """Reads the next records for the beginning of a step: waits `READ_S`, or `IDLE_READ_S` where nothing comes."""
        is_idle = monotonic() - self._last_records > IDLE_AFTER_S
        records = self.read(max_records, IDLE_READ_S if is_idle else READ_S)
        if records:
            self._last_records = monotonic()
        return records

    def read(self, max_records: int, timeout_s: float) -> list[StoredRecord]:
        """The next records, also those that were read before and not used yet."""
        if tracing.is_on():
            self._read_ns = time_ns()
        if self._left:
            taken, self._left = self._left[:max_records], self._left[max_records:]
            return taken
        assert self._source is not None  # noqa: S101 - set as long as the partition is owned
        return self._source.read(max_records, timeout_s)

    def put_back(self, records: list[StoredRecord]) -> None:
        """Puts records back: the next `read` returns these first."""
        self._left = records + self._left

    def records_before(self, barrier_offset: int, records: list[StoredRecord]) -> list[StoredRecord]:
        """Returns the records before `barrier_offset`; the others are put back."""
        allowed = [record for record in records if record.offset < barrier_offset]
        self.put_back(records[len(allowed) :])
        return allowed

    def advanced(self, step: positions.Step) -> None:
        """Takes note of a step that is stored."""
        self._position = StoredPosition(
            step.last + 1, None, step.domain_position, None, 0, self._position.accept_bad_to
        )
        self._bind_offset()
        self._backoff.reset()

    def _bind_offset(self) -> None:
        """Once a batch: the offset from which on nothing is stored yet."""
        structlog.contextvars.bind_contextvars(offset=self._position.next_offset)

    def count_outcomes(self, records: Sequence[StoredRecord], bad: Sequence[FailedRecord]) -> None:
        """Counts the outcomes. Raises `TooManyDeadLetters` when the bad ones pass the limit. Ends the batch's spans, if
        it is traced."""
        if tracing.is_on():
            correlations = (correlation_of(one.topic, one.key, one.headers) for one in records)
            tracing.record(f"project {self.key.projection}", correlations, self._read_ns, self._where)
        done = 0
        index = {record.offset: place for place, record in enumerate(records)} if bad else {}
        for one in bad:
            place = index[one.record.offset]
            self._limit.succeed(place - done)
            done = place + 1
            if one.record.offset >= self._position.accept_bad_to and one.reason not in dead_letters.NO_FAULTS:
                self._limit.fail(f"{one.reason}: {one.error}"[:300])
        self._limit.succeed(len(records) - done)

    def find_crashing(self, records: Sequence[StoredRecord]) -> None:
        """Dead-letters what crashed another generation. After three starts without a step: tries the records in a child
        process, and dead-letters the culprit."""
        for record in records:
            if record.offset in self._inherited:
                self._quarantine(record)
        if self._position.starts <= TRIES_BEFORE_PROBING:
            return
        log.warning("crash_probe_started", starts=self._position.starts)
        while (culprit := probe.find_culprit(self.runtime.probe_module, self.key, records, self._crashing)) is not None:
            log.error("crashing_record_quarantined", offset=culprit)
            record = next(record for record in records if record.offset == culprit)
            self._quarantine(record)

    def _quarantine(self, record: StoredRecord) -> None:
        with self.runtime.pool.connection() as connection:
            bad = FailedRecord(record, dead_letters.CRASHES, dead_letters.CRASH)
            dead_letters.write(connection, self.key, [bad])
        self._crashing |= {record.offset}
        self._inherited -= {record.offset}
        self.after_crash(record)

    def after_crash(self, record: StoredRecord) -> None:
        """Called when a record was dead-lettered because it crashes the process."""

    def ends_the_process(self, letter: dead_letters.StoredDeadLetter) -> bool:
        """Returns whether a dead letter still crashes the process: tried in a child process."""
        if letter.reason != dead_letters.CRASHES:
            return False
        record = letter.record(self.key.topic, self.key.partition)
        return probe.find_culprit(self.runtime.probe_module, self.key, [record], frozenset()) is not None

    def _take_retries(self) -> None:
        with self.runtime.pool.connection() as connection:
            letters = dead_letters.to_retry(connection, self.key)
        if letters:
            self.retry(letters)

    def _show_error(self, error: Exception) -> None:
        kind = type(error).__name__
        if self._log_throttle.should_log(kind):
            log.warning("worker_retrying", error=error)
        if isinstance(error, (PoolTimeout, TooManyRequests)):
            return  # Postgres is unavailable: storing the error would only lengthen the queue
        with suppress(psycopg.Error), self.runtime.pool.connection() as connection:
            positions.note_error(connection, self.key, f"{kind}: {error}")

    def _fail(self, error: Exception) -> None:
        log.error("worker_stopped", error=error)
        self._on_failure(self.key, f"{self.key.topic}[{self.key.partition}]: {error}")
        self._stopping.set()

    def _let_go(self) -> None:
        started = monotonic()
        with suppress(psycopg.Error):
            with self.runtime.pool.connection(timeout=1) as connection:
                positions.stop(connection, self.key, self.runtime.name)
            self.runtime.ownership.release(self.key.text)
        log.debug("worker_released", duration_s=monotonic() - started)
