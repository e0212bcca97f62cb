"""A client for offsets is opened in the background, kept, and replaced when it has been silent for long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from threading import Event

import pytest
from kafka.errors import KafkaTimeoutError
from kafka.structs import TopicPartition

from infra.kernel.config.settings import Settings
from infra.kernel.log import LogUnavailable, kafka_log, kafka_offsets
from infra.kernel.log.kafka_clients import Cluster
from infra.kernel.log.kafka_log import KafkaLog
from infra.kernel.log.kafka_offsets import KafkaOffsets
from schemas.topics import DOMAIN

PLACE = (DOMAIN.name, 0)


class Client:
    """Gives no answer once the network was cut."""

    def __init__(self) -> None:
        self.is_silent = False
        self.is_closed = Event()

    def end_offsets(self, places: Sequence[TopicPartition], timeout_ms: int) -> dict[TopicPartition, int]:
        if self.is_silent:
            raise KafkaTimeoutError(f"Failed to get offsets by timestamps in {timeout_ms} ms")
        return dict.fromkeys(places, 7)

    def close(self, **_options: object) -> None:
        self.is_closed.set()


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> list[Client]:
    made: list[Client] = []

    def open_client(*_: object, **__: object) -> Client:
        made.append(Client())
        return made[-1]

    def refused(*_: object, **__: object) -> None:
        raise LogUnavailable("no broker")

    monkeypatch.setattr(kafka_log, "open_client", refused)
    monkeypatch.setattr(kafka_offsets, "open_client", open_client)
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
    assert [each.is_closed.is_set() for each in clients] == [False], "a pause is no reason"
    monkeypatch.setattr(kafka_offsets, "SILENT_S", 0.0)
    assert not log.ready()
    assert log.ready()
    assert [each.is_closed.is_set() for each in clients] == [True, False]


def test_what_takes_longer_to_connect_than_a_readiness_check_waits_gets_ready(
    log: KafkaLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected, attempts = Event(), list[Client]()

    def open_client(*_: object, **__: object) -> Client:
        attempts.append(Client())
        connected.wait(10)
        return attempts[-1]

    monkeypatch.setattr(kafka_offsets, "open_client", open_client)
    assert not log.ready(0.01) and not log.ready(0.01)
    connected.set()
    assert log.ready(10)
    assert len(attempts) == 1


def test_a_failed_attempt_is_followed_by_another(log: KafkaLog, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Client | LogUnavailable] = [LogUnavailable("no broker"), Client()]

    def open_client(*_: object, **__: object) -> Client:
        answer = answers.pop(0)
        if isinstance(answer, LogUnavailable):
            raise answer
        return answer

    monkeypatch.setattr(kafka_offsets, "open_client", open_client)
    with pytest.raises(LogUnavailable, match="no broker"):
        log.end_offsets([PLACE])
    assert log.ready(10)


def test_a_client_that_is_opened_after_the_end_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connected, late = Event(), Client()

    def open_client(*_: object, **__: object) -> Client:
        connected.wait(10)
        return late

    monkeypatch.setattr(kafka_offsets, "open_client", open_client)
    offsets = KafkaOffsets(Cluster(("127.0.0.1:9",), {}))
    with pytest.raises(LogUnavailable):
        offsets.ends([PLACE], 0.01)
    offsets.close()
    connected.set()
    assert late.is_closed.wait(10)
