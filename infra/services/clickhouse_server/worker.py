"""`python -m infra.services.clickhouse_server.worker FOLDER`: a process that runs one analyst's statement at a time.

See `jobs.py`. Its standard input is a socket to the server. It ends when the server does, however that happens.
Before it loads the engine it drops what no statement needs: the network (where the kernel allows it), core dumps,
large files, and memory beyond a statement's limit. From its start it has the lowest CPU priority.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from infra.domain.sql_access.limits import MEMORY_BYTES

DATA_BYTES: Final = MEMORY_BYTES + (1 << 30)
"""Private memory that the kernel gives: the statement's, the engine's own, and what its allocator keeps."""

FILE_BYTES: Final = 2 << 30
IDLE_NICE: Final = 19
_CLONE_NEWUSER: Final = 0x10000000
_CLONE_NEWNET: Final = 0x40000000
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38


def main() -> int:
    parent, libc = os.getppid(), ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        return 0  # the front ended before it could be watched
    _lower_priority()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if libc.unshare(_CLONE_NEWNET) != 0:
        libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for kind, most in (
        (resource.RLIMIT_DATA, DATA_BYTES),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))
    from infra.services.clickhouse_server import jobs

    engine = jobs.start(Path(sys.argv[1]))
    with socket.socket(fileno=0) as front, suppress(OSError):
        jobs.serve(engine, front)
    os._exit(0)  # nothing is kept, so nothing has to be closed


def _lower_priority() -> None:
    """Runs only while no other process needs the CPU; threads inherit this."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, IDLE_NICE)
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


if __name__ == "__main__":
    sys.exit(main())
