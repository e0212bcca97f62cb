"""Given the verdict on a split, its weights and bounds, then these weights, never beyond the bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.domain.splits.judging import SplitResult, VariantFigures, Verdict, judge
from infra.domain.splits.shifting import shift
from schemas.events.links import Shifting, ShiftOutcome
from tests.unit.infra.domain.splits.test_judging import variant

BOUNDS = Shifting(is_on=True)
WEIGHTS = st.dictionaries(st.integers(1, 50), st.integers(1, 1000), min_size=2, max_size=10)


def winner(number: int) -> SplitResult:
    return SplitResult(Verdict.WINNER, number)


@pytest.mark.parametrize(
    ("weights", "shifted"),
    [
        ({1: 1, 2: 1}, {1: 40, 2: 60}),
        ({1: 500, 2: 500}, {1: 40, 2: 60}),
        ({1: 15, 2: 85}, {1: 10, 2: 90}),
        ({1: 1, 2: 1, 3: 1}, {1: 29, 2: 43, 3: 28}),
        ({1: 20, 2: 30, 3: 50}, {1: 18, 2: 40, 3: 42}),
        ({1: 10, 2: 40, 3: 50}, {1: 10, 2: 50, 3: 40}),
        (dict.fromkeys(range(1, 10), 10) | {2: 19, 10: 1}, None),
        (dict.fromkeys(range(1, 11), 10), None),
        ({1: 10, 2: 90}, None),
        ({1: 1, 2: 999}, None),
    ],
    ids=str,
)
def test_the_winner_gets_a_step_from_what_the_others_have_above_the_floor(
    weights: dict[int, int], shifted: dict[int, int] | None
) -> None:
    found = shift(winner(2), weights, BOUNDS)
    if shifted is None:
        assert (found.outcome, found.weights) == (ShiftOutcome.AT_BOUNDS, weights)
    else:
        assert (found.outcome, found.weights) == (ShiftOutcome.SHIFTED, shifted)


@pytest.mark.parametrize("verdict", [Verdict.COLLECTING, Verdict.UNDECIDED, Verdict.EQUAL])
def test_nothing_shifts_without_a_certain_winner(verdict: Verdict) -> None:
    found = shift(SplitResult(verdict, 2), {1: 3, 2: 1}, BOUNDS)
    assert (found.outcome, found.weights) == (ShiftOutcome(verdict.value), {1: 3, 2: 1})


def test_nothing_shifts_to_a_winner_that_gets_no_traffic_or_was_deleted() -> None:
    assert shift(winner(7), {1: 1, 2: 1}, BOUNDS).outcome is ShiftOutcome.COLLECTING
    assert shift(winner(1), {1: 1}, BOUNDS).outcome is ShiftOutcome.COLLECTING


def test_a_split_without_a_click_does_not_shift() -> None:
    result = judge([VariantFigures(1), VariantFigures(2)])
    assert shift(result, {1: 1, 2: 1}, BOUNDS).outcome is ShiftOutcome.COLLECTING


def test_figures_of_a_clearly_better_variant_shift_to_it_whatever_the_order() -> None:
    better, worse = variant(7, 100, 12), variant(2, 100, 5)
    for variants in ([better, worse], [worse, better]):
        found = shift(judge(variants), {each.number: 1 for each in variants}, BOUNDS)
        assert (found.outcome, found.weights) == (ShiftOutcome.SHIFTED, {7: 60, 2: 40})


def test_day_after_day_it_ends_at_the_floor() -> None:
    weights, days = dict.fromkeys(range(1, 5), 1), 0
    while (found := shift(winner(3), weights, BOUNDS)).outcome is ShiftOutcome.SHIFTED:
        weights, days = dict(found.weights), days + 1
    assert (weights, days) == ({1: 10, 2: 10, 3: 70, 4: 10}, 5)


@given(WEIGHTS, st.data(), st.integers(1, 50), st.integers(1, 50))
def test_weights_add_up_and_no_bound_is_broken(
    weights: dict[int, int], data: st.DataObject, min_share: int, max_step: int
) -> None:
    leader = data.draw(st.sampled_from(sorted(weights)))
    bounds = Shifting(is_on=True, min_share=min_share, max_step=max_step)
    found = shift(winner(leader), weights, bounds)
    if found.outcome is not ShiftOutcome.SHIFTED:
        assert (found.outcome, found.weights) == (ShiftOutcome.AT_BOUNDS, weights)
        return
    shares = {number: 100 * weight / sum(weights.values()) for number, weight in weights.items()}
    floor = min(min_share, 100 // len(weights))
    assert sum(found.weights.values()) == 100 and min(found.weights.values()) >= 1
    assert shares[leader] < found.weights[leader] <= shares[leader] + max_step
    for number in weights.keys() - {leader}:
        after = found.weights[number]
        assert after >= shares[number] - max_step - 1e-9, "no variant loses more than a step"
        assert after >= min(floor, int(shares[number])), "what it has less than the floor is its own"
        assert after < shares[number] + 1, "only the winner gains, but for the rounding"


@given(WEIGHTS, st.data())
def test_the_order_of_the_variants_does_not_matter(weights: dict[int, int], data: st.DataObject) -> None:
    leader = data.draw(st.sampled_from(sorted(weights)))
    shuffled = dict(data.draw(st.permutations(list(weights.items()))))
    assert shift(winner(leader), weights, BOUNDS) == shift(winner(leader), shuffled, BOUNDS)
