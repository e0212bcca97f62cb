"""Opens kafka-python's clients without leaks when a broker is unavailable, and creates the topics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from socket import socket
from time import monotonic, sleep
from typing import Any, Final, TypeVar

from kafka import KafkaAdminClient
from kafka.admin import ConfigResource
from kafka.errors import (
    InvalidPartitionsError,
    KafkaError,
    KafkaTimeoutError,
    SaslAuthenticationFailedError,
    TopicAlreadyExistsError,
    UnsupportedSaslMechanismError,
)
from kafka.net.compat import KafkaNetClient
from kafka.net.connection import KafkaConnection
from kafka.net.inet import KafkaNetSocket

from infra.kernel.config.settings import Settings
from infra.kernel.log.limits import MAX_RECORD_BYTES
from infra.kernel.log.port import LogUnavailable
from schemas import topics

C = TypeVar("C")

MAX_MESSAGE_BYTES: Final = 2 * MAX_RECORD_BYTES
"""The broker's own limit: a record of the largest size that does not compress still fits with its frame."""

CONNECTION_MS: Final = 5_000
"""A broker that has accepted a connection may take so long to say which versions it speaks and to sign us in. On a busy
machine, as at every start, it pauses for seconds; to hang up then makes it do the same work again."""

_SIGN_IN_REFUSED: Final = (SaslAuthenticationFailedError, UnsupportedSaslMechanismError)


@dataclass(frozen=True, slots=True)
class Cluster:
    """The broker addresses and credentials; `security` as kafka-python's options."""

    servers: tuple[str, ...]
    security: Mapping[str, Any]

    def __str__(self) -> str:
        return f"Kafka at {','.join(self.servers)}"


def cluster_of(settings: Settings) -> Cluster:
    """The cluster that the settings name. Raises `ValueError` when they name none."""
    if settings.kafka_bootstrap_servers is None:
        raise ValueError("KAFKA_BOOTSTRAP_SERVERS is not set")
    options = {
        "security_protocol": settings.kafka_security_protocol,
        "sasl_mechanism": settings.kafka_sasl_mechanism if settings.kafka_sasl_username else None,
        "sasl_plain_username": settings.kafka_sasl_username,
        "sasl_plain_password": settings.kafka_sasl_password,
        "ssl_cafile": settings.kafka_ssl_cafile and str(settings.kafka_ssl_cafile),
        "ssl_certfile": settings.kafka_ssl_certfile and str(settings.kafka_ssl_certfile),
        "ssl_keyfile": settings.kafka_ssl_keyfile and str(settings.kafka_ssl_keyfile),
    }
    security = {name: value for name, value in options.items() if value is not None}
    return Cluster(tuple(settings.kafka_bootstrap_servers.split(",")), security)


def open_client(kind: Callable[..., C], cluster: Cluster, timeout_s: float, **config: Any) -> C:
    """A connected kafka-python client. Raises `LogUnavailable` when no broker accepts the connection within
    `timeout_s`, or the one that has accepted it does not answer within `CONNECTION_MS`.

    A constructor that times out leaves its network thread running; here it is closed. It also hides why the broker
    refused the connection; here the reason is looked up.
    """
    opened: list[KafkaNetClient] = []
    tried: list[KafkaConnection] = []

    def remembered(**settings: Any) -> KafkaNetClient:
        client = KafkaNetClient(**settings)
        connect = client._manager.get_connection

        def get_connection(*args: Any, timeout_ms: float | None = None, **named: Any) -> KafkaConnection:
            # While it opens, the client gives a connection the rest of its own time, in the end milliseconds.
            enough = None if timeout_ms is None else max(timeout_ms, CONNECTION_MS)
            tried.append(connect(*args, timeout_ms=enough, **named))
            return tried[-1]

        client._manager.get_connection = get_connection
        opened.append(client)
        return client

    try:
        return kind(
            bootstrap_servers=list(cluster.servers),
            bootstrap_timeout_ms=max(1, int(timeout_s * 1000)),
            reconnect_backoff_max_ms=1000,
            kafka_client=remembered,
            **cluster.security,
            **config,
        )
    except (KafkaError, OSError) as error:
        for client in opened:
            client.close()
        reasons = (conn.init_future.exception for conn in tried if conn.init_future.is_done)
        raise LogUnavailable(_explained(cluster, error, [reason for reason in reasons if reason])) from error


def _explained(cluster: Cluster, error: Exception, reasons: list[Exception]) -> str:
    """One sentence; where settings are to blame, it names them."""
    user, mechanism = (cluster.security.get(name) for name in ("sasl_plain_username", "sasl_mechanism"))
    for reason in reasons:
        # A broker says no and hangs up at once: now and then only the second is heard.
        if isinstance(reason, _SIGN_IN_REFUSED) or (user and "disconnected" in str(reason)):
            return (
                f"{cluster} does not let the user {user!r} in by {mechanism}: check KAFKA_SASL_USERNAME, "
                "KAFKA_SASL_PASSWORD and KAFKA_SASL_MECHANISM"
            )
        if "Handshake failed" in str(reason) and "SSL" in cluster.security.get("security_protocol", ""):
            return f"{cluster} and we cannot agree on TLS (KAFKA_SECURITY_PROTOCOL, KAFKA_SSL_CAFILE): {reason}"
    return f"{cluster} does not answer: {error}"


def create_topics(cluster: Cluster, stored: Mapping[str, int]) -> Mapping[str, int]:
    """Creates missing topics and partitions; returns the number of partitions of each topic (`Log.create_topics`)."""
    admin = open_client(KafkaAdminClient, cluster, 10, request_timeout_ms=15_000)
    try:
        there = set(admin.list_topics())
        missing = {
            topic.name: _options(topic, stored.get(topic.name, topic.partitions))
            for topic in topics.ALL
            if topic.name not in there
        }
        if missing:
            with suppress(TopicAlreadyExistsError):  # two processes start at once: the other one was first
                admin.create_topics(missing, timeout_ms=15_000)
        admin.wait_for_topics([topic.name for topic in topics.ALL], timeout_ms=15_000)
        lacking = {name: stored[name] for name, count in _counts(admin).items() if count < stored.get(name, 0)}
        if lacking:
            with suppress(InvalidPartitionsError):  # as above
                admin.create_partitions(lacking, timeout_ms=15_000)
        counts = _wait_for_partitions(admin, lacking)
        _check_counts(counts, stored)
        _check_options(admin)
    except (KafkaError, OSError) as error:
        raise LogUnavailable(f"{cluster} did not create the topics: {error}") from error
    finally:
        admin.close()
    return counts


def _options(topic: topics.Topic, partitions: int) -> dict[str, Any]:
    return {
        "num_partitions": partitions,
        "replication_factor": -1,
        "configs": {
            "cleanup.policy": "delete",
            "retention.ms": str(topic.retention_ms),
            "retention.bytes": "-1",
            "max.message.bytes": str(MAX_MESSAGE_BYTES),
        },
    }


def _counts(admin: KafkaAdminClient) -> dict[str, int]:
    described = admin.describe_topics([topic.name for topic in topics.ALL])
    return {topic["name"]: len(topic["partitions"]) for topic in described}


def _wait_for_partitions(admin: KafkaAdminClient, wanted: Mapping[str, int]) -> dict[str, int]:
    """A broker shows a new partition a moment after it was created."""
    deadline = monotonic() + 15
    while True:
        counts = _counts(admin)
        if all(counts[name] >= number for name, number in wanted.items()):
            return counts
        if monotonic() > deadline:
            raise KafkaTimeoutError("the new partitions do not appear")
        sleep(0.05)


def _check_counts(found: Mapping[str, int], stored: Mapping[str, int]) -> None:
    """Raises `RuntimeError` if a topic has another number of partitions. A topic without a stored number, if it can
    grow, may have any."""
    for topic in topics.ALL:
        wanted = stored.get(topic.name, found[topic.name] if topic is topics.CLICKS else topic.partitions)
        if found[topic.name] != wanted:
            raise RuntimeError(
                f"Topic {topic.name} has {found[topic.name]} partitions, not {wanted}: keys would change their place."
            )


def _check_options(admin: KafkaAdminClient) -> None:
    resources = [ConfigResource("TOPIC", topic.name) for topic in topics.ALL]
    described_configs = admin.describe_configs(resources, config_filter="all")
    for name, config in described_configs["topic"].items():
        policy, limit = config["cleanup.policy"]["value"], int(config["max.message.bytes"]["value"])
        if policy != "delete":
            raise RuntimeError(f"Topic {name} has cleanup.policy={policy}; it must be delete, or offsets lose records.")
        if limit < MAX_MESSAGE_BYTES:
            raise RuntimeError(f"Topic {name} has max.message.bytes={limit}; it must be {MAX_MESSAGE_BYTES} or more.")


_connect: Callable[..., Awaitable[socket]] = KafkaNetSocket.sock_connect


async def _connect_or_close(self: KafkaNetSocket, net: Any, sock: socket, *args: Any, **named: Any) -> socket:
    """Connects as the client's own function, which leaves a socket that does not connect to the garbage collector:
    while no broker answers, each process would open a few more every second."""
    try:
        return await _connect(self, net, sock, *args, **named)
    except BaseException:
        sock.close()
        raise


KafkaNetSocket.sock_connect = _connect_or_close
