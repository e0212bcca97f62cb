"""One worker: a thread that moves one (projection, generation, topic, partition) forward until it is told to stop.

This module holds what all workers share: owning the partition, starting over after errors, and stopping loudly when
going on would do harm. What a step does is in `engine.clickhouse_worker` and `engine.postgres_worker`.
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout, TooManyRequests

from infra.log import Log, LogUnavailable, OffsetOutOfRange, Source, StoredRecord, signature
from projectors.engine import dead_letters, positions, probe
from projectors.engine.clickhouse import ClickHouse, Unavailable
from projectors.engine.dedup import MarkerMoved
from projectors.engine.limits import LONGEST_AWAY_S, Backoff, DeadLetterLimit, Rate, Told, TooManyDeadLetters
from projectors.engine.ownership import Ownership
from projectors.engine.positions import Fenced, Held, Key, Position
from projectors.engine.projection import Bad
from schemas.envelope import Decrypt

log = logging.getLogger(__name__)

TRANSIENT = (psycopg.OperationalError, psycopg.InterfaceError, LogUnavailable, Unavailable)
STANDBY_S = 1.0
HELD_S = 0.05
READ_S = 0.5
TRIES_BEFORE_PROBING = 3


class SinkLostRows(Exception):
    """The tables lack rows that the position says are there: they must be rebuilt from the log."""


@dataclass(frozen=True)
class Runtime:
    """What every worker of this process uses."""

    name: str
    pool: ConnectionPool[psycopg.Connection[Any]]
    log: Log
    clickhouse: ClickHouse
    ownership: Ownership
    decrypt: Decrypt
    data_dir: Path


class Worker(ABC, Thread):
    """Runs until `stop`. `on_failure` is called, once, with the reason when the generation must not go on."""

    def __init__(self, key: Key, runtime: Runtime, on_failure: Callable[[Key, str], None]) -> None:
        super().__init__(name=key.text, daemon=True)
        self.key, self.runtime = key, runtime
        self.is_live = False
        self.publishes = False
        self.has_retries = Event()
        self.is_owner = False
        self._on_failure = on_failure
        self._stopping = Event()
        self._backoff = Backoff()
        self._told = Told()
        self._rate = Rate()
        self._limit = DeadLetterLimit()
        self._is_first = True
        self._source: Source | None = None
        self._left: list[StoredRecord] = []
        self._crashing: frozenset[int] = frozenset()
        self._signed_from: float = inf
        self._position = Position(0, None, 0, None, 0, 0)

    def stop(self) -> None:
        """Asks the worker to end after its current step."""
        self._stopping.set()

    def run(self) -> None:
        while not self._stopping.is_set():
            try:
                if not self.runtime.ownership.acquire(self.key.text):
                    self._stopping.wait(STANDBY_S)
                    continue
                self._own()
            except (Fenced, MarkerMoved) as error:
                log.warning("%s: %s; starting again", self.key.text, error)
                self._stopping.wait(STANDBY_S)
            except TRANSIENT as error:
                self._show_error(error)
                self._backoff.wait(self._stopping, LONGEST_AWAY_S)
            except (TooManyDeadLetters, OffsetOutOfRange, SinkLostRows) as error:
                self._fail(error)
            except Exception as error:
                log.exception("%s: an error that nothing here expects", self.key.text)
                self._show_error(error)
                self._backoff.wait(self._stopping)
        self._let_go()

    @abstractmethod
    def prepare(self) -> None:
        """Brings what lies beside the position up to date with it; called once the partition is owned."""

    @abstractmethod
    def step(self) -> None:
        """Reads what comes next and moves the position, or finds nothing and returns."""

    @abstractmethod
    def retry(self, letters: Sequence[dead_letters.DeadLetter]) -> None:
        """Takes dead letters again."""

    def close(self) -> None:
        """Gives back what `prepare` took."""

    def _own(self) -> None:
        try:
            with self.runtime.pool.connection() as connection:
                self._position = positions.start(connection, self.key, self.runtime.name, counts=self._is_first)
                self._crashing = dead_letters.crashing(connection, self.key)
                self._signed_from = signature.start(connection, self.key.topic, self.key.partition)
            self._is_first = False
            self._source = self.runtime.log.source(self.key.topic, self.key.partition, self._position.next_offset)
            self._left = []
            self._limit = DeadLetterLimit()
            self.prepare()
            self.is_owner = True
            while not self._stopping.is_set() and self.runtime.ownership.holds(self.key.text):
                if self.has_retries.is_set():
                    self.has_retries.clear()
                    self._take_retries()
                try:
                    self.step()
                except Held:
                    self._stopping.wait(HELD_S)
        finally:
            self.is_owner = False
            self.close()
            if self._source is not None:
                self._source.close()
                self._source = None

    def read(self, max_records: int, timeout_s: float) -> list[StoredRecord]:
        """The next records, also those that were read before and not used yet."""
        if self._left:
            taken, self._left = self._left[:max_records], self._left[max_records:]
            return taken
        assert self._source is not None  # noqa: S101 - set as long as the partition is owned
        return self._source.read(max_records, timeout_s)

    def is_forged(self, record: StoredRecord) -> bool:
        """Whether nobody with the installation's key has written it: it is set aside, whatever it says."""
        return not record.is_signed and record.offset >= self._signed_from

    def put_back(self, records: list[StoredRecord]) -> None:
        """The next `read` gives these first."""
        self._left = records + self._left

    def only_before(self, stop_at: int, records: list[StoredRecord]) -> list[StoredRecord]:
        """The records before `stop_at`; the others are put back."""
        before = [record for record in records if record.offset < stop_at]
        self.put_back(records[len(before) :])
        return before

    def advanced(self, step: positions.Step) -> None:
        """Takes note of a step that is stored."""
        self._position = Position(step.last + 1, None, step.domain_position, None, 0, self._position.accept_bad_to)
        self._backoff.reset()

    def count_outcomes(self, records: Sequence[StoredRecord], bad: Sequence[Bad]) -> None:
        """Raises `TooManyDeadLetters` when the bad ones pass the limit."""
        before = 0
        index = {record.offset: place for place, record in enumerate(records)} if bad else {}
        for one in bad:
            place = index[one.record.offset]
            self._limit.good(place - before)
            before = place + 1
            if one.record.offset >= self._position.accept_bad_to and one.reason != dead_letters.PARKED:
                self._limit.bad(f"{one.reason}: {one.error}"[:300])
        self._limit.good(len(records) - before)

    def find_crashing(self, records: Sequence[StoredRecord]) -> None:
        """After three starts without a step: tries the records in a child process, and sets the culprit aside."""
        if self._position.starts <= TRIES_BEFORE_PROBING:
            return
        log.warning("%s: no step in %d starts; trying its records apart", self.key.text, self._position.starts)
        while (culprit := probe.find_culprit(self.key, records, self._crashing)) is not None:
            log.error("%s: offset %d ends the process; kept as a dead letter", self.key.text, culprit)
            record = next(record for record in records if record.offset == culprit)
            with self.runtime.pool.connection() as connection:
                bad = Bad(record, dead_letters.CRASHES, dead_letters.CRASH)
                dead_letters.write(connection, self.key, [bad])
            self._crashing |= {culprit}
            self.after_crash(record)

    def after_crash(self, record: StoredRecord) -> None:
        """A record was set aside because the process ends on it."""

    def ends_the_process(self, letter: dead_letters.DeadLetter) -> bool:
        """Whether the process would still end on a record that was set aside for it: tried in a child process."""
        if letter.reason != dead_letters.CRASHES:
            return False
        record = letter.record(self.key.topic, self.key.partition)
        return probe.find_culprit(self.key, [record], frozenset()) is not None

    def _take_retries(self) -> None:
        with self.runtime.pool.connection() as connection:
            letters = dead_letters.to_retry(connection, self.key)
        if letters:
            self.retry(letters)

    def _show_error(self, error: Exception) -> None:
        kind = type(error).__name__
        if self._told.is_news(kind):
            log.warning("%s: %s: %s; trying again", self.key.text, kind, error)
        if isinstance(error, (PoolTimeout, TooManyRequests)):
            return  # whoever could not be reached cannot keep it; asking again would only make the queue longer
        with suppress(psycopg.Error), self.runtime.pool.connection() as connection:
            positions.note_error(connection, self.key, f"{kind}: {error}")

    def _fail(self, error: Exception) -> None:
        log.error("%s stopped: %s", self.key.text, error)
        self._on_failure(self.key, f"{self.key.topic}[{self.key.partition}]: {error}")
        self._stopping.set()

    def _let_go(self) -> None:
        started = monotonic()
        with suppress(psycopg.Error):
            with self.runtime.pool.connection(timeout=1) as connection:
                positions.stop(connection, self.key, self.runtime.name)
            self.runtime.ownership.release(self.key.text)
        log.debug("%s let go in %.3f s", self.key.text, monotonic() - started)
