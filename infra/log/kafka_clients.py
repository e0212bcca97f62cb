"""Opening kafka-python's clients so that a broker that is away leaves nothing behind, and creating the topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

from kafka import KafkaAdminClient
from kafka.admin import ConfigResource
from kafka.errors import KafkaError, TopicAlreadyExistsError
from kafka.net.compat import KafkaNetClient

from infra.log import LogUnavailable
from infra.log.limits import MAX_RECORD_BYTES
from schemas import topics

C = TypeVar("C")

MAX_MESSAGE_BYTES: Final = 2 * MAX_RECORD_BYTES
"""The broker's own limit: a record of the largest size that does not compress still fits with its frame."""


def open_client(kind: Callable[..., C], servers: Sequence[str], timeout_s: float, **config: Any) -> C:
    """One of kafka-python's clients, connected. Raises `LogUnavailable` when no broker answers within `timeout_s`.

    A constructor that gives up leaves its network thread running; here it is closed.
    """
    opened: list[KafkaNetClient] = []

    def remembered(**settings: Any) -> KafkaNetClient:
        opened.append(KafkaNetClient(**settings))
        return opened[-1]

    try:
        return kind(
            bootstrap_servers=servers,
            bootstrap_timeout_ms=max(1, int(timeout_s * 1000)),
            reconnect_backoff_max_ms=1000,
            kafka_client=remembered,
            **config,
        )
    except (KafkaError, OSError) as error:
        for client in opened:
            client.close()
        raise LogUnavailable(f"Kafka at {','.join(servers)} does not answer: {error}") from error


def create_topics(servers: Sequence[str]) -> None:
    """Creates the topics of the table that are missing. Raises `RuntimeError` when one that is there does not fit."""
    admin = open_client(KafkaAdminClient, servers, 10, request_timeout_ms=15_000)
    try:
        there = set(admin.list_topics())
        missing = {topic.name: _options(topic) for topic in topics.ALL if topic.name not in there}
        if missing:
            with suppress(TopicAlreadyExistsError):  # two processes start at once: the other one was first
                admin.create_topics(missing, timeout_ms=15_000)
        admin.wait_for_topics([topic.name for topic in topics.ALL], timeout_ms=15_000)
        _check(admin)
    except (KafkaError, OSError) as error:
        raise LogUnavailable(f"Kafka at {','.join(servers)} did not create the topics: {error}") from error
    finally:
        admin.close()


def _options(topic: topics.Topic) -> dict[str, Any]:
    return {
        "num_partitions": topic.partitions,
        "replication_factor": -1,
        "configs": {
            "cleanup.policy": "delete",
            "retention.ms": str(topic.retention_ms),
            "retention.bytes": "-1",
            "max.message.bytes": str(MAX_MESSAGE_BYTES),
        },
    }


def _check(admin: KafkaAdminClient) -> None:
    for described in admin.describe_topics([topic.name for topic in topics.ALL]):
        topic, found = topics.BY_NAME[described["name"]], len(described["partitions"])
        if found != topic.partitions:
            raise RuntimeError(
                f"Topic {topic.name} has {found} partitions, not {topic.partitions}: keys would change their place."
            )
    resources = [ConfigResource("TOPIC", topic.name) for topic in topics.ALL]
    described_configs = admin.describe_configs(resources, config_filter="all")
    for name, config in described_configs["topic"].items():
        policy, limit = config["cleanup.policy"]["value"], int(config["max.message.bytes"]["value"])
        if policy != "delete":
            raise RuntimeError(f"Topic {name} has cleanup.policy={policy}; it must be delete, or offsets lose records.")
        if limit < MAX_MESSAGE_BYTES:
            raise RuntimeError(f"Topic {name} has max.message.bytes={limit}; it must be {MAX_MESSAGE_BYTES} or more.")
