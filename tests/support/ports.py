"""Ports for servers under test: each is given once, to one process of tests, until that process ends.

A port that is only looked for and found free is anybody's until the server listens there, which takes Kafka ten
seconds: so every process of tests notes what it was given as locks on one file, which end with it.
"""

from __future__ import annotations

import fcntl
import os
import random
import socket
from functools import cache
from pathlib import Path
from tempfile import gettempdir
from typing import Final

from infra.ops.stack import ports

_ANY: Final = range(10_000, 20_000)
"""Below the ports that the system gives to outgoing connections: a port must still be free when a server is started on
it again. And below those that a stack chooses for itself."""
_given: Final[set[int]] = set()


def free_ports(count: int) -> list[int]:
    """Ports on which nobody listens, all different, and never given to another test."""
    found: list[int] = []
    for port in random.sample(_ANY, len(_ANY)):
        if len(found) == count:
            break
        if port not in _given and _is_ours(port):
            _given.add(port)
            found.append(port)
    assert len(found) == count, "no ports are left"
    return found


def free_port() -> int:
    [port] = free_ports(1)
    return port


def _is_ours(port: int) -> bool:
    """Whether no other process of tests was given it, and nobody listens there."""
    try:
        fcntl.lockf(_locks(os.getpid()), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0 and ports.is_free("127.0.0.1", port)


@cache
def _locks(_pid: int) -> int:
    """The file whose bytes stand for the ports; open as long as the process lives, since closing it ends the locks."""
    path = Path(gettempdir()) / f"althing-test-ports-{os.getuid()}"
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
