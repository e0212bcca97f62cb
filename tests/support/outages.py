"""A process of a running stack that is away for a while: killed again and again, or frozen."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

import psutil

from infra.kernel.observability.stack_state import is_same, read
from tests.support.stack import Stack


def keep_down(stack: Stack, name: str, until: float) -> None:
    """Kills it again and again, as a broken disk would."""
    while time.monotonic() < until:
        state = read(stack.data_dir)
        row = next(row for row in state.processes if row.name == name) if state is not None else None
        if row is not None and row.pid is not None and is_same(row.pid, row.born):
            with suppress(ProcessLookupError):
                os.kill(row.pid, signal.SIGKILL)
        time.sleep(0.02)


def freeze(stack: Stack, name: str, until: float) -> None:
    """With every process of its own: Postgres has one for each connection."""
    engine = psutil.Process(stack.pid(name))
    engine.suspend()
    everyone = [engine, *engine.children(recursive=True)]
    for process in everyone:
        process.suspend()
    try:
        time.sleep(max(0.0, until - time.monotonic()))
    finally:
        for process in everyone:
            process.resume()
