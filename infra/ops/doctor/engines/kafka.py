"""Kafka: it answers, the user may create topics, replication fits the number of brokers, topics are as expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from kafka import KafkaAdminClient
from kafka.admin import ConfigResource
from kafka.errors import (
    ClusterAuthorizationFailedError,
    KafkaError,
    PolicyViolationError,
    TopicAuthorizationFailedError,
)

from infra.kernel.config.settings import Settings
from infra.kernel.log import LogUnavailable, partitions
from infra.kernel.log.kafka_clients import cluster_of, open_client
from infra.ops.doctor.finding import Finding, error, ok, warning
from infra.ops.doctor.subject import Subject
from schemas import topics

CHECK: Final = "kafka"
CONNECT_TIMEOUT_S: Final = 4.0
REQUEST_TIMEOUT_MS: Final = 3_000
POSTGRES_TIMEOUT_S: Final = 3
TARGET_REPLICATION: Final = 3
_PROBE: Final = "althing-doctor"
"""Name of a topic whose creation is only validated."""


@dataclass(frozen=True)
class TopicState:
    """A topic as the cluster has it. `replicas`: of the partition that has the fewest. None: the user may not know."""

    name: str
    partitions: int
    replicas: int
    min_insync: int | None
    retention_ms: int | None


def check(subject: Subject) -> Iterator[Finding]:
    effective = subject.effective
    if effective.log == "postgres":
        yield ok(CHECK, "The log is kept in Postgres, not in Kafka.")
        return
    if effective.kafka_bootstrap_servers is None:
        yield ok(CHECK, "The embedded Kafka is not running; `althing up` starts it.")
        return
    is_embedded = subject.settings.kafka_bootstrap_servers is None
    cluster = cluster_of(effective)
    try:
        admin = open_client(KafkaAdminClient, cluster, CONNECT_TIMEOUT_S, request_timeout_ms=REQUEST_TIMEOUT_MS)
    except LogUnavailable as failure:
        yield error(
            CHECK, f"{failure}.", "Start Kafka, or correct KAFKA_BOOTSTRAP_SERVERS, or the sign-in that it names."
        )
        return
    try:
        everyone = admin.describe_cluster()["brokers"]
        brokers = [broker for broker in everyone if not broker.get("is_fenced")]
        yield of_brokers(str(cluster), len(brokers), len(everyone))
        yield of_rights(admin)
        if not is_embedded:
            yield from of_replication(len(brokers), _broker_settings(admin, brokers))
        yield from of_topics(len(brokers), _topics(admin), _stored_counts(effective), is_embedded=is_embedded)
    except (KafkaError, OSError) as failure:
        yield error(
            CHECK,
            f"{cluster} does not answer a question of the administrator: {type(failure).__name__}.",
            "Grant the user the rights DESCRIBE and DESCRIBE_CONFIGS on the cluster and on all topics.",
        )
    finally:
        admin.close()


def of_brokers(cluster: str, alive: int, known: int) -> Finding:
    if alive < known:
        return warning(
            CHECK,
            f"{cluster} answers with {alive} of its {known} brokers.",
            "Start the others again, or unregister them with kafka-cluster.sh.",
        )
    return ok(CHECK, f"{cluster} answers with {alive} broker{'s' * (alive != 1)}.")


def of_rights(admin: KafkaAdminClient) -> Finding:
    """Validates the creation of a topic; nothing is created."""
    try:
        admin.create_topics({_PROBE: {"num_partitions": 1}}, timeout_ms=REQUEST_TIMEOUT_MS, validate_only=True)
    except (ClusterAuthorizationFailedError, TopicAuthorizationFailedError):
        names = ", ".join(topic.name for topic in topics.ALL)
        return error(
            CHECK,
            "The user may not create topics.",
            f"Grant it CREATE on the cluster, or let an administrator create the topics {names}.",
        )
    except PolicyViolationError as failure:
        return warning(CHECK, f"A policy of the cluster rejects a topic: {failure}.", "Create the topics by hand.")
    return ok(CHECK, "The user may create topics.")


def of_replication(brokers: int, settings: Mapping[str, str]) -> Iterator[Finding]:
    """`settings` of a broker: what a new topic gets."""
    if not settings:
        yield _unknown("the cluster")
        return
    replicas = int(settings.get("default.replication.factor", "1"))
    min_insync = int(settings.get("min.insync.replicas", "1"))
    if replicas > brokers:
        yield error(
            CHECK,
            f"default.replication.factor is {replicas}, but the cluster has {brokers} brokers.",
            f"Add brokers, or set default.replication.factor to {brokers}.",
        )
        return
    yield from _judged("A new topic", brokers, replicas, min_insync)


def of_topics(
    brokers: int, found: Sequence[TopicState], counts: Mapping[str, int], *, is_embedded: bool
) -> Iterator[Finding]:
    """`counts`: how many partitions a topic should have; one that is not in it may have any number."""
    states = {state.name: state for state in found}
    missing = [topic.name for topic in topics.ALL if topic.name not in states]
    if missing:
        yield warning(CHECK, f"Topics are missing: {', '.join(missing)}.", "Run `althing migrate`.")
    for topic in topics.ALL:
        if (state := states.get(topic.name)) is None:
            continue
        wanted = counts.get(topic.name, state.partitions)
        if state.partitions < wanted:
            yield error(
                CHECK,
                f"Topic {topic.name} has {state.partitions} partitions instead of {wanted}.",
                "Run `althing migrate`: it completes a raise that was interrupted.",
            )
        elif state.partitions > wanted:
            yield error(
                CHECK,
                f"Topic {topic.name} has {state.partitions} partitions instead of {wanted}.",
                "Only `althing partitions raise` may add some: ids would change their partition unnoticed.",
            )
        if state.retention_ms is None or state.min_insync is None:
            yield _unknown(f"topic {topic.name}")
            continue
        if topic.retention_ms == -1 and state.retention_ms != -1:
            yield error(
                CHECK,
                f"Topic {topic.name} deletes records after {state.retention_ms} ms: no table can be rebuilt then.",
                f"Set retention.ms of topic {topic.name} to -1.",
            )
        if not is_embedded:
            yield from _judged(f"Topic {topic.name}", brokers, state.replicas, state.min_insync)
    if not missing:
        yield ok(CHECK, f"All {len(topics.ALL)} topics exist.")


def _stored_counts(settings: Settings) -> Mapping[str, int]:
    """Returns the numbers of partitions that Postgres has; where it does not answer, those that `schemas.topics` has of
    topics that never change."""
    fixed = {topic.name: topic.partitions for topic in topics.ALL if topic is not topics.CLICKS}
    try:
        with psycopg.connect(settings.postgres_url or "", connect_timeout=POSTGRES_TIMEOUT_S) as connection:
            return partitions.counts(connection)
    except psycopg.Error:
        return fixed


def _unknown(what: str) -> Finding:
    return warning(CHECK, f"The user may not read the settings of {what}.", f"Grant it DESCRIBE_CONFIGS on {what}.")


def _judged(what: str, brokers: int, replicas: int, min_insync: int) -> Iterator[Finding]:
    text = f"{what} has {replicas} replicas, of which {min_insync} must confirm a write."
    if replicas < min(TARGET_REPLICATION, brokers) or replicas == 1:
        yield warning(
            CHECK,
            f"{text} The loss of {replicas} of {brokers} brokers loses data.",
            f"Use {TARGET_REPLICATION} brokers with default.replication.factor={TARGET_REPLICATION}.",
        )
    elif min_insync >= replicas:
        yield warning(CHECK, f"{text} One lost broker stops all writes.", f"Set min.insync.replicas to {replicas - 1}.")
    elif min_insync == 1:
        yield warning(CHECK, f"{text} A write can be lost with one broker.", "Set min.insync.replicas to 2.")
    else:
        yield ok(CHECK, text)


def _broker_settings(admin: KafkaAdminClient, brokers: Sequence[Mapping[str, Any]]) -> Mapping[str, str]:
    name = str(brokers[0]["broker_id"])
    configs = admin.describe_configs([ConfigResource("BROKER", name)], config_filter="all")
    return {key: str(row["value"]) for key, row in configs["broker"][name].items()}


def _topics(admin: KafkaAdminClient) -> list[TopicState]:
    there = set(admin.list_topics())
    names = [topic.name for topic in topics.ALL if topic.name in there]
    if not names:
        return []
    configs = admin.describe_configs([ConfigResource("TOPIC", name) for name in names], config_filter="all")["topic"]
    return [
        TopicState(
            name=described["name"],
            partitions=len(described["partitions"]),
            replicas=min(len(partition["replica_nodes"]) for partition in described["partitions"]),
            min_insync=_number(configs[described["name"]], "min.insync.replicas"),
            retention_ms=_number(configs[described["name"]], "retention.ms"),
        )
        for described in admin.describe_topics(names)
    ]


def _number(config: Mapping[str, Mapping[str, Any]], name: str) -> int | None:
    return int(config[name]["value"]) if name in config else None
