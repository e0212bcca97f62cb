"""Processor time of each process of a running stack, read from the kernel, children included."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

import psutil

from infra.kernel.observability.stack_state import read
from tests.support.stack import Stack

Seconds = Mapping[str, float]


@dataclass(frozen=True)
class Sample:
    """What each process has used since it began, and when that was read."""

    at: float
    used: Seconds


def sample(stack: Stack) -> Sample:
    """The supervisor and every process that it started, each with its descendants."""
    state = read(stack.data_dir)
    assert state is not None and stack.process is not None
    found = {row.name: of_family(row.pid) for row in state.processes if row.pid is not None}
    own = psutil.Process(stack.process.pid).cpu_times()  # not its children: they are the rows above
    return Sample(time.monotonic(), {"supervisor": own.user + own.system, **found})


def between(first: Sample, last: Sample) -> Seconds:
    """Seconds that each process used from one sample to the other."""
    return {name: last.used[name] - first.used.get(name, 0.0) for name in last.used}


def of_family(pid: int) -> float:
    """Seconds of the process, its living descendants, and those that it has waited for."""
    root = psutil.Process(pid)
    total = 0.0
    for process in (root, *root.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total
