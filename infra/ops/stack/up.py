"""`althing up`: the whole product on this machine, in the foreground, until Ctrl-C."""

from __future__ import annotations

import argparse
import io
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg

from infra import PRODUCT_NAME
from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.observability import stack_state
from infra.kernel.observability.service_manager import ServiceManager
from infra.ops.stack import child_process, incomplete_restore, ports, secret_file, state
from infra.ops.stack.child_process import ChildProcess, ChildProgram, Start
from infra.ops.stack.console import pump, say, show
from infra.ops.stack.engines import kafka_archive, postgres
from infra.ops.stack.fork_server import ForkServer
from infra.ops.stack.info import describe
from infra.ops.stack.plan import ENGINES, SERVICES, StackPlan, base_environment, plan, spec_of
from infra.ops.stack.spec import ProcessSpec, log_file, stop_order
from infra.ops.stack.supervisor import StartFailed, StopRequested, Supervisor
from infra.ops.stack.tools import ALTHING

_MIGRATION_TIMEOUT_S = 600
_SETUP_LINK_TIMEOUT_S = 30
_MOMENT_S = 0.1


def main(arguments: list[str]) -> int:
    """0 after a clean stop, 1 when something did not start. Raises `SettingsError` when the start is refused."""
    parser = argparse.ArgumentParser(prog="althing up", description="Starts everything in the foreground.")
    parser.add_argument(
        "--only", metavar="NAME,...", help="the engines and just these services: " + ", ".join(SERVICES)
    )
    parser.add_argument("--data-dir", metavar="PATH", help="in place of ALTHING_DATA_DIR")
    chosen = parser.parse_args(arguments)
    only = None if chosen.only is None else [name for name in chosen.only.split(",") if name]
    unknown = [name for name in only or () if name not in SERVICES]
    if unknown:
        parser.error(f"no service is called {', '.join(unknown)}; there are {', '.join(SERVICES)}")
    if chosen.data_dir is not None:
        os.environ["ALTHING_DATA_DIR"] = chosen.data_dir
    settings = load()
    data_dir = settings.data_dir.resolve()
    with ExitStack() as held:
        with _usable(data_dir):
            data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
            held.enter_context(state.lock(data_dir))
            incomplete_restore.refuse(data_dir)
            for name in state.end_orphans(data_dir):
                say("stack", f"{name} was left over from a killed stack and has been ended")
            laid = StackLayout(settings, secret_file.load_or_create(data_dir), data_dir, only)
            laid.publish(())
        return _run(laid)


@contextmanager
def _usable(data_dir: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = f"{error.strerror or error}" + (f" ({error.filename})" if error.filename else "")
        raise SettingsError(f"ALTHING_DATA_DIR: {data_dir} cannot be used: {what}.") from error


class StackLayout:
    """The plan on its ports. `ports`, `made` and `info` are those in use now: `move` changes them."""

    def __init__(
        self, settings: Settings, secrets: secret_file.StackSecrets, data_dir: Path, only: list[str] | None
    ) -> None:
        self.data_dir = data_dir
        self._settings = settings
        self._secrets = secrets
        self._only = only
        self._born = stack_state.birth(os.getpid()) or 0.0
        self._lay_out(ports.choose(settings))

    def move(self, name: str) -> tuple[ProcessSpec, Mapping[str, str]] | None:
        """Returns this process with other ports, if its own were taken by another program (`supervisor.Move`)."""
        chosen = ports.replace_taken(self.ports, self._settings, name)
        if chosen is None:
            return None
        self._lay_out(chosen)
        return spec_of(self.made, name), base_environment(self.made)

    def publish(self, rows: tuple[stack_state.ProcessRow, ...]) -> None:
        """Writes down what others may see of the stack. Raises `OSError` when it cannot be written."""
        made = self.made
        content = stack_state.StackState(os.getpid(), self._born, made.log, made.environment, self.info, rows)
        state.write(self.data_dir, content)

    def has(self, service: str) -> bool:
        """Returns whether this start runs the service."""
        return any(spec.name == service for stage in self.made.services for spec in stage)

    def set_up_postgres(self) -> None:
        """Raises `StartFailed`."""
        if self._settings.postgres_url is None:
            try:
                postgres.set_up(self.ports.postgres, self._secrets)
            except psycopg.Error as error:
                log = log_file(self.data_dir, "postgres")
                reason = " ".join(str(error).split())
                raise StartFailed(f"Postgres could not be set up: {reason}; its output is in {log}") from error

    def _lay_out(self, chosen: ports.Ports) -> None:
        self.ports = chosen
        self.made: StackPlan = plan(self._settings, self._secrets, chosen, self.data_dir, self._only)
        self.info: Mapping[str, Any] = describe(self._settings, self.made, self._secrets, chosen, self.data_dir)


def _run(laid: StackLayout) -> int:
    data_dir = laid.data_dir
    forks = ForkServer(base_environment(laid.made))
    supervisor = Supervisor(data_dir, base_environment(laid.made), laid.publish, laid.move, start=forks.start)
    supervisor.handle_signals()
    manager = ServiceManager.of()
    if laid.made.log_note:
        say("stack", laid.made.log_note, loud=True)
    try:
        supervisor.start(laid.made.engines)
        laid.set_up_postgres()
        run_migrations(data_dir, base_environment(laid.made), forks.start, supervisor.stop_requested)
        for place in range(len(laid.made.services)):
            supervisor.start(laid.made.services[place])
        link = setup_link(base_environment(laid.made), forks.start) if laid.has("command") else None
        forks.close()
        show(box(laid.info, laid.made.log_note, link))
        manager.ready()
        if any(spec.name == "kafka" for spec in laid.made.engines):
            kafka_archive.begin(data_dir)
        supervisor.run()
        code = 0
    except StopRequested:
        code = 0
    except StartFailed as failure:
        say("stack", str(failure), loud=True)
        code = 1
    finally:
        manager.stopping()
        say("stack", "stopping")
        forks.close()
        supervisor.stop(stop_order((laid.made.engines, *laid.made.services), ENGINES))
    say("stack", "stopped")
    return code


def run_migrations(
    data_dir: Path,
    environment: Mapping[str, str],
    start: Start = child_process.start,
    stop_requested: Callable[[], bool] = lambda: False,
) -> None:
    """`althing migrate` on these engines. Raises `StartFailed`, or `StopRequested` as soon as a stop is."""
    process = start(ChildProgram([*ALTHING, "migrate"], environment))
    output = pump("migrate", process.stdout, log_file(data_dir, "migrate"), quiet=False)
    deadline = time.monotonic() + _MIGRATION_TIMEOUT_S
    try:
        while (code := _code_of(process)) is None and time.monotonic() < deadline:
            if stop_requested():
                raise StopRequested
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        output.join(2)
    if code != 0:
        how = "did not end in time" if code is None else f"failed (code {code})"
        raise StartFailed(f"the migrations {how}; see {log_file(data_dir, 'migrate')}")


def setup_link(environment: Mapping[str, str], start: Start = child_process.start) -> str | None:
    """Returns the link of `althing setup-link`; None once there is an account. It is shown on the terminal, and
    written to no file."""
    process = start(ChildProgram([*ALTHING, "setup-link"], environment))
    deadline = time.monotonic() + _SETUP_LINK_TIMEOUT_S
    while (code := _code_of(process)) is None and time.monotonic() < deadline:
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    with process.stdout or io.BytesIO() as output:
        lines = output.read().decode(errors="replace").split()
    return lines[-1] if code == 0 and lines else None


def _code_of(process: ChildProcess) -> int | None:
    """Returns the exit code of a process, if it ends within a moment."""
    try:
        return process.wait(_MOMENT_S)
    except subprocess.TimeoutExpired:
        return None


def box(info: Mapping[str, Any], note: str | None, setup_link: str | None) -> str:
    """The last words of a start: where everything is, and how the first account is created."""
    rows = [
        ("Web app", info["app"]),
        ("Tracking", info["tracking"]),
        ("Kafka", info["kafka"] or "not used: the log is in Postgres"),
        ("Postgres", info["postgres"]),
        ("ClickHouse", f"{info['clickhouse']['url']} (user {info['clickhouse']['user']})"),
        ("Data", info["data_dir"]),
    ]
    lines = [f"{PRODUCT_NAME} {info['version']} is running", ""]
    lines += [f"{name:<11} {_without_password(str(value))}" for name, value in rows]
    if setup_link is not None:
        lines += ["", "Open this link to create your account (print it again: althing setup-link):", setup_link]
    lines += ["", "Passwords of the read-only users: althing info · Ctrl-C stops everything"]
    if note:
        lines += ["", note]
    width = max(len(line) for line in lines)
    frame = [f"│ {line:<{width}} │" for line in lines]
    return "\n".join([f"╭{'─' * (width + 2)}╮", *frame, f"╰{'─' * (width + 2)}╯"])


def _without_password(url: str) -> str:
    head, at, tail = url.rpartition("@")
    if not at:
        return url
    return f"{head[: head.rindex(':')]}@{tail}"
