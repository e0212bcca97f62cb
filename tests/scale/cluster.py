"""A cluster under test: three brokers, Postgres, ClickHouse, and two or three processes of each service."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg
from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from infra.kernel.log import LogUnavailable
from infra.kernel.log.kafka_clients import Cluster as Brokers
from infra.kernel.log.kafka_clients import open_client
from schemas import topics
from tests.scale.machines import NETWORK, Machine, machines
from tests.support.engines import KAFKA_JAVA, ROOT, Engine, accepts, class_archive, kafka_jars, start_postgres
from tests.support.ports import free_port
from tests.support.readiness import answers
from tests.support.service_process import Balancer, ServiceProcess, ended, environment
from tests.support.under_load import ADMIN

DATABASE_SETTINGS: Final = {"max_connections": "300"}
KINDS: Final = {"command": 2, "query": 2, "ingest": 2, "projectors": 3}
BROKER: Final = """\
process.roles=broker,controller
node.id={number}
controller.quorum.voters={voters}
listeners=PLAINTEXT://{host}:{port},CONTROLLER://{host}:{controller}
advertised.listeners=PLAINTEXT://{host}:{port}
controller.listener.names=CONTROLLER
log.dirs={data}
log.retention.ms=-1
auto.create.topics.enable=false
default.replication.factor=3
min.insync.replicas=2
offsets.topic.replication.factor=3
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
group.initial.rebalance.delay.ms=0
message.max.bytes=2097152
replica.fetch.max.bytes=2097152
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
replica.lag.time.max.ms=5000
"""


@dataclass
class Cluster:
    """`app` and `tracking` are the addresses of balancers, as `under_load` takes them."""

    machines: Sequence[Machine]
    brokers: Sequence[Engine]
    postgres: Engine
    clickhouse: Engine
    services: Mapping[str, Sequence[ServiceProcess]]
    query: Balancer
    app: str
    tracking: str
    environment: dict[str, str]
    folder: Path

    def leader_of(self, topic: str, partition: int) -> Engine | None:
        """The broker that leads the partition now; none while no broker says so."""
        running = tuple(each.address for each in self.brokers if each.process and each.process.poll() is None)
        found = described(running, [topic])
        if not found:
            return None
        [leader] = [each["leader_id"] for each in found[0]["partitions"] if each["partition_index"] == partition]
        return self.brokers[int(leader) - 1] if leader > 0 else None

    def is_in_sync(self) -> bool:
        """Whether each partition has all its copies: another broker may be stopped then."""
        found = described(tuple(each.address for each in self.brokers), [topic.name for topic in topics.ALL])
        copies = [len(place["isr_nodes"]) for each in found for place in each["partitions"]]
        return set(copies) == {len(self.brokers)}

    def owners(self) -> dict[tuple[str, int], str]:
        """Which process of projectors owns each partition of table `events`."""
        rows = self.sql(OWNERS)
        return {(topic, partition): owner for topic, partition, owner in rows}

    def sql(self, query: str, *values: object) -> list[Any]:
        """The rows, by a connection of its own: Postgres may have been restarted."""
        with psycopg.connect(self.postgres.address, autocommit=True, connect_timeout=5) as database:
            return database.execute(query.encode(), values).fetchall()

    def set(self, name: str, value: str) -> None:
        """Changes a setting of what is started from now on."""
        self.environment[name] = value
        for service in self.every_service:
            service.set(name, value)

    def run(self, *arguments: str) -> str:
        """The output of `althing ...` beside the cluster."""
        done = subprocess.run(
            [sys.executable, "-m", "infra.ops.cli", *arguments],
            cwd=self.folder,
            env=environment(ROOT, self.environment),
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert done.returncode == 0, f"althing {arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    @property
    def every_service(self) -> Iterator[ServiceProcess]:
        for each in self.services.values():
            yield from each


OWNERS: Final = """
    select p.topic, p.partition, coalesce(p.owner, '') from engine.position p join engine.projection j
    on j.name = p.projection and j.live_generation = p.generation where p.projection = 'events'"""


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    """A running cluster in `folder`; whatever runs at the end is ended."""
    with ExitStack() as at_end:
        places = at_end.enter_context(machines(3))
        brokers = start_brokers(folder, places[1:])
        at_end.callback(stop_all, brokers)
        hub = places[0].host
        postgres_folder = folder / "postgres"
        postgres_folder.mkdir(mode=0o755)
        postgres = start_postgres(postgres_folder, hub, DATABASE_SETTINGS)
        at_end.callback(postgres.stop)
        clickhouse = start_clickhouse(folder / "clickhouse-1", hub)
        for broker in brokers:
            broker.wait_ready()
        settings = {
            "ALTHING_MASTER_KEY": secrets.token_hex(32),
            "ALTHING_LOG": "kafka",
            "ALTHING_CANARY": "0",
            "ALTHING_INSERT_INTERVAL_MS": "1000",
            "ALTHING_METRICS_NETWORKS": NETWORK,
            "KAFKA_BOOTSTRAP_SERVERS": ",".join(broker.address for broker in brokers),
            "POSTGRES_URL": postgres.address,
            "CLICKHOUSE_URL": clickhouse.address,
            **ADMIN,
        }
        services = {
            kind: [
                ServiceProcess(kind, f"{kind}-{number}", folder, settings, host=at.host, prefix=at.prefix)
                for number, at in enumerate(places[1 : count + 1], 1)
            ]
            for kind, count in KINDS.items()
        }
        at_end.enter_context(ended([each for those in services.values() for each in those]))
        command, query, ingest = (
            at_end.enter_context(Balancer(services[kind])) for kind in ("command", "query", "ingest")
        )
        made = Cluster(
            places, brokers, postgres, clickhouse, services, query, command.url, ingest.url, settings, folder
        )
        at_end.callback(lambda: made.clickhouse.stop())
        made.run("migrate")
        for service in made.every_service:
            service.begin()
        for service in made.every_service:
            service.wait_ready()
        yield made


def described(servers: tuple[str, ...], names: Sequence[str]) -> Sequence[Mapping[str, Any]]:
    """What the brokers say of these topics; nothing while they cannot."""
    try:
        admin = open_client(KafkaAdminClient, Brokers(servers, {}), 10)
    except LogUnavailable:
        return []
    try:
        found: Sequence[Mapping[str, Any]] = admin.describe_topics(names)
    except KafkaError:
        return []
    finally:
        admin.close()
    return found


def start_brokers(folder: Path, places: Sequence[Machine]) -> list[Engine]:
    """Begins three brokers, each a controller too; they are ready only together."""
    ports = [(free_port(), free_port()) for _ in places]
    voters = ",".join(
        f"{number}@{at.host}:{controller}"
        for number, (at, (_, controller)) in enumerate(zip(places, ports, strict=True), 1)
    )
    cluster_id = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    java = ["java", *KAFKA_JAVA, *class_archive(), "-cp", f"{kafka_jars()}/*"]
    brokers = []
    for number, (at, (port, controller)) in enumerate(zip(places, ports, strict=True), 1):
        own = folder / f"kafka-{number}"
        own.mkdir()
        config = own / "server.properties"
        config.write_text(
            BROKER.format(
                number=number, voters=voters, host=at.host, port=port, controller=controller, data=own / "data"
            )
        )
        formatted = [*java, "kafka.tools.StorageTool", "format", f"--cluster-id={cluster_id}", "-c", str(config)]
        subprocess.run(formatted, check=True, capture_output=True, timeout=120)
        program = [*at.prefix, java[0], "-Xms96m", "-Xmx256m", *java[1:], "kafka.Kafka", str(config)]
        address = f"{at.host}:{port}"
        brokers.append(
            Engine(f"broker {number}", address, program, own / "kafka.log", partial(accepts, port, at.host)).begin()
        )
    return brokers


def start_clickhouse(folder: Path, host: str) -> Engine:
    """A ClickHouse server without data."""
    folder.mkdir()
    port, password, users = free_port(), secrets.token_hex(16), folder / "users.json"
    users.write_text(json.dumps({"users": [{"name": "althing", "password": password, "readonly": False}]}))
    users.chmod(0o600)
    program = [sys.executable, "-m", "infra.services.clickhouse_server", "--data-dir", str(folder / "data")]
    program += ["--host", host, "--port", str(port), "--users-file", str(users), "--memory-mb", "1024"]
    return Engine(
        folder.name,
        f"http://althing:{password}@{host}:{port}/althing",
        program,
        folder / "server.log",
        lambda: answers(f"http://{host}:{port}/readyz"),
        environment={"PYTHONPATH": str(ROOT)},
    ).start()


def stop_all(engines: Sequence[Engine]) -> None:
    """One that a test has frozen or killed, too. The quorum needs two: the last ones are not asked."""
    for engine in engines:
        if engine.process is not None and engine.process.poll() is None:
            engine.kill()
