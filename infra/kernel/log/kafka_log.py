"""The log of record on Apache Kafka, by kafka-python.

One background thread per `KafkaLog` connects, reconnects and holds every call to its deadline; kafka-python's own
sender thread reports what the broker acknowledged. `publish` never touches the network on the caller's thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from threading import Event, RLock, Thread
from time import monotonic, sleep
from typing import Final

import structlog
from kafka import KafkaProducer
from kafka.errors import KafkaError

from infra.kernel.config.settings import Settings
from infra.kernel.log.calls import Calls, PublishCall
from infra.kernel.log.kafka_append import Appender
from infra.kernel.log.kafka_clients import MAX_MESSAGE_BYTES, cluster_of, create_topics, open_client
from infra.kernel.log.kafka_offsets import KafkaOffsets
from infra.kernel.log.kafka_source import KafkaSource
from infra.kernel.log.limits import partition_for
from infra.kernel.log.port import (
    ANSWER_S,
    NO_COUNTS,
    Log,
    LogUnavailable,
    Position,
    Record,
    TopicPartition,
)
from infra.kernel.log.signature import Signer
from infra.kernel.observability import logging
from schemas import topics

logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

BATCH_BYTES: Final = 256 * 1024
_TICK_S: Final = 0.05
_IDLE_TICK_S: Final = 0.2
"""Between looks while nothing waits for an acknowledgement: a call's deadline is seconds away."""
_CONNECT_TIMEOUT_S: Final = 2.0


class KafkaLog(Log):
    """`infra.kernel.log.Log` on Kafka. Without a `signer` it neither signs nor checks.

    `delivery_timeout_s`: after this long an unacknowledged call fails.

    `max_buffered_bytes` bounds what waits for the broker; above it `publish` fails at once with `LogUnavailable`.
    """

    def __init__(
        self,
        settings: Settings,
        signer: Signer | None = None,
        *,
        linger_ms: int = 0,
        delivery_timeout_s: float = 10.0,
        max_buffered_bytes: int = 64 * 1024 * 1024,
    ) -> None:
        self._cluster = cluster_of(settings)
        self._signer = signer
        self._linger_ms = linger_ms
        self._delivery_timeout_s = delivery_timeout_s
        self._begun = Calls("Kafka", delivery_timeout_s, max_buffered_bytes)
        self._gate = RLock()  # order of calls = order in the log; re-entered when a future's callback publishes
        self._producer: KafkaProducer | None = None
        self._appender: Appender | None = None
        self._retired: list[KafkaProducer] = []
        self._parked: deque[PublishCall] = deque()
        self._calls: deque[PublishCall] = deque()
        self._clicks = 1
        self._broken = self._is_away = False
        self._closing = Event()
        self._offsets = KafkaOffsets(self._cluster)
        self._keeper = Thread(target=self._keep, name="kafka-log", daemon=True)
        self._keeper.start()

    def publish(self, records: Sequence[Record]) -> Future[list[Position]]:
        """Hands the records to the producer, or keeps them until one is connected. Never waits for the network."""
        call = self._begun.begin(records)
        if call.future.done():
            return call.future
        with self._gate:
            if self._closing.is_set():
                self._begun.forget(call)
                call.fail("this log is closed")
            elif self._appender is None or self._parked:
                self._parked.append(call)
            else:
                self._send(call, self._appender)
            self._calls.append(call)
        return call.future

    def source(self, topic: str, partition: int, offset: int = 0) -> KafkaSource:
        """A reader with a consumer of its own, which connects at the first `read`."""
        return KafkaSource(self._cluster, topic, partition, offset, self._signer)

    def end_offsets(self, places: Iterable[TopicPartition], timeout_s: float = ANSWER_S) -> dict[TopicPartition, int]:
        """Sends one request for all partitions; raises `LogUnavailable` after `timeout_s`."""
        places = list(places)
        if not places:
            return {}
        return self._offsets.ends(places, timeout_s)

    def partitions(self, topic: str) -> int:
        """Returns the number of partitions: of `clicks`, as the broker's newest answer says; those of other topics are
        fixed."""
        if topic != topics.CLICKS.name:
            return topics.BY_NAME[topic].partitions
        with self._gate:
            if self._producer is not None:
                self._clicks = _known_partitions(self._producer) or self._clicks
            return self._clicks

    def create_topics(self, stored: Mapping[str, int] = NO_COUNTS) -> Mapping[str, int]:
        """Creates missing topics and partitions. Raises `RuntimeError` when an existing topic has other options."""
        return create_topics(self._cluster, stored)

    def close(self) -> None:
        """Waits for what was handed over, at most the delivery timeout, then fails the rest."""
        self._closing.set()
        self._keeper.join()
        self._offsets.close()

    def _send(self, call: PublishCall, appender: Appender) -> None:
        def done(positions: list[Position]) -> None:
            self._begun.forget(call)
            call.succeed(positions)

        def failed(error: Exception) -> None:
            # After some failures kafka-python's sender never sends again (seen after a frozen broker): after any of
            # them a new producer takes over. Failures caused by ending the old one do not count.
            self._broken = self._broken or self._appender is appender
            self._begun.forget(call)
            call.fail(f"Kafka did not acknowledge: {error}")

        call.handed_over = monotonic()
        counts = {topic: self.partitions(topic) for topic in {record.topic for record in call.records}}
        partitions = [partition_for(record, counts[record.topic]) for record in call.records]
        appender.append(call.records, partitions, done, failed)

    def _keep(self) -> None:
        logging.begin_context(component="kafka_log")
        connecting: Thread | None = None
        while not (self._closing.is_set() and not self._calls):
            try:
                self._expire()
                if self._broken:
                    self._retire_producer()
                if self._producer is None and (connecting is None or not connecting.is_alive()):
                    connecting = Thread(target=self._connect, name="kafka-connect", daemon=True)
                    connecting.start()
            except Exception:
                # Without this thread no call would end and nothing would reconnect.
                logger.exception("unexpected_error")
            sleep(_TICK_S if self._calls or self._producer is None else _IDLE_TICK_S)
        if connecting is not None:
            connecting.join()
        self._retire_producer()
        self._end_retired()

    def _expire(self) -> None:
        """Forgets finished calls and fails those that are late. One late call means that the producer hangs."""
        now = monotonic()
        while self._calls and (self._calls[0].future.done() or self._calls[0].deadline < now):
            call = self._calls.popleft()
            if call.future.done():
                continue
            with self._gate:
                was_parked = call in self._parked
                if was_parked:
                    self._parked.remove(call)
            if was_parked:
                self._begun.forget(call)
            elif now - call.handed_over > self._delivery_timeout_s / 2:  # it did not wait for a connection before
                self._broken = True
            call.fail(f"Kafka did not answer within {self._delivery_timeout_s:g} s")

    def _connect(self) -> None:
        self._end_retired()
        # kafka-python times out half a second earlier than `_expire`, which only acts when its sender hangs.
        delivery_ms = max(500, int(self._delivery_timeout_s * 1000) - 500)
        try:
            producer = open_client(
                KafkaProducer,
                self._cluster,
                _CONNECT_TIMEOUT_S,
                acks="all",
                enable_idempotence=True,
                compression_type="lz4",
                linger_ms=self._linger_ms,
                batch_size=BATCH_BYTES,
                max_request_size=2 * MAX_MESSAGE_BYTES,
                request_timeout_ms=max(1, delivery_ms // 2 - self._linger_ms),
                delivery_timeout_ms=delivery_ms,
                metadata_max_age_ms=60_000,
                metrics_enabled=False,
            )
        except LogUnavailable as error:
            if not self._is_away:
                logger.warning("kafka_unavailable", error=error)
            self._is_away = True
            self._closing.wait(0.2)
            return
        if self._is_away:
            logger.warning("kafka_reconnected")
        self._is_away = False
        appender = Appender(producer, self._signer)
        if not self._learns_partitions(producer):
            producer.close(timeout=0)
            return
        with self._gate:
            self._producer, self._appender = producer, appender
            while self._parked:
                self._send(self._parked.popleft(), appender)

    def _learns_partitions(self, producer: KafkaProducer) -> bool:
        """Returns whether the broker says, within a moment, how many partitions `clicks` has: without that number no
        record with a key can be placed."""
        producer._sender.add_topic(topics.CLICKS.name)
        deadline = monotonic() + _CONNECT_TIMEOUT_S
        while not _known_partitions(producer):
            if monotonic() > deadline:
                return False
            sleep(_TICK_S / 5)
        return True

    def _retire_producer(self) -> None:
        """Closes the producer; from now on calls wait for the next one."""
        with self._gate:
            if self._producer is not None:
                self._producer._sender.force_close()  # `close` alone would wait for what the broker never answers
                self._retired.append(self._producer)
            self._producer, self._appender, self._broken = None, None, False

    def _end_retired(self) -> None:
        """Waits until retired producers have ended: the calls that they held fail, and nothing old is sent later."""
        while self._retired:
            producer = self._retired.pop()
            producer._sender.join(self._delivery_timeout_s)
            with suppress(KafkaError):
                producer.close(timeout=0)


def _known_partitions(producer: KafkaProducer) -> int:
    """0: the broker has not answered yet, or the topic does not exist."""
    return len(producer._metadata.partitions_for_topic(topics.CLICKS.name) or ())
