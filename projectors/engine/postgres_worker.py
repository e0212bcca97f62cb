"""Writes domain events to a read model: rows, dead letters and position in one transaction.

`infra.kernel.subscriptions.delivery` says which event the handler gets, and where one goes that it cannot process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, Final

import psycopg

from infra.kernel.log import StoredRecord
from infra.kernel.postgres.rows import PostgresRows, Rows
from infra.kernel.subscriptions import dead_letters, positions
from infra.kernel.subscriptions.dead_letters import StoredDeadLetter
from infra.kernel.subscriptions.delivery import DeliveryFailed, deliver, is_for
from infra.kernel.subscriptions.positions import WorkerKey
from projectors.engine import failpoints
from projectors.engine.read_model import ReadModel
from projectors.engine.worker import Runtime, Worker
from schemas import envelope
from schemas.envelope import Decrypt, UndecodableEvent

MAX_EVENTS: Final = 500
GATHER_S: Final = 0.02


class PostgresWorker(Worker):
    """Moves one read model forward."""

    def __init__(
        self, key: WorkerKey, model: ReadModel, runtime: Runtime, on_failure: Callable[[WorkerKey, str], None]
    ) -> None:
        super().__init__(key, runtime, on_failure)
        self._model = model
        self._parked: set[bytes] = set()
        self._event_names = frozenset(event_class.NAME for event_class in model.handlers)

    def prepare(self) -> None:
        """Loads the aggregates whose events are parked behind a dead letter."""
        with self.runtime.pool.connection() as connection:
            self._parked = dead_letters.parked_keys(connection, self.key)

    def step(self) -> None:
        """Writes one batch of at most `MAX_EVENTS`, gathered for `GATHER_S` at most."""
        records = self.read_next(MAX_EVENTS)
        deadline = monotonic() + GATHER_S
        while records and len(records) < MAX_EVENTS:
            more = self.read(MAX_EVENTS - len(records), 0.0)
            records += more
            if not more or monotonic() >= deadline:
                break
        if records:
            self.find_crashing(records)
            self._project(records)

    def after_crash(self, record: StoredRecord) -> None:
        """Parks the aggregate of a record that ended the process."""
        self._parked.add(record.key)

    def retry(self, letters: Sequence[StoredDeadLetter]) -> None:
        """Retries by aggregate, since parked events must follow their dead letter in order."""
        for aggregate in dict.fromkeys(letter.key for letter in letters):
            self._retry_aggregate(bytes(aggregate))

    def _project(self, records: list[StoredRecord]) -> None:
        try:
            if not self._passes(records):
                self._take(records)
        except positions.BarrierReached as held:
            allowed = self.records_before(held.barrier_offset, records)
            if allowed:
                self._project(allowed)
            raise

    def _take(self, records: list[StoredRecord]) -> None:
        """Handles all records at once; if that fails, one by one to find out which."""
        if self._parked:  # the dead letter that they wait for may be skipped by now
            with self.runtime.pool.connection() as connection:
                self._parked = dead_letters.parked_keys(connection, self.key)
        parked = set(self._parked)
        try:
            self._write(records, parked, one_by_one=False)
        except (psycopg.DataError, psycopg.IntegrityError, HandlerFailed):
            parked = set(self._parked)
            self._write(records, parked, one_by_one=True)
        self._parked = parked

    def _passes(self, records: list[StoredRecord]) -> bool:
        """Returns whether no record concerns this read model, as is mostly so; then the position advances with one
        statement."""
        reached = self._position.domain_position
        for record in records:
            if is_for(record, self._event_names) or record.is_forged(self._signed_from):
                return False
            try:
                reached = max(reached, envelope.position_of(record.headers))
            except (UndecodableEvent, ValueError):
                return False
        first = self._position.next_offset
        step = positions.Step.over(first, records, reached, self._rate.count(len(records)))
        self.runtime.steps.advance(self.key, step, notify=self.is_live)
        self.count_outcomes(records, [])
        self.advanced(step)
        return True

    def _write(self, records: list[StoredRecord], parked: set[bytes], *, one_by_one: bool) -> None:
        first = self._position.next_offset
        with self.runtime.pool.connection() as connection, connection.transaction():
            rows = PostgresRows(connection, self._model.table(self.key.generation), self._model.key)

            def handle(record: StoredRecord) -> None:
                if one_by_one:
                    self._handle_alone(connection, rows, record)
                else:
                    apply(self._model, rows, record, self.runtime.decrypt)

            usable = (record for record in records if record.offset not in self._crashing)
            reached = self._position.domain_position
            delivered = deliver(usable, reached, parked, self._event_names, handle, signed_from=self._signed_from)
            rows.flush()
            dead_letters.write(connection, self.key, delivered.bad)
            failpoints.reach("before_advance", self.key.text)
            step = positions.Step.over(first, records, delivered.reached, self._rate.count(len(records)))
            positions.advance(connection, self.key, step, notify=self.is_live)
            self.count_outcomes(records, delivered.bad)
        failpoints.reach("after_advance", self.key.text)
        self.advanced(step)

    def _handle_alone(self, connection: psycopg.Connection[Any], rows: PostgresRows, record: StoredRecord) -> None:
        """Handles one record in a savepoint. Raises `DeliveryFailed` for what the handler or Postgres does not take."""
        try:
            with connection.transaction():
                apply(self._model, rows, record, self.runtime.decrypt)
                rows.flush()
        except (psycopg.DataError, psycopg.IntegrityError, HandlerFailed) as error:
            rows.forget()
            raise DeliveryFailed(f"{type(error).__name__}: {error}") from error

    def _retry_aggregate(self, aggregate: bytes) -> None:
        """Retries all events that wait for one aggregate, in order, up to the first that still fails."""
        with self.runtime.pool.connection() as connection:

            def take(letter: StoredDeadLetter) -> None:
                if self.ends_the_process(letter):
                    raise HandlerFailed(dead_letters.CRASH)
                rows = PostgresRows(connection, self._model.table(self.key.generation), self._model.key)
                apply(self._model, rows, letter.record(self.key.topic, self.key.partition), self.runtime.decrypt)
                rows.flush()

            if not dead_letters.retry(connection, self.key, aggregate, take):
                return
        self._parked.discard(aggregate)
        with self.runtime.pool.connection() as connection:
            self._crashing = dead_letters.crashing(connection, self.key)


class HandlerFailed(Exception):
    """A handler raised something of its own."""


def apply(model: ReadModel, rows: Rows, record: StoredRecord, decrypt: Decrypt) -> None:
    """Hands one event to the read model's handler. Raises `UndecodableEvent`, `psycopg.Error` or `HandlerFailed`."""
    decoded = envelope.decode(record.value, record.headers, decrypt)
    handler = model.handlers.get(type(decoded.event))
    if handler is None:
        return
    rows.position, rows.offset = decoded.position, record.offset
    try:
        handler(rows, decoded.event)
    except psycopg.Error:
        raise
    except Exception as error:
        raise HandlerFailed(f"{type(error).__name__}: {error}") from error
