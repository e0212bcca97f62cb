"""What a soak breaks, in which order.

In the first half services are killed and engines freeze, in the second half engines are killed and services freeze.
So each process has a life of a quarter of an hour in which what leaks would show, above all at what it depends on.
Everything restarts in the middle and at the end, as an update does.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Final

from infra.kernel.observability.stack_state import read
from infra.ops.stack.plan import ENGINES, SERVICES
from tests.support.outages import freeze
from tests.support.stack import Stack, wait_for

KILLED: Final = (("ingest", "projectors", "query", "command", "web"), ("kafka", "postgres", "clickhouse"))
FROZEN: Final = (("postgres", "kafka", "clickhouse"), ("projectors", "ingest", "command"))
"""Of each half."""
FREEZE_EVERY: Final = 4
FROZEN_S: Final = 8.0
"""Longer than any client waits for an engine, shorter than the minute after which the supervisor ends a service."""
ALL: Final = "all"


@dataclass(frozen=True)
class Fault:
    """`kind`: killed (SIGKILL), frozen (SIGSTOP, for `FROZEN_S`) or restarted (all, as an update does)."""

    kind: str
    name: str


def schedule(count: int) -> Sequence[Fault]:
    """So many faults. With 30 each service is killed once and each engine three times at least."""
    restart = Fault("restarted", ALL)
    first, second = (count - 2) // 2, (count - 1) // 2
    return [*_half(0, first), restart, *_half(1, second), restart][-count:]


def _half(half: int, count: int) -> list[Fault]:
    kills, freezes = cycle(KILLED[half]), cycle(FROZEN[half])
    return [
        Fault("frozen", next(freezes)) if number % FREEZE_EVERY == 0 else Fault("killed", next(kills))
        for number in range(1, count + 1)
    ]


def inflict(stack: Stack, fault: Fault) -> float:
    """Returns the seconds from the fault until every process runs again. Raises `AssertionError` if they do not."""
    began = time.monotonic()
    match fault.kind:
        case "restarted":
            code = stack.stop()
            assert code == 0, f"the stack ended with {code}:\n{stack.tail()}"
            stack.start()
        case "frozen":
            freeze(stack, fault.name, began + FROZEN_S)
        case _:
            pid = stack.pid(fault.name)
            stack.kill(fault.name)
            wait_for(lambda: _pid_of(stack, fault.name) not in (None, pid), f"another process of {fault.name}")
    wait_for(lambda: _all_run(stack), f"all to run after {fault.name} was {fault.kind}", timeout_s=120)
    return time.monotonic() - began


def _pid_of(stack: Stack, name: str) -> int | None:
    state = read(stack.data_dir)
    return next((row.pid for row in state.processes if row.name == name), None) if state is not None else None


def _all_run(stack: Stack) -> bool:
    state = read(stack.data_dir)
    running = {row.name for row in state.processes if row.state == "running"} if state is not None else set()
    return {*ENGINES, *SERVICES} <= running
