"""`make bench`: runs the benches and writes `docs/benchmarks.md`. Subjects that are not run keep their figures."""

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

from tests.bench import Figure

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "benchmarks.md"
KEPT = HERE.parents[1] / "docs" / "benchmarks.json"
ONLY_BY_NAME = ("peers", "suite")
"""They take a quarter of an hour, and half an hour."""


def main(wanted: list[str]) -> int:
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
        "figures": figures,
    }
    for figure in figures:
        print("  " + _row(figure), flush=True)
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")
    PAGE.write_text(_page(kept))


def busy_share() -> float:
    """Share of one core that other programs took in the half second before."""

    def busy() -> int:
        fields = [int(x) for x in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
        return sum(fields) - fields[3] - fields[4]

    first = busy()
    time.sleep(0.5)
    return (busy() - first) / os.sysconf("SC_CLK_TCK") / 0.5


def _page(kept: dict[str, dict[str, object]]) -> str:
    parts = [
        "# Benchmarks",
        "Written by `make bench` (`python -m tests.bench [subject …]`). Each figure has a baseline that was "
        "measured in the same run on the same machine; compare ratios, not machines.",
        f"Machine: {os.cpu_count()} cores, {_memory()}, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}. Engines, load generator and services share these cores.",
    ]
    for subject in sorted(kept):
        entry = kept[subject]
        parts.append(
            f"## {subject}\n\nMeasured {entry['at']} in {entry['took_s']} s; "
            f"other programs used {entry['busy_before']} of a core before the run."
        )
        parts.append(
            "| figure | measured | baseline | aim | how |\n|---|---|---|---|---|\n"
            + "\n".join(_row(figure) for figure in entry["figures"])  # type: ignore[attr-defined]  # plain JSON
        )
    return "\n\n".join(parts) + "\n"


def _row(figure: Figure) -> str:
    baseline = ""
    if "baseline" in figure:
        baseline = f"{_number(figure['baseline'])} {figure['unit']} {figure.get('baseline_name', '')}".strip()
    how = f"`{figure['command']}`" + (f" {figure['note']}" if figure.get("note") else "")
    measured = f"**{_number(figure['value'])}** {figure['unit']}"
    return f"| {figure['name']} | {measured} | {baseline} | {figure.get('aim', '')} | {how} |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _memory() -> str:
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
