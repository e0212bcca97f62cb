"""Starts services as forks of one process that has imported what they share (docs/decisions/0036).

A fork shares the memory of these modules with the other services, and does not run their import again. The server
imports while the engines start, and ends when the stack is up: what is restarted later is a process of its own, which
runs the code that is installed by then. Linux only; elsewhere, and when the server fails, each process is started on
its own.

The fork becomes the supervisor's child: its parent ends at once, and the kernel gives it to the next ancestor that
adopts (`PR_SET_CHILD_SUBREAPER`, prctl(2)).
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import IO, Final

from infra.kernel.config.secret_handover import divided
from infra.kernel.config.settings import SECRET_NAMES
from infra.ops.stack import child_process
from infra.ops.stack.child_process import ChildProcess, ChildProgram
from infra.ops.stack.console import say
from infra.ops.stack.fork_server_process import NOT_ADOPTED
from infra.ops.stack.tools import ALTHING, launched

PROGRAM: Final = "infra.ops.stack.fork_server_process"
_PR_SET_CHILD_SUBREAPER: Final = 36
_ANSWER_S: Final = 20.0
"""The first answer waits for the imports."""
_ANSWER_BYTES: Final = 64
_END_S: Final = 5.0
_LOOK_S: Final = 0.01


class ForkServer:
    """`start` is a `Start`: forks commands of `althing` until it is closed, and starts everything else by `exec`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Starts the server with the variables of `environment`, which count for what is read before a fork has its
        own. It gets no secrets: the environment that it was started with is shown for each of its forks."""
        self._connection: socket.socket | None = None
        if sys.platform != "linux":
            return
        ours, handed = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with handed:
            command = [sys.executable, "-m", PROGRAM, str(handed.fileno()), str(os.getpid())]
            self._server = subprocess.Popen(
                launched(command, death_signal=signal.SIGKILL),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=divided(environment, SECRET_NAMES)[0],
                start_new_session=True,
                pass_fds=(handed.fileno(),),
            )
        ours.settimeout(_ANSWER_S)
        self._connection = ours
        _adopt_orphans(True)

    def start(self, program: ChildProgram) -> ChildProcess:
        if self._connection is not None and _is_ours(program):
            try:
                return _fork(self._connection, program)
            except OSError as error:
                say("stack", f"the fork server failed, processes are started one by one: {error}", loud=True)
                self.close()
        return child_process.start(program)

    def close(self) -> None:
        """Ends the server, not the processes that it has started."""
        if self._connection is None:
            return
        self._connection.close()
        self._connection = None
        try:
            self._server.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()
        _adopt_orphans(False)


class ForkedProcess:
    """A child of this process that it has not started itself (`ChildProcess`)."""

    def __init__(self, pid: int, stdout: IO[bytes]) -> None:
        self.pid = pid
        self.stdout = stdout
        self._code: int | None = None

    def poll(self) -> int | None:
        if self._code is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self._code = os.waitstatus_to_exitcode(status)
        return self._code

    def wait(self, timeout: float | None = None) -> int:
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(_LOOK_S)
        return code

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sig)


def _is_ours(program: ChildProgram) -> bool:
    return tuple(program.command[: len(ALTHING)]) == ALTHING and not program.ordinary_user


def _fork(connection: socket.socket, program: ChildProgram) -> ForkedProcess:
    """Raises `OSError`; then no process of this request runs, nor will: it ends when it cannot answer."""
    reading, writing = os.pipe()
    try:
        variables, secrets = divided(program.environment, SECRET_NAMES)
        request = {
            "arguments": list(program.command[len(ALTHING) :]),
            "environment": variables,
            "secrets": secrets,
            "death_signal": int(program.death_signal),
        }
        descriptors = [writing] if program.listener is None else [writing, program.listener]
        socket.send_fds(connection, [json.dumps(request).encode()], descriptors)
        answer = connection.recv(_ANSWER_BYTES)
        if not answer:
            raise ConnectionError("it has ended")
        if answer == NOT_ADOPTED:
            raise ConnectionError("this system does not let us adopt its forks")
    except OSError:
        os.close(reading)
        _end_late(connection)
        raise
    finally:
        os.close(writing)
    return ForkedProcess(int(answer), open(reading, "rb"))


def _end_late(connection: socket.socket) -> None:
    """Ends the process whose answer came too late; one that answers from now on fails to, and ends."""
    connection.shutdown(socket.SHUT_RD)
    answer = connection.recv(_ANSWER_BYTES)
    if answer not in (b"", NOT_ADOPTED):
        os.kill(int(answer), signal.SIGKILL)
        os.waitpid(int(answer), 0)


def _adopt_orphans(adopts: bool) -> None:
    """Sets whether this process becomes the parent of descendants whose parents end."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, int(adopts), 0, 0, 0)
