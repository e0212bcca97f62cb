"""Crashing processes, forked one after the other from a process that has imported everything already.

A module calls `each_line(run)` as its main work; the test starts it with `fork_server(settings, module)`. Each line
that the test writes holds the arguments of the next process.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from infra.kernel.config.settings import Settings
from tests.support.child_process import child_process

_PR_SET_PDEATHSIG: Final = 1


@dataclass(frozen=True)
class ForkServer:
    """The process that forks; one child lives at a time."""

    process: subprocess.Popen[str]

    def start(self, *words: str) -> int:
        """The id of a new process that does what the words say."""
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        return int(self._line())

    def ended(self) -> int:
        """Waits for the end of the process: its exit code, negative for a signal."""
        return int(self._line())

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the process that forks has ended"
        return line


@contextmanager
def fork_server(settings: Settings, module: str, *arguments: str, **more: str) -> Iterator[ForkServer]:
    """`python -m module arguments`; `more`: further settings by their names in the environment."""
    with child_process(settings, module, *arguments, **more) as process:
        yield ForkServer(process)


def each_line(run: Callable[..., int]) -> None:
    """Forks for each line on standard input; the child ends with what `run(*words)` gives. Prints ids and ends."""
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL.value, 0, 0, 0)  # it must not outlive the test
            os._exit(run(*line.split()))
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def die() -> None:
    """As by `kill -9`."""
    os.kill(os.getpid(), signal.SIGKILL)


def wrap(owner: Any, name: str, around: Callable[[Callable[[], Any]], Any]) -> None:
    """Function `name` of a module or class becomes `around` its call."""
    original = getattr(owner, name)

    def wrapped(*arguments: Any, **named: Any) -> Any:
        return around(lambda: original(*arguments, **named))

    setattr(owner, name, wrapped)
