"""Measures how long the tests take: `make test-fast` and `make test`, with the packages installed.

`python -m tests.bench suite`; `make bench` leaves it out, for it takes half an hour. A small loop runs beside the
tests: where cores are shared with other machines, its processor time says how much slower they were than at their best.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import fmean
from threading import Event, Thread

import psutil

from infra.kernel.config.paths import ROOT
from tests.bench import Figure

EVERY_S = 10.0
STEPS = 500_000
BEFORE_S = {"make test-fast": 96.0, "make test": 27 * 60 + 26.0}
"""Wall time before the suites shared stacks and workers, on the same machine; the aims are those of that change."""
AIM_S = {"make test-fast": 30, "make test": 900}
LIMITS = {
    "make test-fast": "each of two workers takes 10 s of processor time to import the product and to collect the tests",
    "make test": "the cores are idle for 0 to 2 % of it, so that only less work helps; ClickHouse takes a third to"
    " a half of every file of crash and e2e tests and three quarters of the analytics files: it plans each"
    " statement on the thread of the call, whatever it reads, and an insert feeds eight rollups",
}
"""What limits a time that misses its aim."""


def run() -> list[Figure]:
    """Wall and CPU time of both, and how much slower the cores were than at their best."""
    return [figure for command in BEFORE_S for figure in _measured(command)]


def _measured(command: str) -> Iterator[Figure]:
    began, busy = time.monotonic(), _busy_s()
    with _loops() as took:
        done = subprocess.run(command.split(), cwd=ROOT, check=False)
    wall, cpu = time.monotonic() - began, _busy_s() - busy
    note = "all passed" if done.returncode == 0 else f"exit code {done.returncode}"
    if wall > AIM_S[command]:
        note = f"{note}; {LIMITS[command]}"
    yield Figure(
        name=f"{command}: wall time",
        value=wall,
        unit="s",
        baseline=BEFORE_S[command],
        baseline_name="before",
        aim=f"≤ {AIM_S[command]} s",
        command=command,
        note=note,
    )
    yield Figure(name=f"{command}: CPU time of the machine", value=cpu, unit="s", command=command)
    slower = fmean(took) / min(took)
    yield Figure(
        name=f"{command}: a loop beside it, mean CPU time",
        value=fmean(took) * 1000,
        unit="ms",
        baseline=min(took) * 1000,
        baseline_name="at its best",
        command=command,
        note=f"the cores were {slower:.2f} times slower than at their best",
    )


@contextmanager
def _loops() -> Iterator[list[float]]:
    """Seconds of processor time of each loop that runs beside the block, one every `EVERY_S`."""
    took: list[float] = [_loop()]
    over = Event()

    def repeat() -> None:
        while not over.wait(EVERY_S):
            took.append(_loop())

    beside = Thread(target=repeat)
    beside.start()
    try:
        yield took
    finally:
        over.set()
        beside.join()


def _loop() -> float:
    began, total = time.thread_time(), 0
    for number in range(STEPS):
        total += number * number
    return time.thread_time() - began


def _busy_s() -> float:
    """Processor time of all processes of the machine so far."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + times.irq + times.softirq)
