"""The process of a pool: runs jobs one after the other, at low priority and within limits.

A module that does a job calls `serve` when it is run with `python -m`. Standard input is the socket to the parent. The
process ends with its parent, or after `idle_s` without work, which returns all of its memory.
"""

from __future__ import annotations

import math
import os
import resource
import select
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from infra.kernel.worker_processes.protocol import ANSWER, DONE, FAILED, READY, REJECTED, REQUEST, JobRejected

LOW_PRIORITY: Final = 10
"""A tenth of a processor that others want, too: at the lowest priority jobs would starve on a busy machine."""
IDLE_S: Final = 20.0

Job = Callable[[bytes], bytes]
"""A function from the request to the answer. Raises `JobRejected` for what is wrong with the request."""


def serve(job: Job, *, memory_bytes: int, idle_s: float = IDLE_S) -> None:
    """Runs jobs until there are no more. `memory_bytes`: of address space, beyond which a job fails."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        os.nice(LOW_PRIORITY)
    for kind, most in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):  # macOS knows no limit of address space
            resource.setrlimit(kind, (most, most))
    with socket.socket(fileno=0) as parent:
        parent.sendall(ANSWER.pack(READY, 0, 0))
        while select.select([parent], [], [], idle_s)[0]:
            header = _read(parent, REQUEST.size)
            if header is None:
                return
            cpu_s, length = REQUEST.unpack(header)
            request = _read(parent, length)
            if request is None:
                return
            begun = _used_s()
            _bound_time(begun + cpu_s)
            kind, answer = _run(job, request)
            parent.sendall(ANSWER.pack(kind, round((_used_s() - begun) * 1000), len(answer)) + answer)


def _run(job: Job, request: bytes) -> tuple[int, bytes]:
    try:
        return DONE, job(request)
    except JobRejected as rejection:
        return REJECTED, rejection.reason
    except Exception as error:  # noqa: BLE001 - also a lack of memory; the parent says what it means
        return FAILED, f"{type(error).__name__}: {error}"[:500].encode()


def _read(source: socket.socket, length: int) -> bytes | None:
    """The next bytes; `None` when the parent has ended."""
    content = bytearray()
    while len(content) < length:
        piece = source.recv(min(length - len(content), 1 << 20))
        if not piece:
            return None
        content += piece
    return bytes(content)


def _used_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _bound_time(until_s: float) -> None:
    """The kernel ends this process when the job takes longer."""
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(until_s), resource.getrlimit(resource.RLIMIT_CPU)[1]))
