"""One partition of Kafka, read from an offset that the caller owns: `assign` and `seek`, no consumer group."""

from __future__ import annotations

from time import monotonic
from typing import Final

from kafka import KafkaConsumer
from kafka.errors import KafkaError, LogTruncationError, OffsetOutOfRangeError
from kafka.structs import TopicPartition

from infra.kernel.log.kafka_clients import Cluster, open_client
from infra.kernel.log.kafka_fetches import decode_in_batches, note_answers, wait_without_errors
from infra.kernel.log.port import LogUnavailable, OffsetOutOfRange, StoredRecord
from infra.kernel.log.signature import Signer

_CONTACT_S: Final = 2.5
_FETCH_WAIT_MS: Final = 2_000
"""The time for which the broker keeps a fetch that finds nothing. A fetch goes on over several polls: an idle partition
costs one request in this time."""
_ANSWER_TIMEOUT_MS: Final = 3000
"""A broker answers the requests of a connection in order, so this one waits for a long-polling fetch; on a busy
machine, as at every start, the rest of a second was too short, and all readers reconnected."""
_CLOSE_TIMEOUT_MS: Final = 1000
_CONNECT_TIMEOUT_S: Final = 2.0


class KafkaSource:
    """`infra.kernel.log.Source` on Kafka. Connects at the first `read` and again after every error."""

    def __init__(self, cluster: Cluster, topic: str, partition: int, offset: int, signer: Signer | None = None) -> None:
        self._signer = signer
        self._cluster = cluster
        self._place = TopicPartition(topic, partition)
        self._next = offset
        self._consumer: KafkaConsumer | None = None
        self._last_contact = 0.0

    def read(self, max_records: int, timeout_s: float) -> list[StoredRecord]:
        """Polls once. After `LogUnavailable` the next call reconnects at the same offset."""
        try:
            if self._consumer is None:
                self._consumer = self._connect(timeout_s)
            polled = self._consumer.poll(timeout_ms=int(timeout_s * 1000), max_records=max_records)
            records: list[StoredRecord] = polled.get(self._place, [])
            if not records:
                self._check_contact(self._consumer)
                return []
        except (OffsetOutOfRangeError, LogTruncationError) as error:
            raise OffsetOutOfRange(f"{self._shown()} is not in the log: {error}") from error
        except (KafkaError, OSError) as error:
            self.close()
            raise LogUnavailable(f"Kafka does not give {self._shown()}: {error}") from error
        self._note_contact()
        self._next = records[-1].offset + 1
        return records

    def seek(self, offset: int) -> None:
        """Sets the next offset, also before the first connection."""
        self._next = offset
        if self._consumer is not None:
            self._consumer.seek(self._place, offset)

    def close(self) -> None:
        """Disconnects the consumer. It has no group, so nothing is committed."""
        consumer, self._consumer = self._consumer, None
        if consumer is not None:
            consumer.close(autocommit=False, timeout_ms=_CLOSE_TIMEOUT_MS)

    def _connect(self, timeout_s: float) -> KafkaConsumer:
        consumer = open_client(
            KafkaConsumer,
            self._cluster,
            max(timeout_s, _CONNECT_TIMEOUT_S),
            enable_auto_commit=False,
            auto_offset_reset="none",
            check_crcs=True,
            fetch_min_bytes=1,
            fetch_max_wait_ms=_FETCH_WAIT_MS,
            fetch_max_bytes=52_428_800,
            max_partition_fetch_bytes=4_194_304,
            metadata_max_age_ms=60_000,
            request_timeout_ms=10_000,
            metrics_enabled=False,
        )
        decode_in_batches(consumer, self._signer)
        note_answers(consumer, self._note_contact)
        wait_without_errors(consumer)
        consumer.assign([self._place])
        consumer.seek(self._place, self._next)
        return consumer

    def _check_contact(self, consumer: KafkaConsumer) -> None:
        """An empty `poll` looks the same at the end of the log and without a broker: request the end offset if no
        fetch was answered for longer than the broker keeps one."""
        if monotonic() - self._last_contact < _CONTACT_S:
            return
        end = consumer.end_offsets([self._place], timeout_ms=_ANSWER_TIMEOUT_MS)[self._place]
        if end < self._next:
            raise OffsetOutOfRange(f"{self._shown()} is beyond the end of the log, {end}")
        self._note_contact()

    def _note_contact(self) -> None:
        self._last_contact = monotonic()

    def _shown(self) -> str:
        return f"{self._place.topic}[{self._place.partition}]@{self._next}"
