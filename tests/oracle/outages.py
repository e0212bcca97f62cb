"""What breaks while a history is played, and a client that sends again until it is acknowledged.

The log is stopped for a moment or killed, or ingest is killed while the log has not yet acknowledged what it was sent:
nobody knows then what is stored.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final

import httpx

from infra.kernel.observability.stack_state import read
from tests.oracle.history import Outage
from tests.support.stack import Stack, wait_for

LOG: Final = "kafka"


def patiently(send: Callable[[], httpx.Response]) -> httpx.Response:
    """The first answer that is neither a refusal for now nor a broken connection."""

    def answered() -> httpx.Response | None:
        with suppress(httpx.TransportError):
            answer = send()
            return answer if answer.status_code != 503 else None
        return None

    found: httpx.Response = wait_for(answered, "an acknowledgement")
    return found


@contextmanager
def broken(stack: Stack, outage: Outage) -> Iterator[Callable[[], object]]:
    """Within the block the outage lasts; the function that it gives goes on to the worst of it, once something was
    sent."""
    wait_for(lambda: _run(stack), "log and ingest to run")
    log = stack.pid(LOG)
    if outage == "log killed":
        stack.kill(LOG)
        yield lambda: None
        return
    os.kill(log, signal.SIGSTOP)
    try:
        yield partial(stack.kill, "ingest") if outage == "ingest killed" else lambda: None
    finally:
        os.kill(log, signal.SIGCONT)


def _run(stack: Stack) -> bool:
    """Both, after whatever was killed before."""
    state = read(stack.data_dir)
    running = {row.name for row in state.processes if row.state == "running"} if state is not None else set()
    return {LOG, "ingest"} <= running
