"""The process behind `infra.ops.stack.fork_server`: imports what services share, then forks once for each request.

    python -m infra.ops.stack.fork_server_process DESCRIPTOR SUPERVISOR_PID

A request is one message on the socket DESCRIPTOR: JSON, with the descriptors of the child's output and of the listening
socket that it takes over, if there is one. The child answers with its process id as soon as the supervisor is its
parent, then runs the command line `althing` in this very process; where it is not adopted, it says so and ends, as it
does where nobody takes its answer.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import socket
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

from infra.kernel.config import secret_handover
from infra.ops.stack.launcher import pass_listener
from infra.ops.stack.tools import ALTHING

PRELOADED: Final = (
    "anyio._backends._asyncio",
    "httpcore",
    "infra.domain.program_ideas.generator",
    "infra.domain.publishing.render",
    "infra.domain.social_connections",
    "infra.domain.visits.tables",
    "infra.kernel.clickhouse.client",
    "infra.kernel.http.health",
    "infra.kernel.http.server",
    "infra.kernel.log.kafka_log",
    "infra.kernel.mail.outbox",
    "infra.kernel.http.request_context",
    "infra.kernel.observability.tracing",
    "infra.kernel.security.audit_log",
    "infra.kernel.subscriptions.dead_letters",
    "infra.ops.allocator",
    "infra.ops.cli",
    "schemas.http.insights",
    "uvicorn.lifespan.on",
    "uvloop",
)
"""The modules that load nearly everything that two services load. No module of a single service: its metrics would be
the others', too."""

NOT_ADOPTED: Final = b"0"
"""The answer of a fork that is not the supervisor's child; it ends."""
_MESSAGE_BYTES: Final = 512 * 1024
_ADOPTION_S: Final = 2.0
_PR_SET_PDEATHSIG: Final = 1


@dataclass(frozen=True)
class _ForkRequest:
    arguments: list[str]
    environment: dict[str, str]
    secrets: dict[str, str]
    death_signal: int
    output: int
    listener: int | None


def main(arguments: list[str]) -> int:
    connection = socket.socket(fileno=int(arguments[0]))
    preload()
    request = _fork_for_each_request(connection)
    if request is None:
        return 0
    is_adopted = _become_child_of(int(arguments[1]), request.death_signal)
    with connection:
        try:
            connection.send(str(os.getpid()).encode() if is_adopted else NOT_ADOPTED)
        except OSError:  # the supervisor did not wait so long, and has started the process in another way
            return 1
    return _run(request) if is_adopted else 1


def preload() -> None:
    """Imports modules without the garbage collector, which would find nothing; later collections leave alone what is
    imported here, so that its pages stay shared."""
    gc.disable()
    for name in PRELOADED:
        import_module(name)
    gc.freeze()


def _fork_for_each_request(connection: socket.socket) -> _ForkRequest | None:
    """Returns in each forked process, with its request, and None in this one when the supervisor needs no more."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(connection, _MESSAGE_BYTES, 2)
        if not message:
            return None
        between = os.fork()
        if between == 0:
            if os.fork() == 0:
                return _ForkRequest(
                    **json.loads(message),
                    output=descriptors[0],
                    listener=descriptors[1] if len(descriptors) > 1 else None,
                )
            os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)
        os.waitpid(between, 0)


def _become_child_of(supervisor: int, death_signal: int) -> bool:
    """Does what the launcher does for a process that is started on its own. The death signal is tied to the parent that
    the process has when it is set. Returns whether the supervisor is the parent."""
    deadline = time.monotonic() + _ADOPTION_S
    while os.getppid() != supervisor:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.001)
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
    if os.getppid() != supervisor:
        return False
    os.setsid()
    return True


def _run(request: _ForkRequest) -> int:
    os.dup2(request.output, sys.stdout.fileno())
    os.dup2(request.output, sys.stderr.fileno())
    os.close(request.output)
    os.environ.clear()
    os.environ.update(request.environment)
    secret_handover.keep(request.secrets)
    if request.listener is not None:
        pass_listener(request.listener)
    _show_command([*ALTHING, *request.arguments])
    from infra.ops import cli

    return cli.main(request.arguments)


def _show_command(command: list[str]) -> None:
    """Makes `ps` show `command`: the kernel reads a process's command line from where its arguments lay at its start
    (`arg_start`, `arg_end`: proc(5)), and what does not fit there is cut."""
    after_name = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(after_name[45]), int(after_name[46])
    if start:
        content = os.fsencode("\0".join(command))[: end - start - 1]
        ctypes.memmove(start, content.ljust(end - start, b"\0"), end - start)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
