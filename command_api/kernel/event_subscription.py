"""Event handlers of the write side: subscribers of topic `domain`, each the work of one `Leader`.

topic `domain` -> `EventSubscription` -> the handler's rows, dead letters and the position, in one transaction

`infra.kernel.subscriptions.delivery` says which event the handler gets, and where one goes that it cannot process.
Dead letters are listed, retried and skipped like those of projections.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar, Final, Protocol

import psycopg
import structlog
from prometheus_client import Counter
from structlog.contextvars import bound_contextvars

from command_api.kernel.leader_election import Connection
from command_api.kernel.subscriber import Subscriber
from infra.kernel.log import Log, StoredRecord
from infra.kernel.observability import tracing
from infra.kernel.subscriptions import dead_letters
from infra.kernel.subscriptions.dead_letters import NO_FAULTS, FailedRecord, StoredDeadLetter
from infra.kernel.subscriptions.delivery import DeliveryFailed, deliver
from infra.kernel.subscriptions.limits import DeadLetterLimit
from infra.kernel.subscriptions.positions import StoredPosition, WorkerKey
from schemas import envelope
from schemas.base import DomainEvent
from schemas.envelope import Decrypt, UndecodableEvent
from schemas.message_ids import correlation_of, message_id
from schemas.topics import DOMAIN

TRANSIENT: Final = (psycopg.OperationalError, psycopg.InterfaceError)

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_RECORDS = Counter("subscription_records_total", "Records of topic domain by outcome", ["name", "outcome"])


class EventHandler(Protocol):
    """The handler that a subscription calls."""

    @property
    def name(self) -> str:
        """The subscription's name."""

    @property
    def event_names(self) -> Collection[str]:
        """The events that `handle` processes."""

    def handle(self, connection: Connection, event: DomainEvent) -> None:
        """Processes one event in the caller's transaction. Any exception but a lost connection is a dead letter."""


class EventSubscription(Subscriber):
    """Hands each event to `handler`, in the order of the log."""

    MAX_RECORDS: ClassVar[int] = 500
    BATCH_EVERY_S: ClassVar[float] = 0.1
    """Under load one commit stores the position for many events, and a lone event does not wait."""

    def __init__(self, source: Log, decrypt: Decrypt, handler: EventHandler) -> None:
        super().__init__(source, WorkerKey(handler.name, 0, DOMAIN.name, 0))
        self._decrypt = decrypt
        self._handler = handler
        self._limit = DeadLetterLimit()

    def process(
        self, connection: Connection, records: Sequence[StoredRecord], position: StoredPosition
    ) -> StoredPosition:
        """Processes the records in one transaction."""
        with connection.transaction():
            delivered = deliver(
                records,
                position.domain_position,
                dead_letters.parked_keys(connection, self.key),
                self._handler.event_names,
                lambda record: self._handle(connection, record),
                signed_from=self._signed_from,
            )
            position = self.advance(connection, records, position, delivered.reached, delivered.bad)
        self._count(records, delivered.bad)
        return position

    def retry(self, connection: Connection) -> bool:
        """Retries dead letters, each with the events that are parked behind it."""

        def apply(letter: StoredDeadLetter) -> None:
            self._apply(connection, letter.record(self.key.topic, self.key.partition))

        for aggregate in dict.fromkeys(letter.key for letter in dead_letters.to_retry(connection, self.key)):
            dead_letters.retry(connection, self.key, bytes(aggregate), apply)
        return False

    def _handle(self, connection: Connection, record: StoredRecord) -> None:
        """Handles the record in a savepoint. Raises `DeliveryFailed` for an event that the handler cannot process."""
        try:
            with connection.transaction():
                self._apply(connection, record)
        except (*TRANSIENT, UndecodableEvent):
            raise
        except Exception as error:
            log.exception(
                "event_handler_failed",
                subscription=self.key.projection,
                offset=record.offset,
                correlation_id=correlation_of(record.topic, record.key, record.headers),
            )
            raise DeliveryFailed(f"{type(error).__name__}: {error}") from error

    def _apply(self, connection: Connection, record: StoredRecord) -> None:
        """Hands the event over; what the handler logs and the commands that it sends follow from this event."""
        enveloped = envelope.decode(record.value, record.headers, self._decrypt)
        event, ids = enveloped.event, enveloped.ids
        if event.NAME not in self._handler.event_names:
            return  # it was unknown to an older version of the program
        cause = message_id(event.originator_id, event.originator_version)
        correlation_id = ids.correlation_id or cause
        with (
            bound_contextvars(correlation_id=correlation_id, causation_id=cause),
            tracing.current(self.key.projection, correlation_id),
        ):
            self._handler.handle(connection, event)

    def _count(self, records: Sequence[StoredRecord], bad: Sequence[FailedRecord]) -> None:
        """Raises `TooManyDeadLetters` when more fail than single poison events explain."""
        _RECORDS.labels(self.key.projection, "processed").inc(len(records) - len(bad))
        self._limit.succeed(len(records) - len(bad))
        for one in bad:
            _RECORDS.labels(self.key.projection, one.reason).inc()
            if one.reason not in NO_FAULTS:
                self._limit.fail(f"{one.reason}: {one.error}"[:300])
