"""A process that the supervisor starts, tied to its life: what it can be asked, and how it is started on its own."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO, Protocol

from infra.ops.stack.tools import launched


class ChildProcess(Protocol):
    """What is used of `subprocess.Popen`. `stdout` has its standard output and error; it leads a session of its own."""

    pid: int

    @property
    def stdout(self) -> IO[bytes] | None: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int, /) -> None: ...


class Start(Protocol):
    """Starts `command`. `listener`: the descriptor of a listening socket that it takes over. Raises `OSError`."""

    def __call__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        ordinary_user: bool = False,
        death_signal: int = signal.SIGTERM,
        listener: int | None = None,
    ) -> ChildProcess: ...


def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    ordinary_user: bool = False,
    death_signal: int = signal.SIGTERM,
    listener: int | None = None,
) -> ChildProcess:
    """`Start` by `exec`: a process that shares nothing with others."""
    return subprocess.Popen(
        launched(list(command), ordinary_user=ordinary_user, death_signal=death_signal, listener=listener),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        start_new_session=True,
        pass_fds=() if listener is None else (listener,),
    )
