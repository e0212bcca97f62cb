"""Compares two versions: `python -m tests.bench.compare TREE [SUBJECT …]` runs each bench in the older TREE and here.

It runs them in turns and writes the best figure of each into `docs/benchmarks.md`, subject `compare`. In turns, because
the speed of a machine changes within minutes; the best, because other load only ever makes a figure worse. TREE is a
checkout with its packages installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tests.bench import Figure
from tests.bench.__main__ import HERE, ONLY_BY_NAME, busy_share, keep

TURNS: Final = 4
ALLOWED: Final = 1.05
"""More than this is printed as worse."""

_COSTS: Final = ("ms/s",)
"""Units with "/s" of which less is better."""

Values = dict[str, list[Figure]]


def main(arguments: list[str]) -> int:
    """Exit code 1 if a figure is worse than before by more than 5 %."""
    if not arguments:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    before, here = Path(arguments[0]).resolve(), HERE.parents[1]
    every = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    subjects = arguments[1:] or [name for name in every if name not in ONLY_BY_NAME]
    started, others = time.monotonic(), busy_share()
    figures = [figure for subject in subjects for figure in _compared(subject, before, here)]
    keep("compare", figures, time.monotonic() - started, others)
    worse = [figure for figure in figures if ratio(figure) > ALLOWED]
    for figure in worse:
        print(f"worse by {ratio(figure) - 1:.0%}: {figure['name']}")
    return 1 if worse else 0


def _compared(subject: str, before: Path, here: Path) -> list[Figure]:
    old: Values = {}
    new: Values = {}
    for turn in range(TURNS):
        # Each is the first as often: a bench finds the machine as the one before it left it.
        for tree, values in ((before, old), (here, new))[:: -1 if turn % 2 else 1]:
            for figure in _measured(subject, tree):
                values.setdefault(figure["name"], []).append(figure)
    return list(compared(subject, old, new))


def compared(subject: str, old: Mapping[str, list[Figure]], new: Mapping[str, list[Figure]]) -> Iterable[Figure]:
    """The best of the figures that both versions have."""
    for name in (name for name in new if name in old):
        unit = new[name][0]["unit"]
        best = max if _is_rate(unit) else min
        yield Figure(
            name=f"{subject}: {name}",
            value=best(figure["value"] for figure in new[name]),
            unit=unit,
            baseline=best(figure["value"] for figure in old[name]),
            baseline_name="before",
            command=f"python -m tests.bench.compare TREE {subject}",
        )


def ratio(figure: Figure) -> float:
    """How many times worse than before: above 1, a rate is lower or anything else is higher."""
    now, before = figure["value"], figure["baseline"]
    if _is_rate(figure["unit"]):
        now, before = before, now
    return now / before if before else 1.0


def _is_rate(unit: str) -> bool:
    """Whether more is better."""
    return unit.endswith("/s") and unit not in _COSTS


def _measured(subject: str, tree: Path) -> list[Figure]:
    python = str(tree / ".venv" / "bin" / "python")
    subprocess.run([python, "-m", "tests.bench", subject], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    found: list[Figure] = json.loads((tree / "docs" / "benchmarks.json").read_text())[subject]["figures"]
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
