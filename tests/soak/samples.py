"""Memory, file handles, threads and disk of a running stack every ten seconds, and whether they stay flat.

A process that is killed begins again with little, so growth is looked for within the life of each process: of all
pairs of samples of one process (the same process id), both taken after its warm-up and at least a minute apart, the
median of their slopes (Theil-Sen), which a few outliers do not move. Flat is what grows by no more than the allowance
in an hour, and what stays within the bounds of an engine. The log and its tables grow with every event; their bytes for
each request must not.
"""

from __future__ import annotations

import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Final

import psutil

from infra.kernel.observability.stack_state import read
from tests.support.stack import Stack

EVERY_S: Final = 10.0
WARM_UP_S: Final = 300.0
"""Caches, pools and compiled code fill in this time."""
MIN_APART_S: Final = 60.0
MIN_PAIRS: Final = 30
"""With fewer pairs nothing is judged: the run was too short."""
MIB: Final = 1 << 20


@dataclass(frozen=True)
class Sample:
    """One process with its descendants, `at` seconds after the start of the run."""

    at: float
    name: str
    pid: int
    age: float
    memory_mib: float
    handles: int
    threads: int


@dataclass(frozen=True)
class DiskSample:
    """The data directory: all, and the log files of the processes; with the requests that were acknowledged by then."""

    at: float
    requests: int
    data_mib: float
    logs_mib: float


@dataclass(frozen=True)
class Allowance:
    """What may grow in an hour: a share of the median, and never less than `least`."""

    unit: str
    share: float
    least: float


ALLOWANCES: Final[Mapping[str, Allowance]] = {
    "memory_mib": Allowance("MiB", 0.35, 64),
    "handles": Allowance("handles", 0.35, 24),
    "threads": Allowance("threads", 0.35, 8),
}
BOUNDS: Final[Mapping[tuple[str, str], float]] = {
    ("clickhouse", "memory_mib"): 768,
    ("clickhouse", "handles"): 900,
    ("kafka", "memory_mib"): 660,
    ("postgres", "memory_mib"): 256,
    ("postgres", "handles"): 6_000,
    ("query", "handles"): 96,
    ("projectors", "handles"): 96,
    ("command", "handles"): 140,
}
"""Heaps, caches and pools fill for long, up to sizes that are set: what they may take in all. ClickHouse: 340 MiB
without work, 180 of caches, statements; each of its 200 threads opens three files of /proc once it has worked, tables
and connections have 110, two merges of ten parts 180. Kafka: 384 of heap, 128 of buffers, code and stacks. Postgres:
each of fifty connections keeps what it knows of the tables that it has used, and their files open. The pools of the
services fill when an engine comes back and requests have waited: query has 28 handles of its own, and pools of 12
connections to Postgres, 24 to ClickHouse (statements, pings), 32 of the gateway's; projectors 43, 8 to Kafka, 20 to
Postgres, 24 to ClickHouse; command 32, 6 to Kafka, 53 to Postgres, 6 to ClickHouse, 32 of the gateway's."""
MAX_DISK_GROWTH: Final = 1.5
"""How much faster than before the data directory may grow with the requests. Medians of thirds of the run, because
parts that wait to be removed and segments of Postgres's log are up to a quarter of it."""


@dataclass(frozen=True)
class Growth:
    """How a figure of a process grew. `allowed`: in an hour; of what is bounded, in all. `is_flat` is None where there
    were too few samples to say."""

    name: str
    figure: str
    median: float
    largest: float
    per_hour: float
    allowed: float
    is_flat: bool | None

    @property
    def is_bounded(self) -> bool:
        """Whether a fixed size is allowed, instead of growth."""
        return (self.name, self.figure) in BOUNDS


class Sampler:
    """A thread that samples the stack until `stop`; a process that is away is left out."""

    def __init__(self, stack: Stack, requests: Callable[[], int]) -> None:
        self.samples: list[Sample] = []
        self.disk: list[DiskSample] = []
        self._stack, self._requests = stack, requests
        self._began = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)

    def start(self) -> None:
        """Takes the first sample at once."""
        self._thread.start()

    def stop(self) -> None:
        """Returns when no more samples come."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            at = round(time.monotonic() - self._began, 1)
            state = read(self._stack.data_dir)
            for row in state.processes if state is not None else ():
                if row.pid is not None and row.state == "running":
                    with suppress(psutil.Error):
                        self.samples.append(_sample(at, row.name, row.pid))
            data, logs = _size(self._stack.data_dir), _size(self._stack.data_dir / "logs")
            self.disk.append(DiskSample(at, self._requests(), round(data / MIB, 1), round(logs / MIB, 2)))
            if self._ended.wait(EVERY_S):
                return


def judge(samples: Sequence[Sample]) -> list[Growth]:
    """Every figure of every process."""
    names = sorted({sample.name for sample in samples})
    return [_judged([s for s in samples if s.name == name], name, figure) for name in names for figure in ALLOWANCES]


def judge_disk(samples: Sequence[DiskSample]) -> tuple[float, float, bool | None]:
    """Bytes for a request from the first to the second third of the run and from there to the last one, and whether
    these are flat."""
    end = samples[-1].at if samples else 0.0
    thirds = [[each for each in samples if low <= each.at <= low + end / 3] for low in (0.0, end / 3, end * 2 / 3)]
    if not all(thirds):
        return 0.0, 0.0, None
    middles = [
        (statistics.median(each.requests for each in third), statistics.median(each.data_mib for each in third))
        for third in thirds
    ]
    if any(last[0] <= first[0] for first, last in pairwise(middles)):
        return 0.0, 0.0, None
    before, after = ((last[1] - first[1]) * MIB / (last[0] - first[0]) for first, last in pairwise(middles))
    return before, after, after <= max(before, 1.0) * MAX_DISK_GROWTH


def _judged(samples: Sequence[Sample], name: str, figure: str) -> Growth:
    allowance = ALLOWANCES[figure]
    warm = [sample for sample in samples if sample.age >= WARM_UP_S]
    values = [float(getattr(sample, figure)) for sample in (warm or samples)]
    median = statistics.median(values)
    slopes = [
        3600 * (getattr(last, figure) - getattr(first, figure)) / (last.at - first.at)
        for first, last in combinations(warm, 2)
        if first.pid == last.pid and last.at - first.at >= MIN_APART_S
    ]
    bound = BOUNDS.get((name, figure))
    allowed = bound if bound is not None else max(allowance.least, allowance.share * median)
    if len(slopes) < MIN_PAIRS:
        return Growth(name, figure, median, max(values), 0.0, allowed, None)
    slope = statistics.median(slopes)
    is_flat = max(values) <= bound if bound is not None else slope <= allowed
    return Growth(name, figure, median, max(values), slope, allowed, is_flat)


def _sample(at: float, name: str, pid: int) -> Sample:
    root = psutil.Process(pid)
    memory = handles = threads = 0.0
    for process in (root, *root.children(recursive=True)):
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            memory += _memory(process)
            handles += process.num_fds()
            threads += process.num_threads()
    age = time.time() - root.create_time()
    return Sample(at, name, pid, round(age, 1), round(memory / MIB, 1), int(handles), int(threads))


def _memory(process: psutil.Process) -> float:
    """Bytes of its own and, by its share, of what it shares with others. Pages of mapped files are left out: they are
    the kernel's cache of programs and of the index of event ids, whose size is that of the data directory."""
    if not sys.platform.startswith("linux"):
        return float(process.memory_info().rss)
    try:
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0.0
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    return 1024.0 * sum(int(fields[name].split()[0]) for name in ("Pss_Anon", "Pss_Shmem"))


def _size(folder: Path) -> int:
    """Bytes on the disk; files that go meanwhile are left out."""
    total = 0
    for path, _, files in os.walk(folder):
        for file in files:
            with suppress(OSError):
                total += os.lstat(f"{path}/{file}").st_blocks * 512
    return total
