"""Services as forks of one process: real ones that need no engine, as children of this very process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import psutil
import pytest

from infra.ops.stack import fork_server, ports
from infra.ops.stack.child_process import ChildProcess, ChildProgram
from infra.ops.stack.fork_server import PROGRAM, ForkedProcess, ForkServer
from infra.ops.stack.tools import ALTHING
from tests.support.stack import OURS, free_ports, wait_for

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each process is started on its own")
KEYS = {
    "ALTHING_ESCROW_KEY": "a key for tests",
    "ALTHING_ESCROW_WEBHOOK_SECRET": f"whsec_{b64encode(bytes(24)).decode()}",
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return {**own, "ALTHING_DATA_DIR": str(tmp_path_factory.mktemp("data")), "PYTHONUNBUFFERED": "1"}


@pytest.fixture(scope="module")
def forks(environment: dict[str, str]) -> Iterator[ForkServer]:
    made = ForkServer(environment)
    yield made
    made.close()


def said(process: ChildProcess) -> str:
    assert process.stdout is not None
    with process.stdout as output:
        return output.read().decode()


def servers() -> set[psutil.Process]:
    """Those of this process."""
    children = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
    return {child for child in children if PROGRAM in child.cmdline()}


class Sandbox:
    """The lightest service: its start needs two keys, and its first line says that it listens."""

    def __init__(self, forks: ForkServer, environment: dict[str, str]) -> None:
        (self.port,) = free_ports(1)
        self.arguments = ("escrow-sandbox", "--port", str(self.port))
        self.process = forks.start(ChildProgram([*ALTHING, *self.arguments], {**environment, **KEYS}))
        assert self.process.stdout is not None
        self.first_line = self.process.stdout.readline().decode()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        said(self.process)


def test_a_fork_is_a_process_like_one_that_was_started_on_its_own(
    forks: ForkServer, environment: dict[str, str]
) -> None:
    with Sandbox(forks, environment) as sandbox:
        assert isinstance(sandbox.process, ForkedProcess)
        assert f"127.0.0.1:{sandbox.port}" in sandbox.first_line
        process = psutil.Process(sandbox.process.pid)
        assert process.ppid() == os.getpid()
        assert os.getsid(process.pid) == process.pid
        assert [part for part in process.cmdline() if part] == [*ALTHING, *sandbox.arguments]
        assert sandbox.process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            sandbox.process.wait(0.01)
        sandbox.process.send_signal(signal.SIGTERM)
        assert (sandbox.process.wait(10), sandbox.process.poll()) == (0, 0)
        sandbox.process.send_signal(signal.SIGTERM)  # nobody


def test_a_fork_has_the_environment_that_it_was_given_and_no_other(
    forks: ForkServer, environment: dict[str, str]
) -> None:
    with Sandbox(forks, environment):
        refused = forks.start(ChildProgram([*ALTHING, "escrow-sandbox", "--port", "1"], environment))
        assert refused.wait(10) == 2
        assert "Set ALTHING_ESCROW_KEY" in said(refused)


def test_a_killed_fork_tells_its_signal(forks: ForkServer, environment: dict[str, str]) -> None:
    with Sandbox(forks, environment) as sandbox:
        os.kill(sandbox.process.pid, signal.SIGKILL)
        assert sandbox.process.wait() == -signal.SIGKILL


def test_a_fork_takes_over_a_listening_socket(forks: ForkServer, environment: dict[str, str]) -> None:
    (port,) = free_ports(1)
    settings = {**environment, "ALTHING_PORT": str(port), "ALTHING_MASTER_KEY": "5a" * 32}
    with ports.listener("127.0.0.1", port) as listener:
        service = forks.start(ChildProgram([*ALTHING, "serve", "web"], settings, listener=listener.fileno()))
    # Its own is closed here: who answers is the fork.
    assert isinstance(service, ForkedProcess)
    try:
        assert httpx.get(f"http://127.0.0.1:{port}/livez", timeout=20).json() == {"status": "ok"}
    finally:
        service.send_signal(signal.SIGTERM)
        assert service.wait(20) == 0, said(service)
        said(service)


def test_other_programs_and_ordinary_users_are_not_forked(forks: ForkServer, environment: dict[str, str]) -> None:
    for command, ordinary_user in (([sys.executable, "-c", "print(1)"], False), ([*ALTHING, "--help"], True)):
        process = forks.start(ChildProgram(command, environment, ordinary_user=ordinary_user))
        assert isinstance(process, subprocess.Popen)
        said(process)
        process.wait()


def test_without_its_server_a_process_is_started_on_its_own(environment: dict[str, str]) -> None:
    others = servers()
    forks = ForkServer(environment)
    (server,) = servers() - others
    with Sandbox(forks, environment) as first:
        server.kill()
        with Sandbox(forks, environment) as second:
            assert isinstance(second.process, subprocess.Popen)
            assert first.process.poll() is None, "its life does not depend on the server"
    assert servers() == others


def test_where_a_fork_cannot_be_adopted_a_process_is_started_on_its_own(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fork_server, "_adopt_orphans", lambda _: None)
    others = servers()
    with Sandbox(ForkServer(environment), environment) as sandbox:
        assert isinstance(sandbox.process, subprocess.Popen)
        assert sandbox.process.poll() is None
    assert servers() == others


def test_a_fork_whose_answer_comes_too_late_ends(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "_ANSWER_S", 0.01)  # it still imports
    with Sandbox(ForkServer(environment), environment) as sandbox:
        assert isinstance(sandbox.process, subprocess.Popen)
        named = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
        assert [child.pid for child in named if str(sandbox.port) in child.cmdline()] == [sandbox.process.pid]


def test_closing_ends_the_server_and_no_fork(environment: dict[str, str]) -> None:
    others = servers()
    forks = ForkServer(environment)
    with Sandbox(forks, environment) as sandbox:
        forks.close()
        assert servers() == others
        assert sandbox.process.poll() is None
        with Sandbox(forks, environment) as later:
            assert isinstance(later.process, subprocess.Popen)


def test_a_fork_ends_with_its_supervisor(environment: dict[str, str]) -> None:
    (port,) = free_ports(1)
    supervisor = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import os, signal\n"
            "from infra.ops.stack.child_process import ChildProgram\n"
            "from infra.ops.stack.fork_server import ForkServer\n"
            "from infra.ops.stack.tools import ALTHING\n"
            "forks = ForkServer(os.environ)\n"
            f"process = forks.start(ChildProgram([*ALTHING, 'escrow-sandbox', '--port', '{port}'], os.environ))\n"
            "process.stdout.readline()\n"
            "print(type(process).__name__, process.pid, flush=True)\n"
            "signal.pause()\n",
        ],
        stdout=subprocess.PIPE,
        env={**environment, **KEYS},
        cwd=Path(__file__).parents[3],
    )
    assert supervisor.stdout is not None
    kind, pid = supervisor.stdout.readline().decode().split()
    assert kind == ForkedProcess.__name__
    supervisor.kill()
    supervisor.wait()
    supervisor.stdout.close()
    wait_for(lambda: not psutil.pid_exists(int(pid)), "the fork to end")


def test_what_is_preloaded_belongs_to_no_service_and_runs_nothing() -> None:
    """A metric of one service would be read as zero in the others, and a thread would be missing in each fork."""
    shown = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os, sys\n"
            "from prometheus_client import generate_latest\n"
            "before = generate_latest().decode()\n"
            "from infra.ops.stack.fork_server_process import preload\n"
            "preload()\n"
            "services = ('command_api', 'ingest', 'projectors', 'query_api', 'infra.services.gateway')\n"
            "print(sorted(name for name in sys.modules if name.startswith(services)))\n"
            "def samples(text):\n"
            "    return {line.split()[0] for line in text.splitlines() if line[0] != '#'}\n"
            "print(sorted(samples(generate_latest().decode()) - samples(before)))\n"
            "print(os.listdir('/proc/self/task') == [str(os.getpid())])\n",
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    assert shown.stdout.splitlines() == ["[]", "[]", "True"]
