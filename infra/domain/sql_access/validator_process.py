"""`python -m infra.analysts.vetter`: reads analysts' texts in a process without rights, for `vetting`.

One JSON document per line on its standard input, one answer per line on its output, both of which are one socket. Once
it has begun it can open neither files nor connections, start no program, take no more memory than `MEMORY_BYTES` and no
more processor time per text than `CPU_S`. It ends when its parent does, or after `IDLE_S` without work.
"""

from __future__ import annotations

import json
import math
import os
import resource
import select
import signal
import socket
import sys
from typing import Any, Final

from infra.analysts import gate
from infra.analysts.tables import SCHEMA
from infra.analysts.verdict import Refused, Unreadable

CPU_S: Final = 2
MEMORY_BYTES: Final = 512 << 20
IDLE_S: Final = 60.0
_STANDARD: Final = 3
"""Descriptors 0, 1 and 2: with no others allowed, nothing can be opened."""


def main() -> int:
    """0 when there was nothing more to do."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _warm_up()
    _give_up_rights()
    with socket.socket(fileno=0) as parent, parent.makefile("rwb") as stream:
        stream.write(b"\n")
        stream.flush()
        while select.select([parent], [], [], IDLE_S)[0]:
            line = stream.readline()
            if not line:
                break
            _bound_time()
            stream.write(json.dumps(_answer(json.loads(line))).encode() + b"\n")
            stream.flush()
        os._exit(0)  # closing the interpreter would want to open what it may not


def _answer(asked: dict[str, str]) -> dict[str, Any]:
    try:
        vetted = gate.read(asked["sql"], asked["name"])
    except Refused as refusal:
        return {"refused": str(refusal), "unreadable": isinstance(refusal, Unreadable)}
    except Exception:  # noqa: BLE001 - also a lack of memory: whatever it is, it is no reason to let a text in
        return {"refused": "This is no SELECT that can be read.", "unreadable": True}
    return {"pieces": vetted.pieces, "tables": vetted.tables}


def _warm_up() -> None:
    """Loads what the parser loads late; afterwards nothing can be loaded any more."""
    for view in SCHEMA.values():
        if view.example:
            gate.read(view.example, "")
    for text in ("SELECT", "SELECT 1 FROM", "DROP TABLE x", "SELECT 1 FROM x", "'", "SELECT '\\x"):
        try:
            gate.read(text, "")
        except Refused:
            continue


def _give_up_rights() -> None:
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, _STANDARD),
    ):
        resource.setrlimit(kind, (most, most))


def _bound_time() -> None:
    """The kernel ends this process when the next text takes longer."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = math.ceil(used.ru_utime + used.ru_stime) + CPU_S
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


if __name__ == "__main__":
    sys.exit(main())
