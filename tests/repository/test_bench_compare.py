"""The comparison of two versions: the best of what both measure, and which direction is worse."""

from __future__ import annotations

import pytest

from tests.bench import Figure
from tests.bench.compare import compared, ratio


def test_the_best_of_the_figures_that_both_versions_have() -> None:
    old = {"answered": [_figure(9, "ms"), _figure(5, "ms"), _figure(6, "ms")], "gone": [_figure(1, "ms")]}
    new = {"added": [_figure(1, "ms")], "answered": [_figure(4, "ms"), _figure(7, "ms"), _figure(3, "ms")]}
    [found] = compared("ingest", old, new)
    assert (found["name"], found["value"], found["baseline"]) == ("ingest: answered", 3, 5)


def test_the_best_rate_is_the_highest() -> None:
    [found] = compared("log", {"read": [_figure(7, "rows/s"), _figure(9, "rows/s")]}, {"read": [_figure(8, "rows/s")]})
    assert (found["value"], found["baseline"]) == (8, 9)


@pytest.mark.parametrize(
    ("unit", "now", "before", "times"),
    [("ms", 12, 10, 1.2), ("rows/s", 10, 12, 1.2), ("ms/s", 12, 10, 1.2), ("", 8, 10, 0.8), ("ms", 1, 0, 1.0)],
)
def test_worse_is_a_lower_rate_or_a_higher_cost(unit: str, now: float, before: float, times: float) -> None:
    assert ratio(_figure(now, unit, before)) == pytest.approx(times)


def _figure(value: float, unit: str, baseline: float = 0) -> Figure:
    return Figure(name="answered", value=value, unit=unit, baseline=baseline, command="python -m tests.bench ingest")
