"""Asks Kafka where partitions end, over one client that is kept: for lags, and for whether the log is ready.

To open a client takes several round trips, with sign-in and encryption: more than a readiness check waits on a busy
machine, or far from the brokers. So opening continues when its caller stops waiting, and a later caller finds the
client.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from time import monotonic
from typing import Final

from kafka import KafkaConsumer
from kafka.errors import KafkaError
from kafka.structs import TopicPartition as KafkaPartition

from infra.kernel.log.kafka_clients import Cluster, open_client
from infra.kernel.log.port import ANSWER_S, LogUnavailable, TopicPartition, describe_partitions

OPEN_S: Final = ANSWER_S - 0.2
"""Callers that wait the usual time learn why it fails."""
SILENT_S: Final = 5.0
"""The client is replaced when it has given no answer for so long: after a cut of the network it may wait for a broker
that leads no more, while others answer."""


class KafkaOffsets:
    """Thread-safe; one request at a time."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._turn = Lock()
        self._opening: Future[KafkaConsumer] | None = None
        self._client: KafkaConsumer | None = None
        self._answered_at = monotonic()

    def ends(self, places: Sequence[TopicPartition], timeout_s: float) -> dict[TopicPartition, int]:
        """The offset behind the last record of each, in one request. Raises `LogUnavailable` after `timeout_s`."""
        deadline = monotonic() + timeout_s
        if not self._turn.acquire(timeout=timeout_s):
            raise LogUnavailable("Kafka does not answer")
        try:
            client = self._opened(deadline)
            left_ms = max(1, int((deadline - monotonic()) * 1000))
            offsets = client.end_offsets([KafkaPartition(*place) for place in places], timeout_ms=left_ms)
            answer = {place: offsets[KafkaPartition(*place)] for place in places}
            self._answered_at = monotonic()
            return answer
        except (KafkaError, OSError, KeyError) as error:  # KeyError: kafka-python left a partition out
            if self._client is not None and monotonic() - self._answered_at > SILENT_S:
                self._client.close(autocommit=False, timeout_ms=0)
                self._client = None
            raise LogUnavailable(f"Kafka does not return the end of {describe_partitions(places)}: {error}") from error
        finally:
            self._turn.release()

    def close(self) -> None:
        """Closes the client, also one that is still being opened."""
        with self._turn:
            opening, self._opening = self._opening, None
            if opening is not None:
                opening.add_done_callback(_close_opened)
            if self._client is not None:
                self._client.close()
                self._client = None

    def _opened(self, deadline: float) -> KafkaConsumer:
        if self._client is not None:
            return self._client
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            self._opening = self._open()
        wait([self._opening], max(0.0, deadline - monotonic()))
        if not self._opening.done():
            raise LogUnavailable("no connection to Kafka yet")
        self._client = self._opening.result()
        self._opening, self._answered_at = None, monotonic()
        return self._client

    def _open(self) -> Future[KafkaConsumer]:
        opener = ThreadPoolExecutor(1, "kafka-offsets")
        opening = opener.submit(
            open_client, KafkaConsumer, self._cluster, OPEN_S, enable_auto_commit=False, metrics_enabled=False
        )
        opener.shutdown(wait=False)
        return opening


def _close_opened(opening: Future[KafkaConsumer]) -> None:
    if opening.exception() is None:
        opening.result().close(autocommit=False, timeout_ms=0)
