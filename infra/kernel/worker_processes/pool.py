"""A pool of processes that do one kind of job: started on demand, bounded, killed when they take too long.

What runs for seconds on input of users must not share an interpreter with sign-in: there it takes the lock that all
threads share, its memory stays with the process, and a client that leaves does not end it. Here a job has a limit of
processor time, which the kernel enforces, one of memory, and one of duration; when its client leaves, the process is
killed. Jobs run at low priority, so that others hardly notice them.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import BoundedSemaphore, Lock
from typing import Final

import structlog

from infra.kernel.worker_processes.protocol import ANSWER, DONE, READY, REJECTED, REQUEST, JobRejected

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

MAX_WAITING: Final = 8
START_S: Final = 60.0
"""At low priority, on a busy machine."""
END_S: Final = 2.0
MAX_ANSWER_BYTES: Final = 64 << 20
_TICK_S: Final = 0.2
"""The interval at which a wait looks whether its client has left."""

IsCancelled = Callable[[], bool]


class NoProcessFree(Exception):
    """The pool has no free process: all were busy for as long as the caller could wait, or too many wait already."""


class JobTooLong(Exception):
    """The job used up its processor time."""


class JobLate(Exception):
    """The job did not end in time: it takes long, or the machine is busy."""


class JobFailed(Exception):
    """The job ended with an error, lacked memory, or its process could not be started."""


class JobCancelled(Exception):
    """The client left, or the caller wants no result any more."""


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a job, and the processor time that it used."""

    answer: bytes
    cpu_s: float


class WorkerPool:
    """At most `size` processes of `python -m module`, and `MAX_WAITING` callers that wait for one: each holds a thread.
    Thread-safe; `close` ends the processes."""

    def __init__(self, module: str, *, size: int, deadline_s: float) -> None:
        self.module = module
        self._deadline_s = deadline_s
        self._free = BoundedSemaphore(size)
        self._callers = BoundedSemaphore(size + MAX_WAITING)
        self._lock = Lock()
        self._idle: list[_Process] = []
        self._all: set[_Process] = set()

    def run(self, request: bytes, *, cpu_s: int, wait_s: float, is_cancelled: IsCancelled = lambda: False) -> Done:
        """Runs one job. `cpu_s`: its processor time; `wait_s`: how long it may wait for a process.

        Raises `JobRejected` by the job itself, `NoProcessFree`, `JobTooLong`, `JobLate`, `JobFailed` and
        `JobCancelled`.
        """
        if not self._callers.acquire(blocking=False):
            raise NoProcessFree
        try:
            self._take(wait_s, is_cancelled)
            try:
                return self._run(request, cpu_s, is_cancelled)
            finally:
                self._free.release()
        finally:
            self._callers.release()

    def close(self) -> None:
        """Ends all processes; running jobs fail."""
        with self._lock:
            ended, self._all, self._idle = self._all, set(), []
        for process in ended:
            process.end()

    def _run(self, request: bytes, cpu_s: int, is_cancelled: IsCancelled) -> Done:
        while True:
            process, is_new = self._process()
            try:
                kind, done = process.run(request, cpu_s, self._deadline_s, is_cancelled)
            except _ProcessEnded:
                self._discard(process)
                if process.was_idle and not is_new:
                    continue
                raise (JobTooLong if process.was_too_long else JobFailed) from None
            except BaseException:
                self._discard(process)
                raise
            if kind == DONE:
                self._put_back(process)
                return done
            if kind == REJECTED:
                self._put_back(process)
                raise JobRejected(done.answer)
            self._discard(process)
            log.warning("worker_job_failed", module=self.module, error=done.answer.decode(errors="replace"))
            raise JobFailed

    def _take(self, wait_s: float, is_cancelled: IsCancelled) -> None:
        until = time.monotonic() + wait_s
        while not self._free.acquire(timeout=_TICK_S):
            if is_cancelled():
                raise JobCancelled
            if time.monotonic() >= until:
                raise NoProcessFree

    def _process(self) -> tuple[_Process, bool]:
        with self._lock:
            if self._idle:
                return self._idle.pop(), False
        process = _Process(self.module)
        with self._lock:
            self._all.add(process)
        return process, True

    def _put_back(self, process: _Process) -> None:
        with self._lock:
            if process in self._all:
                self._idle.append(process)

    def _discard(self, process: _Process) -> None:
        process.end()
        with self._lock:
            self._all.discard(process)


class _ProcessEnded(Exception):
    """The process ended without an answer: it had been idle for long, or its time was used up."""


class _Process:
    """One process, and the socket that it listens to."""

    def __init__(self, module: str) -> None:
        self._has_hung_up = False
        self._socket, child_socket = socket.socketpair()
        with child_socket:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module],
                stdin=child_socket.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # It needs none of the secrets that the services get with their environment.
                env={"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        try:
            kind, _ = self._answer(time.monotonic() + START_S, lambda: False)
        except (_ProcessEnded, JobLate, OSError):
            kind = -1
        if kind != READY:
            self.end()
            log.error("worker_process_did_not_start", module=module)
            raise JobFailed

    def run(self, request: bytes, cpu_s: int, deadline_s: float, is_cancelled: IsCancelled) -> tuple[int, Done]:
        """Kind and answer. Raises `_ProcessEnded`, `JobLate`, `JobFailed` and `JobCancelled`; the process is then
        of no more use."""
        deadline = time.monotonic() + deadline_s
        try:
            self._socket.settimeout(deadline_s)
            self._socket.sendall(REQUEST.pack(cpu_s, len(request)) + request)
        except TimeoutError:
            raise JobLate from None
        except OSError:
            self._has_hung_up = True
            raise _ProcessEnded from None
        return self._answer(deadline, is_cancelled)

    @property
    def was_idle(self) -> bool:
        """Returns whether the process ended because it had nothing to do."""
        return self._process.returncode == 0

    @property
    def was_too_long(self) -> bool:
        """Returns whether the kernel ended the process, because its job's processor time was used up."""
        return self._process.returncode == -signal.SIGXCPU

    def end(self) -> None:
        """Kills the process, unless it is ending."""
        with suppress(OSError):
            self._socket.close()
        if not self._has_hung_up:
            self._process.kill()
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _answer(self, deadline: float, is_cancelled: IsCancelled) -> tuple[int, Done]:
        kind, cpu_ms, length = ANSWER.unpack(self._read(ANSWER.size, deadline, is_cancelled))
        if length > MAX_ANSWER_BYTES:
            raise JobFailed
        return kind, Done(self._read(length, deadline, is_cancelled), cpu_ms / 1000)

    def _read(self, length: int, deadline: float, is_cancelled: IsCancelled) -> bytes:
        content = bytearray()
        while len(content) < length:
            left = deadline - time.monotonic()
            if left <= 0:
                raise JobLate
            self._socket.settimeout(min(left, _TICK_S))
            try:
                piece = self._socket.recv(min(length - len(content), 1 << 20))
            except TimeoutError:
                if is_cancelled():
                    raise JobCancelled from None
                continue
            except OSError:
                piece = b""
            if not piece:
                self._has_hung_up = True
                raise _ProcessEnded
            content += piece
        return bytes(content)
