"""A client for offsets is kept, and replaced when it has been silent for long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pytest
from kafka import KafkaConsumer
from kafka.errors import KafkaTimeoutError
from kafka.structs import TopicPartition

from infra.kernel.config.settings import Settings
from infra.kernel.log import LogUnavailable, kafka_log
from infra.kernel.log.kafka_log import KafkaLog
from schemas.topics import DOMAIN

PLACE = (DOMAIN.name, 0)


class Client:
    """Gives no answer once the network was cut."""

    def __init__(self) -> None:
        self.is_silent = self.closed = False

    def end_offsets(self, places: Sequence[TopicPartition], timeout_ms: int) -> dict[TopicPartition, int]:
        if self.is_silent:
            raise KafkaTimeoutError(f"Failed to get offsets by timestamps in {timeout_ms} ms")
        return dict.fromkeys(places, 7)

    def close(self, **_options: object) -> None:
        self.closed = True


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> list[Client]:
    made: list[Client] = []

    def open_client(kind: Any, *_: object, **__: object) -> Client:
        if kind is not KafkaConsumer:
            raise LogUnavailable("no broker")
        made.append(Client())
        return made[-1]

    monkeypatch.setattr(kafka_log, "open_client", open_client)
    return made


@pytest.fixture
def log() -> Iterator[KafkaLog]:
    settings = Settings(kafka_bootstrap_servers="127.0.0.1:9")
    with closing(KafkaLog(settings)) as made:
        yield made


def test_a_client_that_is_silent_for_long_is_replaced(
    clients: list[Client], log: KafkaLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert log.end_offsets([PLACE]) == {PLACE: 7}
    clients[0].is_silent = True
    for _ in range(2):
        with pytest.raises(LogUnavailable):
            log.end_offsets([PLACE])
    assert [each.closed for each in clients] == [False], "a pause is no reason"
    monkeypatch.setattr(kafka_log, "_SILENT_S", 0.0)
    assert not log.ready()
    assert log.ready()
    assert [each.closed for each in clients] == [True, False]
