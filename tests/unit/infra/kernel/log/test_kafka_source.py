"""A reader at the end of a partition tells a broker that is busy from one that is away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import pytest
from kafka import KafkaConsumer
from kafka.errors import KafkaTimeoutError
from kafka.structs import TopicPartition

from infra.kernel.log import LogUnavailable
from infra.kernel.log.kafka_clients import Cluster
from infra.kernel.log.kafka_source import KafkaSource
from schemas.topics import DOMAIN


@dataclass
class Broker:
    """A broker for a consumer: it has no more records, and reports the partition's end after `takes_ms`."""

    takes_ms: int
    closed: bool = False

    def poll(self, **_limits: int) -> dict[TopicPartition, list[Any]]:
        return {}

    def end_offsets(self, places: Sequence[TopicPartition], timeout_ms: int) -> dict[TopicPartition, int]:
        if timeout_ms < self.takes_ms:
            raise KafkaTimeoutError(f"Failed to get offsets by timestamps in {timeout_ms} ms")
        return dict.fromkeys(places, 7)

    def close(self, **_options: object) -> None:
        self.closed = True


def reading(broker: Broker) -> KafkaSource:
    source = KafkaSource(Cluster(("127.0.0.1:9",), {}), DOMAIN.name, 0, 7)
    source._consumer = cast(KafkaConsumer, broker)
    return source


def test_a_busy_broker_is_not_taken_for_one_that_is_away() -> None:
    broker = Broker(takes_ms=2_500)
    assert reading(broker).read(10, 0.5) == []
    assert not broker.closed


def test_a_broker_that_does_not_answer_is_away() -> None:
    broker = Broker(takes_ms=60_000)
    with pytest.raises(LogUnavailable, match="Kafka does not give domain"):
        reading(broker).read(10, 0.5)
    assert broker.closed
