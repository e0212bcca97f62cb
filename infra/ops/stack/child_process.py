"""A process that the supervisor starts, tied to its life: what it can be asked, and how it is started on its own."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Protocol

from infra.kernel.config.secret_handover import handed_over
from infra.kernel.config.settings import SECRET_NAMES
from infra.ops.stack.tools import launched


class ChildProcess(Protocol):
    """The part of `subprocess.Popen` that is used. `stdout` has its standard output and error; it leads a session of
    its own."""

    pid: int

    @property
    def stdout(self) -> IO[bytes] | None: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int, /) -> None: ...


@dataclass(frozen=True)
class ChildProgram:
    """The program to start. `environment` is all that it gets, secrets included; they do not become variables
    (`infra.kernel.config.secret_handover`). `ordinary_user`: not as root. `death_signal`: sent to it when this process
    ends. `listener`: the descriptor of a listening socket that it takes over."""

    command: Sequence[str]
    environment: Mapping[str, str]
    ordinary_user: bool = False
    death_signal: int = signal.SIGTERM
    listener: int | None = None


Start = Callable[[ChildProgram], ChildProcess]
"""Raises `OSError`."""


def start(program: ChildProgram) -> ChildProcess:
    """`Start` by `exec`: a process that shares nothing with others."""
    with handed_over(program.environment, SECRET_NAMES) as (variables, descriptors):
        return subprocess.Popen(
            launched(
                list(program.command),
                ordinary_user=program.ordinary_user,
                death_signal=program.death_signal,
                listener=program.listener,
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=variables,
            start_new_session=True,
            pass_fds=descriptors if program.listener is None else (*descriptors, program.listener),
        )
