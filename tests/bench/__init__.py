"""Benches: each `bench_<subject>.py` has `run() -> list[Figure]`; `python -m tests.bench [subject …]` runs them in turn
and writes the figures, each beside a baseline of the same run, into `docs/benchmarks.md`.

A bench is no test: it never fails because of a time. It starts and ends what it measures.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import quantiles
from typing import Final, TypedDict

DOCS: Final = Path(__file__).parents[2] / "docs"
KEPT: Final = DOCS / "benchmarks.json"
"""What each subject's last run measured."""


class _Measured(TypedDict):
    name: str
    value: float
    unit: str
    command: str


class Figure(_Measured, total=False):
    """One measured figure. `baseline`: the same work done bare, in the same unit; `aim`: what we are out for."""

    baseline: float
    baseline_name: str
    aim: str
    note: str


def figure(
    command: str,
    name: str,
    value: float,
    unit: str,
    *,
    baseline: float | None = None,
    against: str = "",
    aim: str = "",
    note: str = "",
) -> Figure:
    """A figure as it is printed: a decimal below a thousand. `against`: what the baseline is."""
    shown = round(value, 1) if value < 1000 else round(value)
    found: Figure = {"name": name, "value": shown, "unit": unit, "command": command}
    if baseline is not None:
        found |= {"baseline": round(baseline, 1), "baseline_name": against}
    if aim:
        found["aim"] = aim
    if note:
        found["note"] = note
    return found


def percentile_of(milliseconds: list[float], percentile: int) -> float:
    """The time that so many of a hundred do not exceed."""
    return round(quantiles(milliseconds, n=100)[percentile - 1], 1)


def kept_figures(subject: str) -> list[Figure]:
    """The figures of the subject's last run; none if there was none."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    found: list[Figure] = kept.get(subject, {}).get("figures", [])
    return found
