"""Measures the CPU time of ingest per event, by endpoint, beside the code before the pipelines (`BEFORE`).

`python -m tests.bench.bench_pipelines [--rounds N] [--against COMMIT]`. Both trees run the same requests, each in a
process of its own (`ingest_worker`: no network, no log, no Postgres), on one core, in turns: a busy machine slows both.
The figure is the median of the rounds; the note has the median ratio of the pairs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.bench import Figure, ingest_worker
from tests.support.engines import ROOT
from tests.support.previous_release import tree_of

BEFORE = "b64109b"
"""The last commit without pipelines."""
COMMAND = "python -m tests.bench.bench_pipelines --rounds"


def run(rounds: int = 20, against: str = BEFORE) -> list[Figure]:
    names = list(ingest_worker.cases())
    with ExitStack() as stack:
        old = stack.enter_context(tree_of(against))
        before, after = (stack.enter_context(worker(tree)) for tree in (old, ROOT))
        pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
        for number in range(rounds):
            for name in names:
                if number % 2:
                    first, second = ask(before, name), ask(after, name)
                else:
                    second, first = ask(after, name), ask(before, name)
                pairs[name].append((first, second))
    return [
        Figure(
            name=name,
            value=median(new for _, new in pairs[name]),
            unit="µs of CPU per event",
            baseline=median(old for old, _ in pairs[name]),
            baseline_name=f"before the pipelines ({against})",
            aim="≤ 1.05 × before",
            command=f"{COMMAND} {rounds}",
            note=f"{median(new / old for old, new in pairs[name]):.3f} × before",
        )
        for name in names
    ]


def ask(process: subprocess.Popen[str], name: str) -> float:
    """The worker's CPU microseconds per event of a case."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(f"{name}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


@contextmanager
def worker(tree: Path) -> Iterator[subprocess.Popen[str]]:
    """A worker of this tree's program in the code of another, on the first core that this process may use."""
    core = min(os.sched_getaffinity(0))
    with TemporaryDirectory() as folder:
        process = subprocess.Popen(
            ["taskset", "-c", str(core), sys.executable, str(Path(ingest_worker.__file__)), folder],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()
            process.communicate()


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--against", default=BEFORE)
    options = parser.parse_args(argv)
    for figure in run(options.rounds, options.against):
        print(f"{figure['name']:42} {figure['value']:8.2f} µs  before {figure['baseline']:8.2f} µs  {figure['note']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
