"""Payouts settle named months, then the oldest; open - credit is always payable - paid."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from infra.domain.payout_matching import Balance, Lot, MonthBalance, Paid, balance

TODAY = date(2026, 11, 24)


def lot(month: int, amount: int, day: int = 1) -> Lot:
    return Lot(date(2026, month, day), amount)


def of(lots: Sequence[Lot], *payouts: Paid) -> Balance:
    return balance(lots, payouts, TODAY)


def test_without_payouts_all_that_is_payable_is_open() -> None:
    found = of([lot(9, 500), lot(10, 300)])
    assert (found.payable, found.paid, found.open, found.credit) == (800, 0, 800, 0)
    assert found.months == (MonthBalance("2026-09", 500, 0), MonthBalance("2026-10", 300, 0))


def test_a_payout_settles_the_oldest_month_first_and_the_next_in_part() -> None:
    found = of([lot(10, 300), lot(9, 500)], Paid(600))
    assert found.months == (MonthBalance("2026-09", 500, 500), MonthBalance("2026-10", 300, 100))
    assert (found.open, found.credit) == (200, 0)


def test_a_month_that_is_named_is_settled_before_older_ones() -> None:
    found = of([lot(9, 500), lot(10, 300)], Paid(250, {"2026-10": 250}))
    assert found.months == (MonthBalance("2026-09", 500, 0), MonthBalance("2026-10", 300, 250))


def test_what_a_named_month_does_not_need_settles_the_oldest() -> None:
    found = of([lot(9, 500), lot(10, 300)], Paid(400, {"2026-10": 350, "2026-07": 50}))
    assert found.months == (MonthBalance("2026-09", 500, 100), MonthBalance("2026-10", 300, 300))


def test_more_than_is_payable_is_a_credit_that_settles_what_comes_next() -> None:
    assert (of([lot(9, 500)], Paid(700)).credit, of([lot(9, 500)], Paid(700)).open) == (200, 0)
    later = of([lot(9, 500), lot(11, 300)], Paid(700))
    assert (later.credit, later.open, later.months[1]) == (0, 100, MonthBalance("2026-11", 300, 200))


def test_a_reversal_after_the_payment_is_a_credit() -> None:
    found = of([lot(9, 500), lot(10, -120)], Paid(500))
    assert (found.payable, found.open, found.credit) == (380, 0, 120)


def test_what_is_open_is_aged_by_the_day_it_became_payable() -> None:
    lots = [Lot(TODAY - timedelta(days=days), 10**number) for number, days in enumerate((0, 30, 31, 60, 61, 90, 91))]
    assert of(lots).aged == (11, 1_100, 110_000, 1_000_000)
    assert of(lots, Paid(1_000_000)).aged == (11, 1_100, 110_000, 0)


LOTS = st.lists(st.builds(Lot, st.dates(date(2025, 1, 1), TODAY), st.integers(-500, 2_000)), max_size=12)


@st.composite
def paid(draw: st.DrawFn) -> Paid:
    credited = draw(st.integers(1, 3_000))
    months, rest = {}, credited
    for month in draw(st.lists(st.sampled_from(["2025-03", "2025-11", "2026-06", "2026-11"]), unique=True, max_size=3)):
        if rest:
            months[month] = draw(st.integers(1, rest))
            rest -= months[month]
    return Paid(credited, months)


@given(LOTS, st.lists(paid(), max_size=6), st.randoms(use_true_random=False))
def test_nothing_is_lost_or_invented_whatever_the_history(lots, payouts, random) -> None:  # type: ignore[no-untyped-def]  # hypothesis gives them
    found = of(lots, *payouts)
    assert found.open - found.credit == found.payable - found.paid
    assert found.payable == sum(one.amount for one in lots) and found.paid == sum(one.credited for one in payouts)
    assert found.open >= 0 and found.credit >= 0
    assert sum(found.aged) == found.open
    assert sum(one.payable for one in found.months) == found.payable
    assert sum(one.payable - one.paid for one in found.months) == found.open
    shuffled = list(lots)
    random.shuffle(shuffled)
    again = of(shuffled, *payouts)
    assert (again.open, again.credit, again.aged, again.months) == (found.open, found.credit, found.aged, found.months)
