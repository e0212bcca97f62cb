"""The embedded Kafka: one KRaft node (broker and controller in one) on loopback, with authentication for every
client.

Clients sign in by SCRAM-SHA-512 (`infra.ops.stack.engines.kafka_users`). The broker signs in to its own controller,
and the supervisor to set up the users, with a password that is valid for one start (SASL PLAIN). A client without
rights cannot even list the topics: any user of the machine can connect to these ports.
"""

from __future__ import annotations

import secrets as random_secrets
import shutil
import signal
from pathlib import Path

from infra.kernel.config.paths import KAFKA_JARS, kafka_archive
from infra.kernel.config.settings import SettingsError
from infra.kernel.log.kafka_probe import answers
from infra.ops.stack.engines import kafka_users
from infra.ops.stack.ports import LOOPBACK
from infra.ops.stack.secret_file import StackSecrets, write_private
from infra.ops.stack.spec import ENGINE_BACKOFF_S, ENGINE_VARIABLES, ProcessSpec
from infra.ops.stack.tools import java, make_data_directory

MAX_RECORD_BYTES = 2 * 1024 * 1024
_MACHINE = (
    *("-Xms96m", "-Xmx384m", "-XX:MaxDirectMemorySize=128m", "-Xss512k", "-XX:+UseSerialGC"),
    # The first compiler only: half the CPU time until ready, and less of it for the first millions of records.
    "-XX:TieredStopAtLevel=1",
)
_QUIET_LOGGERS = {
    "org.apache.kafka": "warn",
    "kafka": "warn",
    "state.change.logger": "warn",
    "kafka.server.KafkaRaftServer": "info",
    # They warn of every start ("Performing controller activation") and of every stop (a client closed twice).
    "org.apache.kafka.controller.QuorumController": "error",
    "org.apache.kafka.clients.NetworkClient": "error",
}


def spec(data_dir: Path, port: int, controller_port: int, secrets: StackSecrets, *, flush_each: bool) -> ProcessSpec:
    """`flush_each`: fsync before each acknowledgement, so that even a power loss on this one machine loses nothing."""
    folder = data_dir / "kafka"
    config = data_dir / "kafka.properties"
    setup = _Setup()

    def prepare() -> None:
        setup.password = random_secrets.token_urlsafe(24)
        properties = _properties(folder, port, controller_port, setup.password, flush_each)
        _prepare(folder, config, properties, secrets.kafka_cluster_id)

    return ProcessSpec(
        name="kafka",
        command=[
            *(_java(), *_MACHINE, *archive(kafka_archive(data_dir)), *_logging()),
            *("-cp", f"{KAFKA_JARS}/*", "kafka.Kafka", str(config)),
        ],
        is_ready=lambda: answers(port) and kafka_users.set_up(f"{LOOPBACK}:{port}", setup.password, secrets),
        port=port,
        prepare=prepare,
        stop_signal=signal.SIGTERM,
        stop_timeout_s=30,
        quiet=True,
        longest_backoff_s=ENGINE_BACKOFF_S,
        inherits=ENGINE_VARIABLES,
    )


class _Setup:
    """The password of the user that sets up the others: new at each start."""

    password = ""


def _properties(folder: Path, port: int, controller_port: int, setup_password: str, flush_each: bool) -> str:
    setup = kafka_users.SETUP
    plain = (
        "org.apache.kafka.common.security.plain.PlainLoginModule required "
        f'username="{setup}" password="{setup_password}" user_{setup}="{setup_password}";'
    )
    rows = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{LOOPBACK}:{controller_port}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"CLIENTS://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{controller_port}",
        "advertised.listeners": f"CLIENTS://{LOOPBACK}:{port}",
        "listener.security.protocol.map": "CLIENTS:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT",
        "inter.broker.listener.name": "CLIENTS",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "sasl.mechanism.controller.protocol": "PLAIN",
        "listener.name.clients.sasl.enabled.mechanisms": f"{kafka_users.MECHANISM},PLAIN",
        "listener.name.clients.scram-sha-512.sasl.jaas.config": (
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        ),
        "listener.name.clients.plain.sasl.jaas.config": plain,
        "listener.name.controller.sasl.enabled.mechanisms": "PLAIN",
        "listener.name.controller.plain.sasl.jaas.config": plain,
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": f"User:{setup};User:{kafka_users.OWNER}",
        "log.dirs": str(folder),
        "num.network.threads": "2",
        "num.io.threads": "4",
        "num.recovery.threads.per.data.dir": "2",
        "background.threads": "2",
        "auto.create.topics.enable": "false",
        "delete.topic.enable": "true",
        "default.replication.factor": "1",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.num.partitions": "1",
        "transaction.state.log.min.isr": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.num.partitions": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "min.insync.replicas": "1",
        "log.retention.ms": "-1",
        "log.retention.bytes": "-1",
        "log.segment.bytes": str(256 * 1024 * 1024),
        "log.cleaner.dedupe.buffer.size": str(8 * 1024 * 1024),
        "message.max.bytes": str(MAX_RECORD_BYTES),
        "replica.fetch.max.bytes": str(MAX_RECORD_BYTES),
        "group.initial.rebalance.delay.ms": "0",
        # A broker that was killed is let back in only when its old session has ended: 9 s by default.
        "broker.session.timeout.ms": "3000",
        "broker.heartbeat.interval.ms": "1000",
        # The controller writes a no-op record twice a second, by which other nodes measure their lag.
        "metadata.max.idle.interval.ms": "0",
    }
    if flush_each:
        rows["log.flush.interval.messages"] = "1"
    return "".join(f"{name}={value}\n" for name, value in rows.items())


def _prepare(folder: Path, config: Path, properties: str, cluster_id: str) -> None:
    write_private(config, properties)
    if folder.exists():
        return
    new = folder.with_name("kafka.new")
    shutil.rmtree(new, ignore_errors=True)
    beside = config.with_name("kafka.new.properties")
    write_private(beside, properties.replace(f"log.dirs={folder}\n", f"log.dirs={new}\n"))
    command = [_java(), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    command += [*archive(kafka_archive(folder.parent)), *_logging(), "-cp", f"{KAFKA_JARS}/*"]
    command += ["kafka.tools.StorageTool", "format", "-c", str(beside)]
    command += [f"--cluster-id={cluster_id}"]  # joined: every 64th id begins like an option
    try:
        make_data_directory("Kafka", folder, command)
    finally:
        beside.unlink()
    new.replace(folder)


def archive(file: Path) -> list[str]:
    """The JVM option for Kafka's class archive, if the archive exists."""
    return [f"-XX:SharedArchiveFile={file}"] if file.exists() else []


def _logging() -> list[str]:
    prefix = "-Dorg.slf4j.simpleLogger"
    rows = {"defaultLogLevel": "warn", "showDateTime": "true", "dateTimeFormat": "yyyy-MM-dd HH:mm:ss.SSS"}
    rows |= {f"log.{name}": level for name, level in _QUIET_LOGGERS.items()}
    return [f"{prefix}.{name}={value}" for name, value in rows.items()]


def _java() -> str:
    program = java()
    if program is None:
        raise SettingsError(
            "ALTHING_LOG: kafka needs Java 17 or newer; install it (for Debian: openjdk-17-jre-headless)."
        )
    return program
