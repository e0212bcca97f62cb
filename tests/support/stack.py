"""The local stack under test: real engines, or the whole of `althing up`, in a temporary directory on free ports.

Session fixtures (imported by `tests/conftest.py`): `embedded_postgres`, `embedded_kafka`, `embedded_clickhouse` give
`Settings` that reach one migrated or empty engine. Engines are started by the product's own supervisor, with the
product's own settings. `stack` starts everything.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.observability.stack_state import read
from infra.ops.migrations import migrate
from infra.ops.stack import ports, secret_file
from infra.ops.stack.engines import clickhouse, kafka, kafka_users, postgres
from infra.ops.stack.ports import Ports
from infra.ops.stack.spec import ProcessSpec
from infra.ops.stack.supervisor import Supervisor
from tests.support.commands import run_command
from tests.support.ports import free_ports as free_ports

ROOT = Path(__file__).resolve().parents[2]
START_S = 120.0
STOP_S = 180.0
PATIENCE_S = 60.0
_PAUSE_PER_LOOK: Final = 4.0
"""How much longer than a look the pause after it is."""
_MAX_PAUSE_S: Final = 1.5
OURS = ("ALTHING_", "KAFKA_BOOTSTRAP", "POSTGRES_URL", "CLICKHOUSE_", "OPENAI_", "SMTP_URL", "TRUSTED_PROXIES")
SECRETS: Final = {
    "OPENAI_API_KEY": "sk-test-of-this-stack",
    "ALTHING_GITHUB_CLIENT_ID": "client-of-this-stack",
    "ALTHING_GITHUB_CLIENT_SECRET": "client-secret-of-this-stack",
}
"""Settings with secrets that change nothing in a stack."""
_INTERNAL_PORTS = tuple(
    f"ALTHING_{name}_PORT" for name in ("KAFKA", "POSTGRES", "CLICKHOUSE", "COMMAND", "QUERY", "PROJECTORS")
)


def wait_for(condition: Callable[[], Any], what: str, timeout_s: float = PATIENCE_S, every_s: float = 0.25) -> Any:
    """The first true value of `condition`; fails the test, naming `what`, after `timeout_s`. It is looked at ever less
    often, at last every `every_s`, and what takes long, such as a dozen reports, more seldom: what a test waits for is
    often busy with the looks."""
    deadline, pause_s = time.monotonic() + timeout_s, 0.02
    while True:
        began = time.monotonic()
        if value := condition():
            return value
        now = time.monotonic()
        assert now < deadline, f"waited {timeout_s:.0f} s for {what}"
        time.sleep(max(pause_s, min(_PAUSE_PER_LOOK * (now - began), _MAX_PAUSE_S)))
        pause_s = min(1.5 * pause_s, every_s)


class Stack:
    """`althing up` of `tree` as a child process. `data_dir` and ports stay the same over `start` and `stop`."""

    program: Sequence[str] = (sys.executable, "-m", "infra.ops.cli")

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, str] | None = None,
        only: Sequence[str] | None = None,
        *,
        tree: Path = ROOT,
    ) -> None:
        self.folder = folder
        self.data_dir = folder / "data"
        self.output = folder / "output.txt"
        web, tracking, *internal = free_ports(2 + len(_INTERNAL_PORTS))
        self.app = f"http://127.0.0.1:{web}"
        self.tracking = f"http://127.0.0.1:{tracking}"
        self._tree = tree
        self._arguments = [] if only is None else ["--only", ",".join(only)]
        self.settings: Mapping[str, str] = {
            "ALTHING_DATA_DIR": str(self.data_dir),
            "ALTHING_PORT": str(web),
            "ALTHING_TRACKING_PORT": str(tracking),
            # Tests count what they send.
            "ALTHING_CANARY": "0",
            # They call nothing outside. A previous release does not know the setting.
            **({"ALTHING_EXCHANGE_RATES": "none"} if tree == ROOT else {}),
            **{name: str(port) for name, port in zip(_INTERNAL_PORTS, internal, strict=True)},
            **(settings or {}),
        }
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(OURS)},
            "PYTHONPATH": str(tree),
            **self.settings,
        }
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Stack:
        """Returns when everything is ready. A start that ends early fails the test with its output."""
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [*self.program, "up", *self._arguments],
                cwd=self.folder,
                env=self._environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        wait_for(self._is_up, "the stack to start", START_S)
        return self

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Asks it to end and returns its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"the stack did not stop:\n{self.tail()}") from None

    def run(
        self, *arguments: str, settings: Mapping[str, str] | None = None, timeout_s: float = STOP_S
    ) -> subprocess.CompletedProcess[str]:
        """`althing ...` beside the running stack; without its imports if the program is that of the tests."""
        environment = {**self._environment, **(settings or {})}
        if self._tree == ROOT and self.program is Stack.program and arguments[0] != "up":
            return run_command(arguments, self.folder, environment, timeout_s)
        return subprocess.run(
            [*self.program, *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    @property
    def environment(self) -> Mapping[str, str]:
        """The settings that every child of the running stack gets, the engines' addresses among them."""
        state = read(self.data_dir)
        assert state is not None, "the stack has not written its state"
        return state.environment

    def ps(self) -> dict[str, dict[str, Any]]:
        return {row["name"]: row for row in json.loads(self.run("ps", "--json").stdout)}

    def pid(self, name: str) -> int:
        """The process id of a child, from the supervisor's own record (cheaper than `ps`)."""
        state = read(self.data_dir)
        assert state is not None
        pid = next(row.pid for row in state.processes if row.name == name)
        assert pid is not None, f"{name} does not run now"
        return pid

    def kill(self, name: str) -> int:
        """`kill -9` of one child, once it runs; returns how often it will have been restarted then."""
        row = wait_for(lambda: self._running(name), f"{name} to run")
        os.kill(row.pid, signal.SIGKILL)
        return int(row.restarts) + 1

    def _running(self, name: str) -> Any:
        state = read(self.data_dir)
        rows = state.processes if state is not None else ()
        return next((row for row in rows if row.name == name and row.state == "running" and row.pid is not None), None)

    def wait_restarted(self, name: str, restarts: int) -> None:
        """Until the supervisor has started `name` for the `restarts`-th time again, and it is ready."""

        def restarted() -> bool:
            state = read(self.data_dir)
            rows = state.processes if state is not None else ()
            return any(row.name == name and row.restarts >= restarts and row.state == "running" for row in rows)

        wait_for(restarted, f"{name} to run again")

    def tail(self) -> str:
        return self.output.read_text(errors="replace")[-4000:]

    def _is_up(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, f"the stack ended with {self.process.returncode}:\n{self.tail()}"
        return "is running" in self.output.read_text(errors="replace")


@contextmanager
def stack(
    settings: Mapping[str, str] | None = None, only: Sequence[str] | None = None, *, tree: Path = ROOT
) -> Iterator[Stack]:
    """A started stack in a folder of its own, ended and removed afterwards."""
    folder = Path(mkdtemp(prefix="althing-stack-"))
    made = Stack(folder, settings, only, tree=tree)
    try:
        yield made.start()
    finally:
        if made.process is not None:
            made.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def engine(make: Callable[[Path, Ports, secret_file.StackSecrets], ProcessSpec]) -> Iterator[tuple[Settings, Ports]]:
    """One engine, started by the product's supervisor. Yields settings that hold its secrets' directory."""
    folder = Path(mkdtemp(prefix="althing-engine-"))
    web, tracking, kafka_port, postgres_port, clickhouse_port = free_ports(5)
    settings = Settings(
        data_dir=folder,
        port=web,
        tracking_port=tracking,
        kafka_port=kafka_port,
        postgres_port=postgres_port,
        clickhouse_port=clickhouse_port,
        exchange_rates=None,
    )
    chosen = ports.choose(settings)
    spec = make(folder, chosen, secret_file.load_or_create(folder))
    supervisor = Supervisor(folder, dict(os.environ), lambda _rows: None)
    try:
        supervisor.start((spec,))
        yield settings, chosen
    finally:
        supervisor.stop(((spec.name,),))
        shutil.rmtree(folder, ignore_errors=True)


SHARED: Final = ("TEST_DATA_DIR", "TEST_POSTGRES_URL", "TEST_CLICKHOUSE_URL")
"""Environment of tests that a test runs in a copy of the tree: its own engines, which they use instead of new ones."""


def _shared() -> Settings | None:
    if any(name not in os.environ for name in SHARED):
        return None
    folder, postgres_url, clickhouse_url = (os.environ[name] for name in SHARED)
    return Settings(
        data_dir=Path(folder), postgres_url=postgres_url, clickhouse_url=clickhouse_url, exchange_rates=None
    )


@pytest.fixture(scope="session")
def embedded_postgres() -> Iterator[Settings]:
    """A Postgres with every migration file applied; `postgres_url` is the owner's. No test ends it, and all that is in
    it is thrown away: it does not wait for the disk. Many services of one worker use it at a time, each with a pool."""
    if (shared := _shared()) is not None:
        yield replace(shared, clickhouse_url=None, log="postgres")
        return

    def make(folder: Path, chosen: Ports, secrets: secret_file.StackSecrets) -> ProcessSpec:
        spec = postgres.spec(folder, chosen.postgres, secrets)
        return replace(spec, command=[*spec.command, "-c", "fsync=off", "-c", "max_connections=300"])

    with engine(make) as (settings, chosen):
        secrets = secret_file.load_or_create(settings.data_dir)
        postgres.set_up(chosen.postgres, secrets)
        url = postgres.url(chosen.postgres, secrets)
        migrate.apply(url, migrate.read_folder(migrate.FOLDER))
        yield replace(settings, postgres_url=url, log="postgres")


@pytest.fixture(scope="session")
def embedded_kafka() -> Iterator[Settings]:
    """A Kafka without topics; `kafka_bootstrap_servers` reaches it."""

    def make(folder: Path, chosen: Ports, secrets: secret_file.StackSecrets) -> ProcessSpec:
        return kafka.spec(folder, chosen.kafka, chosen.kafka_controller, secrets, flush_each=False)

    with engine(make) as (settings, chosen):
        secrets = secret_file.load_or_create(settings.data_dir)
        sign_in = kafka_users.sign_in(secrets)
        yield replace(
            settings,
            kafka_bootstrap_servers=f"127.0.0.1:{chosen.kafka}",
            log="kafka",
            kafka_security_protocol=sign_in["KAFKA_SECURITY_PROTOCOL"],
            kafka_sasl_mechanism=sign_in["KAFKA_SASL_MECHANISM"],
            kafka_sasl_username=sign_in["KAFKA_SASL_USERNAME"],
            kafka_sasl_password=sign_in["KAFKA_SASL_PASSWORD"],
        )


@pytest.fixture(scope="session")
def embedded_clickhouse() -> Iterator[Settings]:
    """An empty ClickHouse; `clickhouse_url` is the owner's."""
    if (shared := _shared()) is not None:
        yield replace(shared, postgres_url=None)
        return
    with engine(lambda folder, chosen, secrets: clickhouse.spec(folder, chosen.clickhouse, secrets)) as (
        settings,
        chosen,
    ):
        secrets = secret_file.load_or_create(settings.data_dir)
        yield replace(settings, clickhouse_url=clickhouse.url(chosen.clickhouse, secrets))
