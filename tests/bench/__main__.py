"""`make bench`: runs the benches and writes `docs/benchmarks.md`. Subjects that are not run keep their figures.

`python -m tests.bench gate` fails when a hot path became slower; `page` writes the page again from the kept figures.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path

from tests.bench import KEPT, Figure, gate, history, page

HERE = Path(__file__).parent
ONLY_BY_NAME = ("peers", "suite")
"""They take a quarter of an hour, and half an hour."""


def main(wanted: list[str]) -> int:
    if wanted[:1] == ["gate"]:
        return gate.main(wanted[1:])
    if wanted == ["page"]:
        page.write()
        return 0
    subjects = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    unknown = set(wanted) - set(subjects)
    if unknown:
        sys.stderr.write(f"No bench is called {', '.join(sorted(unknown))}; there are {', '.join(subjects)}.\n")
        return 2
    failed = []
    for subject in wanted or [name for name in subjects if name not in ONLY_BY_NAME]:
        print(f"bench {subject} …", flush=True)
        others_before = busy_share()
        started = time.monotonic()
        try:
            figures = importlib.import_module(f"tests.bench.bench_{subject}").run()
        except Exception:  # noqa: BLE001 - one broken bench must not hide the others' figures
            traceback.print_exc()
            failed.append(subject)
            continue
        keep(subject, figures, time.monotonic() - started, others_before)
    return 1 if failed else 0


def keep(subject: str, figures: list[Figure], took_s: float, busy_before: float) -> None:
    """Prints the figures and writes them to the page, in place of the subject's earlier ones."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    kept[subject] = {
        "at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "took_s": round(took_s),
        "busy_before": round(busy_before, 2),
        "machine": _machine(),
        "figures": figures,
    }
    for figure in figures:
        print("  " + page.table_row(figure), flush=True)
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    history.append_figures(subject, figures)
    page.write()


def busy_share() -> float:
    """Share of one core that other programs took in the half second before."""

    def busy() -> int:
        fields = [int(x) for x in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
        return sum(fields) - fields[3] - fields[4]

    first = busy()
    time.sleep(0.5)
    return (busy() - first) / os.sysconf("SC_CLK_TCK") / 0.5


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {system}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
