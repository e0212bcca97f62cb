"""The users of the embedded Kafka: the services' own, who may do everything, and the operator's, who may only read.

They are written into Kafka at each start, so a data directory of an earlier version gets them too, and a password that
was changed in `secrets.json` counts from the next start on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from infra.ops.stack.secret_file import StackSecrets
from schemas import topics

OWNER: Final = "althing"
OPERATOR: Final = "operator_readonly"
SETUP: Final = "setup"
PROTOCOL: Final = "SASL_PLAINTEXT"
MECHANISM: Final = "SCRAM-SHA-512"
_ITERATIONS: Final = 4096
"""Kafka's minimum: the passwords are random, so slow hashing gains nothing."""
_TIMEOUT_S: Final = 2.0
_ANSWER_MS: Final = 10_000


def sign_in(secrets: StackSecrets) -> dict[str, str]:
    """The settings by which a process signs in as the owner."""
    return {
        "KAFKA_SECURITY_PROTOCOL": PROTOCOL,
        "KAFKA_SASL_MECHANISM": MECHANISM,
        "KAFKA_SASL_USERNAME": OWNER,
        "KAFKA_SASL_PASSWORD": secrets.kafka_password,
    }


def operator(secrets: StackSecrets) -> Mapping[str, str]:
    """Returns what a client of the operator needs besides the address, as `althing info --json` shows it."""
    return {
        "protocol": PROTOCOL,
        "mechanism": MECHANISM,
        "user": OPERATOR,
        "password": secrets.kafka_operator_password,
    }


def set_up(server: str, setup_password: str, secrets: StackSecrets) -> bool:
    """Writes the users and their rights; returns whether Kafka took them. Does not raise while it is still starting."""
    # Imported here: only a stack that starts a Kafka of its own needs the client.
    from kafka import KafkaAdminClient
    from kafka.admin import ScramMechanism, UserScramCredentialUpsertion
    from kafka.errors import KafkaError

    from infra.kernel.log import LogUnavailable
    from infra.kernel.log.kafka_clients import Cluster, open_client

    security = {
        "security_protocol": PROTOCOL,
        "sasl_mechanism": "PLAIN",
        "sasl_plain_username": SETUP,
        "sasl_plain_password": setup_password,
    }
    passwords = {OWNER: secrets.kafka_password, OPERATOR: secrets.kafka_operator_password}
    try:
        admin = open_client(KafkaAdminClient, Cluster((server,), security), _TIMEOUT_S, request_timeout_ms=_ANSWER_MS)
    except LogUnavailable:
        return False
    try:
        users = [
            UserScramCredentialUpsertion(name, ScramMechanism.SCRAM_SHA_512, password, iterations=_ITERATIONS)
            for name, password in passwords.items()
        ]
        refused = [error for error in admin.alter_user_scram_credentials(users).values() if error]
        return not refused and not admin.create_acls(_rights_of_operator())["failed"]
    except (KafkaError, OSError):
        return False
    finally:
        admin.close()


def _rights_of_operator() -> list[object]:
    """Reads and describes our topics, with whatever consumer group its client names."""
    from kafka.admin import ACL, ACLOperation, ACLPermissionType, ResourcePattern, ResourceType

    resources = [ResourcePattern(ResourceType.TOPIC, topic.name) for topic in topics.ALL]
    resources.append(ResourcePattern(ResourceType.GROUP, "*"))
    return [
        ACL(f"User:{OPERATOR}", "*", operation, ACLPermissionType.ALLOW, resource)
        for resource in resources
        for operation in (ACLOperation.READ, ACLOperation.DESCRIBE)
    ]
