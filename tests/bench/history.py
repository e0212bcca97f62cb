"""How the ratios of benches and gate moved: `docs/benchmarks-history.jsonl`, a line for each figure of a run.

A ratio is a figure by its baseline of the same run, so that lines of different machines can be compared.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from tests.bench import DOCS, Figure
from tests.bench.charts import Panel, svg
from tests.bench.headlines import HEADLINES

LINES: Final = DOCS / "benchmarks-history.jsonl"
PICTURE: Final = "images/benchmarks-history.svg"
MAX_PANELS: Final = 9
MAX_TITLE: Final = 48


def append(subject: str, ratios: Mapping[str, float]) -> None:
    """Adds a line for each ratio, with the time and the commit."""
    entry = {"at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"), "commit": _commit(), "subject": subject}
    with LINES.open("a") as file:
        for figure, ratio in ratios.items():
            file.write(json.dumps(entry | {"figure": figure, "ratio": round(ratio, 3)}, ensure_ascii=False) + "\n")


def append_figures(subject: str, figures: list[Figure]) -> None:
    """The headlines among the figures of a run that have a baseline."""
    names = {headline.figure for headline in HEADLINES if headline.subject == subject}
    append(
        subject,
        {
            each["name"]: each["value"] / each["baseline"]
            for each in figures
            if each["name"] in names and each.get("baseline")
        },
    )


def section() -> Iterator[str]:
    """The part of the page."""
    yield "## History"
    yield (
        "Each figure by its baseline of the same run, over the runs; "
        "[benchmarks-history.jsonl](benchmarks-history.jsonl) has every run with its commit. The regression gate in CI "
        "(`python -m tests.bench gate`) fails when one of its ratios grows by more than the margin: "
        "[benchmarks-gate.json](benchmarks-gate.json) has the recorded ratios, and their noise from run to run. The "
        "margin is one and a half times the noise, at least 25 %."
    )
    yield f"![Ratios over time]({PICTURE})"


def pictures() -> dict[str, str]:
    """The chart: a panel for each figure with most runs, the regression gate's first."""
    lines: list[dict[str, Any]] = [json.loads(line) for line in LINES.read_text().splitlines()]
    found: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for line in lines:
        found.setdefault((line["subject"], line["figure"]), []).append((line["commit"], line["ratio"]))
    keys = sorted(found, key=lambda key: (key[0] != "gate", -len(found[key]), key))[:MAX_PANELS]
    return {PICTURE: svg([_panel(key, found[key]) for key in keys])}


def _panel(key: tuple[str, str], runs: list[tuple[str, float]]) -> Panel:
    title = ": ".join(key) if key[0] != "gate" else key[1]
    ends = {1.0: runs[0][0], float(max(2, len(runs))): runs[-1][0] if len(runs) > 1 else ""}
    points = [(float(number), ratio) for number, (_, ratio) in enumerate(runs, start=1)]
    return Panel(title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1]}…", {"ratio": points}, ends)


def _commit() -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=DOCS, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"
