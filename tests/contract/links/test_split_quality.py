"""How often the verdict on a split is wrong, and how often it finds a difference: simulated splits, seeded.

Every split is looked at each day for sixty days, as people do, and ends with the first verdict. The shares here are
those of docs/splits.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

import pytest

from infra.domain.splits.judging import ALPHA, Verdict, judge
from schemas.events.links import Shifting
from tests.support.simulated_splits import Side, days_of, shifted_days

SPLITS = 200
DAYS = 60
EQUAL = {
    "half and half": ([Side(300, 0.02)] * 2, ()),
    "nine to one": ([Side(900, 0.02), Side(100, 0.02)], ()),
    "four variants": ([Side(200, 0.02)] * 4, ()),
    "commissions that differ a lot": ([Side(300, 0.02, sigma=1.3)] * 2, ()),
    "many small and few large ones": ([Side(300, 0.02, 2_000), Side(300, 0.01, 4_000)], ()),
    "weights that shift while the season gets better": ([Side(300, 0.02)] * 2, (1.7, 0.3)),
}
DIFFERENT = {
    "30 % more": ([Side(300, 0.02), Side(300, 0.026)], (), 0.7),
    "50 % more": ([Side(300, 0.02), Side(300, 0.03)], (), 0.95),
    "50 % more, with ever less traffic": ([Side(300, 0.02), Side(300, 0.03)], (1.7, 0.3), 0.9),
    "twice as much": ([Side(300, 0.02), Side(300, 0.04)], (), 0.99),
}
QUICK = ("half and half", "weights that shift while the season gets better", "equal, half and half")


SHIFTED: dict[str, tuple[list[Side], float, float]] = {
    "equal, half and half": ([Side(300, 0.02)] * 2, 0.0, 0.05),
    "50 % more": ([Side(300, 0.02), Side(300, 0.03)], 0.9, 1.0),
    "twice as much": ([Side(300, 0.02), Side(300, 0.04)], 0.99, 1.0),
}
"""Sides, and between which shares of splits have other weights after the days."""


def cases(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in names]


def winners(sides: Sequence[Side], ramp: Sequence[float]) -> list[int | None]:
    """The winner of each split; none: none is certain within the days, or the variants are equal."""
    found = []
    for seed in range(SPLITS):
        judged = (judge(figures) for figures in days_of(sides, DAYS, Random(seed), ramp))
        ended = next((each for each in judged if each.verdict in (Verdict.WINNER, Verdict.EQUAL)), None)
        found.append(ended.leader if ended is not None and ended.verdict is Verdict.WINNER else None)
    return found


@pytest.mark.parametrize("name", cases(EQUAL))
def test_equal_variants_have_a_winner_in_one_of_twenty_splits_at_most(name: str) -> None:
    found = winners(*EQUAL[name])
    assert sum(winner is not None for winner in found) / SPLITS <= ALPHA


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_difference_is_found_and_the_worse_variant_never_wins(name: str) -> None:
    sides, ramp, share = DIFFERENT[name]
    found = winners(sides, ramp)
    assert found.count(2) / SPLITS >= share
    assert found.count(1) / SPLITS <= ALPHA / 2


@pytest.mark.parametrize("name", cases(SHIFTED))
def test_weights_that_follow_results_go_to_the_better_variant_and_stay_for_equal_ones(name: str) -> None:
    sides, at_least, at_most = SHIFTED[name]
    ends = [deque(shifted_days(sides, DAYS, Random(seed), Shifting(is_on=True)), 1)[0][0] for seed in range(SPLITS)]
    assert at_least <= sum(weights != {1: 1, 2: 1} for weights in ends) / SPLITS <= at_most
    if at_least:
        assert not [weights for weights in ends if weights[1] > weights[2]], "never to the worse one"
        assert sum(weights == {1: 10, 2: 90} for weights in ends) / SPLITS >= at_least - 0.1
