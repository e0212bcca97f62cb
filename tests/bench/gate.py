"""The regression gate against slow code: `python -m tests.bench gate`, a part of `.ci/run`.

A few paths that every event takes run in turns with reference work that never changes, in the same process on the same
core. Only the ratio of their processor times counts: a slow or busy machine slows both. `docs/benchmarks-gate.json`
has the ratio that was recorded for each path and how much it differed from run to run (its noise); a path fails when
the median of the rounds exceeds the recorded ratio by more than the margin. `--record` records what it measures, after
a change that is meant to cost more, or costs less.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time_ns
from typing import Any, Final

from infra.kernel.config.paths import ROOT
from tests.bench import DOCS, history
from tests.bench.gate_paths import GatePath, gate_paths

BOUNDS: Final = DOCS / "benchmarks-gate.json"
ROUNDS: Final = 61
REPEATS: Final = 2
RUNS_TO_RECORD: Final = 9
MIN_MARGIN: Final = 0.25
NOISES: Final = 1.5
"""The margin is so many times the noise, and never less than `MIN_MARGIN`."""

Clock = Callable[[], int]


@dataclass(frozen=True)
class Bound:
    """The recorded ratio of a path: the median of several runs; `noise`: their largest distance from it, as a share."""

    ratio: float
    noise: float

    @property
    def margin(self) -> float:
        """How much more is allowed, as a share."""
        return max(MIN_MARGIN, NOISES * self.noise)

    @property
    def limit(self) -> float:
        """The largest ratio that passes."""
        return self.ratio * (1 + self.margin)


def main(arguments: Sequence[str]) -> int:
    """0: every path is within its bound; 1: one is not, or has none; 2: wrong use. `--measure` prints ratios only."""
    match arguments:
        case []:
            with _paths() as paths:
                return check(paths, read_bounds())
        case ["--measure"]:
            with _paths() as paths:
                print(json.dumps({path.name: measure(path) for path in paths}))
            return 0
        case ["--record"]:
            record()
            return 0
    sys.stderr.write(f"{__doc__}\n")
    return 2


@contextmanager
def _paths() -> Iterator[Sequence[GatePath]]:
    """On one core: a move to another empties the caches of whichever part runs."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with TemporaryDirectory(prefix="althing-gate-") as folder:
        yield gate_paths(Path(folder))


def check(paths: Sequence[GatePath], bounds: Mapping[str, Bound], rounds: int = ROUNDS) -> int:
    """Measures every path and says which are slower than their bounds allow: 1 if there are any, else 0."""
    slow = []
    for path in paths:
        measured, bound = measure(path, rounds), bounds.get(path.name)
        if bound is None or measured > bound.limit:
            # Once more: other programs only ever make it slower.
            measured = min(measured, *(measure(path, rounds) for _ in range(REPEATS)))
        text = f"{measured:.2f} × {path.reference_name}"
        print(f"gate {path.name}: {text}; " + (f"at most {bound.limit:.2f}" if bound else "no bound is recorded"))
        if bound is None or measured > bound.limit:
            slow.append(f"{path.name}: {text}")
    if slow:
        print("slower than recorded: " + "; ".join(slow) + ". If that is meant: python -m tests.bench gate --record")
    return 1 if slow else 0


def measure(path: GatePath, rounds: int = ROUNDS, clock: Clock = process_time_ns) -> float:
    """The median, over the rounds, of the path's time by that of its reference, which run one after the other. No
    garbage is collected meanwhile: when that happens depends on what else the process holds."""
    path.work()
    path.reference()
    ratios = []
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for number in range(rounds):
            parts = (path.work, path.reference) if number % 2 else (path.reference, path.work)
            took = {part: _time(part, clock) for part in parts}
            ratios.append(took[path.work] / max(1, took[path.reference]))
    finally:
        if was_enabled:
            gc.enable()
    return statistics.median(ratios)


def record() -> None:
    """Measures every path in several processes, since they differ, and writes bounds and history."""
    command = [sys.executable, "-m", "tests.bench", "gate", "--measure"]
    runs = [
        json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
        for _ in range(RUNS_TO_RECORD)
    ]
    found: dict[str, dict[str, float]] = {}
    for name in runs[0]:
        ratios = [run[name] for run in runs]
        middle = statistics.median(ratios)
        noise = max(abs(ratio - middle) for ratio in ratios) / middle
        bound = Bound(round(middle, 3), round(noise, 3))
        found[name] = {"ratio": bound.ratio, "noise": bound.noise}
        print(f"gate {name}: {bound.ratio}, noise {bound.noise:.1%}, at most {bound.limit:.2f}")
    BOUNDS.write_text(json.dumps(found, indent=1) + "\n")
    history.append("gate", {name: bound["ratio"] for name, bound in found.items()})


def read_bounds() -> Mapping[str, Bound]:
    """The recorded bounds by the name of the path."""
    found: dict[str, dict[str, Any]] = json.loads(BOUNDS.read_text())
    return {name: Bound(**bound) for name, bound in found.items()}


def _time(work: Callable[[], object], clock: Clock) -> int:
    began = clock()
    work()
    return clock() - began
