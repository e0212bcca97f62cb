"""`python -m infra.domain.sql_access.validator_process`: parses analysts' texts in a process without rights.

Started by `validator_pool`. Reads one JSON document per line from standard input and writes one answer per line to
standard output; both are one socket. After its start it cannot open files or connections or start programs, and uses
at most `MEMORY_BYTES` of memory and `CPU_S` of CPU time per text. It ends when its parent does, or after `IDLE_S`
without work.
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

from infra.domain.sql_access import sql_validator
from infra.domain.sql_access.tables import SCHEMA
from infra.domain.sql_access.validation_result import StatementRejected, StatementUnreadable

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


def _answer(request: dict[str, str]) -> dict[str, Any]:
    try:
        validated = sql_validator.read(request["sql"], request["name"])
    except StatementRejected as refusal:
        return {"refused": str(refusal), "unreadable": isinstance(refusal, StatementUnreadable)}
    except Exception:  # noqa: BLE001 - also a lack of memory: whatever it is, it is no reason to let a text in
        return {"refused": "This is no SELECT that can be read.", "unreadable": True}
    return {"pieces": validated.pieces, "tables": validated.tables}


def _warm_up() -> None:
    """Loads what the parser loads late; afterwards nothing can be loaded any more."""
    for view in SCHEMA.values():
        if view.example:
            sql_validator.read(view.example, "")
    for text in ("SELECT", "SELECT 1 FROM", "DROP TABLE x", "SELECT 1 FROM x", "'", "SELECT '\\x"):
        try:
            sql_validator.read(text, "")
        except StatementRejected:
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
