"""Supervises the child processes: starts them stage by stage, restarts those that end, stops all in order.

One thread: signals, exits, back-off and readiness are checked ten times a second. Only the copying of output runs in
threads. Children are started from this thread alone, because their death signal is tied to it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from infra.kernel.config.settings import SettingsError
from infra.kernel.observability.stack_state import ProcessRow, birth
from infra.ops.stack import child_process, ports
from infra.ops.stack.child_process import ChildProcess, ChildProgram, Start
from infra.ops.stack.console import pump, say
from infra.ops.stack.hang_detection import ROUND_S, HangDetector, Probe
from infra.ops.stack.spec import ProcessSpec, Stage, log_file
from infra.ops.stack.state import listens

FIRST_BACKOFF_S = 0.5
STABLE_AFTER_S = 20.0
_TICK_S = 0.1
_TRIES_AT_START = 4
_HURRIED_S = 1.0


class StartFailed(Exception):
    """A process did not get ready. The text says which one and where to read on."""


class StopRequested(Exception):
    """A signal arrived while the stack was still starting."""


Move = Callable[[str], tuple[ProcessSpec, Mapping[str, str]] | None]
"""Called for a process that ended before it was ever ready. If another program has taken its port: returns how to
start it elsewhere, and the base environment of every child from now on. Else None."""


@dataclass
class _Child:
    spec: ProcessSpec
    has_been_ready: bool = False
    state: str = "stopped"
    process: ChildProcess | None = None
    listener: socket.socket | None = None
    output: Thread | None = None
    born: float | None = None
    restarts: int = 0
    failures: int = 0
    started_at: float = 0.0
    start_again_at: float = 0.0


class Supervisor:
    """`environment` is every child's base. `on_change` is called with all rows whenever one of them changes; if it
    raises `OSError` (a full disk), that is said, and the processes go on."""

    def __init__(
        self,
        data_dir: Path,
        environment: Mapping[str, str],
        on_change: Callable[[tuple[ProcessRow, ...]], None],
        move: Move = lambda _name: None,
        watch_round_s: float = ROUND_S,
        start: Start = child_process.start,
    ) -> None:
        self._data_dir = data_dir
        self._environment = environment
        self._on_change = on_change
        self._move = move
        self._watch_round_s = watch_round_s
        self._start = start
        self._children: dict[str, _Child] = {}
        self._is_unseen = False
        self._stop = Event()
        self._hurry = Event()

    def handle_signals(self) -> None:
        """SIGINT and SIGTERM request a stop; a second one shortens every timeout."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: (self._hurry if self._stop.is_set() else self._stop).set())

    def stop_requested(self) -> bool:
        return self._stop.is_set()

    def start(self, stage: Stage) -> None:
        """Starts all of `stage` at once and returns when every one is ready.

        Raises `StartFailed`, or `StopRequested` when a signal comes first.
        """
        children = [_Child(spec) for spec in stage]
        for child in children:
            self._children[child.spec.name] = child
            self._spawn(child)
        deadlines = {child.spec.name: time.monotonic() + child.spec.start_timeout_s for child in children}
        while any(child.state != "running" for child in children):
            for child in children:
                late = time.monotonic() > deadlines[child.spec.name] and child.state != "running"
                if late or child.failures >= _TRIES_AT_START:
                    raise StartFailed(self._why(child))
            self._tick()

    def run(self) -> None:
        """Keeps everything running until a signal requests a stop."""
        watch = HangDetector(self._watched, self._watch_round_s)
        try:
            with suppress(StopRequested):
                while True:
                    self._tick()
                    for (name, pid), why in watch.take():
                        self._end_hung(self._children[name], pid, why)
        finally:
            watch.stop()

    def stop(self, order: Sequence[Sequence[str]]) -> None:
        """Ends the processes group by group, each within its own patience, then by force."""
        for names in order:
            group = [self._children[name] for name in names if name in self._children]
            for child in group:
                self._set(child, "stopping")
                if child.process is not None and child.process.poll() is None:
                    child.process.send_signal(child.spec.stop_signal)
                if child.listener is not None:  # nothing will answer there any more: clients should not wait
                    child.listener.close()
                    child.listener = None
            for child in group:
                self._await_end(child)
                self._set(child, "stopped")

    @property
    def rows(self) -> tuple[ProcessRow, ...]:
        return tuple(
            ProcessRow(
                child.spec.name, child.process.pid if child.process else None, child.born, child.state, child.restarts
            )
            for child in self._children.values()
        )

    def _tick(self) -> None:
        if self._stop.wait(_TICK_S):
            raise StopRequested
        now = time.monotonic()
        for child in self._children.values():
            if child.state == "backoff":
                if now >= child.start_again_at:
                    child.restarts += 1
                    self._spawn(child)
            elif child.process is not None and (code := child.process.poll()) is not None:
                self._ended(child, code)
            elif child.state == "starting":
                if self._is_ready(child):
                    child.has_been_ready = True
                    self._set(child, "running")
                    say("stack", f"{child.spec.name} is ready ({time.monotonic() - child.started_at:.1f} s)")
            elif child.failures and now - child.started_at > STABLE_AFTER_S:
                child.failures = 0

    def _watched(self) -> list[Probe]:
        return [
            ((child.spec.name, child.process.pid), child.spec.why_not_alive)
            for child in list(self._children.values())
            if child.state == "running" and child.process is not None and child.spec.why_not_alive is not None
        ]

    def _end_hung(self, child: _Child, pid: int, why: str) -> None:
        if child.process is not None and child.process.pid == pid and child.process.poll() is None:
            say("stack", f"{child.spec.name} hangs: {why}; killing it", loud=True)
            os.killpg(pid, signal.SIGKILL)

    def _is_ready(self, child: _Child) -> bool:
        if child.process is None:
            return False
        # First whether the port is its own: `is_ready` may send a password to the process that listens there.
        if child.spec.port is not None and not listens(child.process.pid, child.spec.port):
            return False
        return child.spec.is_ready()

    def _spawn(self, child: _Child) -> None:
        spec = child.spec
        child.started_at = time.monotonic()
        try:
            spec.prepare()
            if spec.kept_open is not None and child.listener is None:
                child.listener = ports.listener(*spec.kept_open)
            child.process = self._start(
                ChildProgram(
                    spec.command,
                    spec.environment_of(self._environment),
                    ordinary_user=spec.ordinary_user,
                    death_signal=spec.death_signal,
                    listener=None if child.listener is None else child.listener.fileno(),
                )
            )
        except SettingsError:
            raise
        except OSError as error:
            say("stack", f"{spec.name} could not be started: {error}", loud=True)
            self._back_off(child)
            return
        child.born = birth(child.process.pid)
        child.output = pump(spec.name, child.process.stdout, log_file(self._data_dir, spec.name), quiet=spec.quiet)
        self._set(child, "starting")

    def _ended(self, child: _Child, code: int) -> None:
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        # Once it has been ready, others know its address.
        if not child.has_been_ready and (moved := self._move(child.spec.name)) is not None:
            child.spec, self._environment = moved
            how += " because another program took its port; it gets another one"
        if code == 0 and child.state == "running":
            child.failures = 0  # it was signalled on purpose, as by an update
        self._back_off(child)
        delay = child.start_again_at - time.monotonic()
        say("stack", f"{child.spec.name} {how}; restarting in {delay:.1f} s", loud=True)

    def _back_off(self, child: _Child) -> None:
        delay = min(FIRST_BACKOFF_S * 2**child.failures, child.spec.longest_backoff_s)
        child.failures += 1
        child.start_again_at = time.monotonic() + delay
        child.process = None
        child.born = None
        self._set(child, "backoff")

    def _await_end(self, child: _Child) -> None:
        process = child.process
        if process is None:
            return
        deadline = time.monotonic() + child.spec.stop_timeout_s
        while process.poll() is None and time.monotonic() < deadline:
            if self._hurry.is_set():
                deadline = min(deadline, time.monotonic() + _HURRIED_S)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_TICK_S)
        if process.poll() is None:
            say("stack", f"{child.spec.name} did not stop in time; killing it", loud=True)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if child.output is not None:
            child.output.join(2)
        child.process = None
        child.born = None

    def _set(self, child: _Child, state: str) -> None:
        child.state = state
        try:
            self._on_change(self.rows)
        except OSError as error:
            if not self._is_unseen:
                say("stack", f"the state file cannot be written, `althing ps` shows an older state: {error}", loud=True)
            self._is_unseen = True
        else:
            self._is_unseen = False

    def _why(self, child: _Child) -> str:
        path = log_file(self._data_dir, child.spec.name)
        return f"{child.spec.name} did not get ready; its output is in {path}:\n{_tail(path)}"


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 4000))
            return "\n".join(file.read().decode(errors="replace").splitlines()[-12:])
    except OSError:
        return "(nothing was written)"
