"""The loop of the write side's subscribers: source -> verify -> process -> dead letters -> position.

`command_api.kernel.event_subscription` processes topic `domain` event by event; a policy may decide another topic in
whole batches. The transaction is theirs: it stores what they write, the dead letters and the position together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import inf
from threading import Event
from time import monotonic
from typing import ClassVar, Final

from command_api.kernel.leader_election import Connection, notified
from infra.kernel.log import Log, StoredRecord, signature
from infra.kernel.subscriptions import dead_letters, positions
from infra.kernel.subscriptions.dead_letters import FailedRecord
from infra.kernel.subscriptions.limits import Rate
from infra.kernel.subscriptions.positions import Step, StoredPosition, WorkerKey

READ_TIMEOUT_S: Final = 0.5


class Subscriber(ABC):
    """`run` is the work of a `command_api.kernel.leader_election.Leader`."""

    MAX_RECORDS: ClassVar[int]
    """The largest number of records of a batch."""
    BATCH_EVERY_S: ClassVar[float] = 0.0
    """Batches are at least this far apart."""

    def __init__(self, source: Log, key: WorkerKey) -> None:
        self.key = key
        self._log = source
        self._rate = Rate()
        self._signed_from: float = inf
        self._stop = Event()

    def run(self, connection: Connection, stop: Event) -> None:
        """Processes until `stop`. Raises `Fenced`, `TooManyDeadLetters` and errors of the engines; nothing is lost."""
        self._stop = stop
        position = self.start(connection)
        connection.execute(f"LISTEN {dead_letters.CHANNEL}")
        source = self._log.source(self.key.topic, self.key.partition, position.next_offset)
        has_retries = True
        try:
            while not stop.is_set():
                if notified(connection, 0.0, stop) or has_retries:
                    has_retries = self.retry(connection)
                records = source.read(self.MAX_RECORDS, READ_TIMEOUT_S)
                began = monotonic()
                if records:
                    position = self.process(connection, records, position)
                    stop.wait(began + self.BATCH_EVERY_S - monotonic())
        finally:
            source.close()
            positions.stop(connection, self.key, self.key.projection)

    def start(self, connection: Connection) -> StoredPosition:
        """Returns the position to continue at; creates it at the first start."""
        positions.create(connection, self.key)
        self._signed_from = signature.start(connection, self.key.topic, self.key.partition)
        dead_letters.readmit(connection, self.key)
        return positions.start(connection, self.key, self.key.projection, counts=False)

    @abstractmethod
    def process(
        self, connection: Connection, records: Sequence[StoredRecord], position: StoredPosition
    ) -> StoredPosition:
        """Processes `records`, which begin at `position` or later; returns the next position."""

    @abstractmethod
    def retry(self, connection: Connection) -> bool:
        """Processes dead letters again whose retry was requested; returns whether there are more."""

    def advance(
        self,
        connection: Connection,
        records: Sequence[StoredRecord],
        position: StoredPosition,
        reached: int,
        bad: Sequence[FailedRecord],
    ) -> StoredPosition:
        """Stores dead letters and the position behind `records`, in the caller's transaction. `reached`: the commit
        position of their last event. Raises `Fenced` when another worker moved the position."""
        dead_letters.write(connection, self.key, bad)
        step = Step.over(position.next_offset, list(records), reached, self._rate.count(len(records)))
        positions.advance(connection, self.key, step, notify=False)
        return StoredPosition(step.last + 1, None, reached, None, 0, position.accept_bad_to)
