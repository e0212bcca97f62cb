"""`althing` commands in processes that are forked from one that has imported everything already: imports are most of
what a short command costs. One such process for each worker of pytest; it starts with the first command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import reload
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

PRELOADED: Final = (
    "infra.ops.cli",
    "infra.ops.audit.command",
    "infra.ops.backup.command",
    "infra.ops.demo",
    "infra.ops.doctor.command",
    "infra.ops.projections",
    "projectors.cli.main",
    "projectors.service",
)
"""The commands that tests call most, with all that they import."""


@dataclass(frozen=True)
class Command:
    """A running command. It does not outlive the tests."""

    process: ForkServerProcess

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    def poll(self) -> int | None:
        """The exit code, negative for a signal; none: it still runs."""
        return self.process.exitcode

    def wait(self, timeout_s: float) -> int:
        """The exit code. Raises `subprocess.TimeoutExpired`."""
        self.process.join(timeout_s)
        if (code := self.process.exitcode) is None:
            raise subprocess.TimeoutExpired(self.process.name, timeout_s)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)


def begin_command(arguments: Sequence[str], folder: Path, environment: Mapping[str, str], *outputs: int) -> Command:
    """`althing arguments` in this folder and environment. `outputs`: descriptors of this process for what it says and
    for its errors; without them nobody hears either."""
    names = tuple(f"/proc/{os.getpid()}/fd/{number}" for number in outputs) or (os.devnull, os.devnull)
    given = (tuple(arguments), str(folder), dict(environment), names)
    process = _context().Process(target=_run, args=given, daemon=True, name=f"althing {' '.join(arguments)}")
    process.start()
    return Command(process)


def run_command(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], timeout_s: float
) -> subprocess.CompletedProcess[str]:
    """The same, to its end. Raises `subprocess.TimeoutExpired`."""
    with TemporaryFile() as output, TemporaryFile() as errors:
        command = begin_command(arguments, folder, environment, output.fileno(), errors.fileno())
        try:
            code = command.wait(timeout_s)
        except subprocess.TimeoutExpired:
            command.process.kill()
            command.process.join()
            raise
        said = []
        for file in (output, errors):
            file.seek(0)
            said.append(file.read().decode())
        return subprocess.CompletedProcess(["althing", *arguments], code, *said)


@cache
def _context() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED])
    return context


def _run(arguments: tuple[str, ...], folder: str, environment: dict[str, str], names: tuple[str, ...]) -> None:
    """As a process of its own, from its arguments to its exit code."""
    from infra.ops.cli import main
    from projectors.engine import failpoints
    from tests.support.some_projections import run_projections

    for number, name in enumerate(names, start=1):
        os.dup2(os.open(name, os.O_WRONLY | os.O_APPEND), number)
    os.environ.clear()
    os.environ.update(environment)
    reload(failpoints)  # it reads the environment when it is imported
    if chosen := environment.get("TEST_PROJECTIONS"):
        run_projections(*chosen.split())
    os.chdir(folder)
    sys.argv = ["althing", *arguments]
    sys.exit(main())
