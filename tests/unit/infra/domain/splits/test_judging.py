"""Given the figures of variants, then this verdict, and what is missing for one."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from infra.domain.splits.judging import (
    MIN_BUYERS,
    MIN_DAYS,
    DayFigures,
    Missing,
    VariantFigures,
    Verdict,
    judge,
)

FIRST = date(2026, 11, 1)


def variant(
    number: int, clicks: int, buyers: int, cents: int = 1_000, days: int = 10, first: int = 0
) -> VariantFigures:
    """Every visitor clicks once; `clicks` and `buyers` are those of one day, each buyer earns `cents`."""
    of_day = DayFigures(clicks, buyers * cents)
    sold = buyers * days
    return VariantFigures(
        number,
        {FIRST + timedelta(days=first + day): of_day for day in range(days)},
        conversions=sold,
        visitors=clicks * days,
        buyers=sold,
        clicks_squared=clicks * days,
        revenue_squared=sold * cents**2,
        product=sold * cents,
    )


def test_little_traffic_is_judged_by_nothing_but_what_is_missing() -> None:
    found = judge([variant(1, 100, 3, days=4), variant(2, 100, 1, days=4)])
    assert (found.verdict, found.leader, found.comparisons) == (Verdict.COLLECTING, None, ())
    assert found.missing == Missing(MIN_DAYS - 4, {1: MIN_BUYERS - 12, 2: MIN_BUYERS - 4})


def test_a_split_without_a_click_is_collecting() -> None:
    found = judge([VariantFigures(1), VariantFigures(2)])
    assert (found.verdict, found.missing.days, dict(found.epc)) == (Verdict.COLLECTING, MIN_DAYS, {})
    assert judge([]).verdict is judge([variant(1, 9, 9)]).verdict is Verdict.COLLECTING


def test_a_large_difference_has_a_winner_whatever_the_order() -> None:
    better, worse = variant(7, 100, 12), variant(2, 100, 5)
    for variants in ([better, worse], [worse, better]):
        found = judge(variants)
        [compared] = found.comparisons
        assert (found.verdict, found.leader, compared.other) == (Verdict.WINNER, 7, 2)
        assert compared.by.value == pytest.approx(70)
        assert 0 < compared.by.low < 70 < compared.by.high and compared.sureness > 0.99


def test_a_small_difference_is_undecided_and_says_how_much_more_it_needs() -> None:
    found = judge([variant(1, 100, 5), variant(2, 100, 6)])
    assert (found.verdict, found.leader) == (Verdict.UNDECIDED, 2)
    assert found.comparisons[0].by.low < 0 < found.comparisons[0].by.high
    assert found.missing.more_buyers is not None and found.missing.more_buyers > 500


def test_variants_that_hardly_differ_in_many_sales_are_equal() -> None:
    found = judge([variant(1, 10_000, 1_000, days=20), variant(2, 10_000, 1_002, days=20)])
    assert found.verdict is Verdict.EQUAL


def test_one_better_variant_must_beat_every_other_one() -> None:
    third = [variant(1, 100, 5), variant(2, 100, 12), variant(3, 100, 13)]
    assert (judge(third).verdict, judge(third).leader) == (Verdict.UNDECIDED, 3)
    assert judge([*third[:2], variant(3, 100, 5)]).verdict is Verdict.WINNER


def test_a_good_day_that_one_variant_had_more_traffic_on_is_no_advantage() -> None:
    """Both earn the same on each day; the first had most of its clicks on the bad days."""
    days = {FIRST + timedelta(days=day): day for day in range(10)}
    rate = {day: 40 if number > 4 else 10 for day, number in days.items()}

    def of(number: int, clicks: dict[date, int]) -> VariantFigures:
        sold = sum(clicks[day] * rate[day] // 1_000 for day in days)
        total = sum(clicks.values())
        figures = {day: DayFigures(clicks[day], clicks[day] * rate[day] // 1_000 * 1_000) for day in days}
        return VariantFigures(number, figures, sold, total, sold, total, sold * 1e6, sold * 1e3)

    early = of(1, {day: 9_000 if number <= 4 else 1_000 for day, number in days.items()})
    late = of(2, {day: 1_000 if number <= 4 else 9_000 for day, number in days.items()})
    assert late.epc > 2 * early.epc
    assert judge([early, late]).comparisons[0].by.value == pytest.approx(0)


def test_only_days_on_which_all_variants_had_clicks_count() -> None:
    found = judge([variant(1, 100, 12, days=9), variant(2, 100, 5, days=9, first=6)])
    assert (found.verdict, found.missing.days) == (Verdict.COLLECTING, MIN_DAYS - 3)
