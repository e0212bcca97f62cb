"""A partner's month: each planted difference is found with its reason, and the differences explain the gaps exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.domain.payout_matching import Paid
from query_api.conversions.reconciliation.months import (
    PartnerBooks,
    ReconciledMonth,
    SaleGroup,
    month_totals,
    partner_books,
    reconcile,
)
from query_api.conversions.reconciliation.sales import DifferenceReason, Sale, Side

MONTH, NEXT = "2026-10", "2026-11"
DUE = date(2026, 11, 1)


def side(worth: int, month: str = MONTH, *, currency: str = "USD", amount: int | None = None, **more: Any) -> Side:
    return Side(month, worth if amount is None else amount, currency, worth, **more)


def declined(month: str = MONTH) -> Side:
    return side(0, month, is_declined=True)


def sale(tracked: Side | None, reported: Side | None, **more: Any) -> Sale:
    return Sale(tracked, reported, **more)


AGREED = sale(side(1_000), side(1_000), transaction="AGREED")


def books(sales: Sequence[Sale], *payouts: Paid, due_on: date | None = DUE) -> PartnerBooks:
    groups = [SaleGroup(each, due_on, agrees=each.agrees, digest=hash(each)) for each in sales]
    return partner_books(groups, payouts, NEXT)


def month(sales: Sequence[Sale], *payouts: Paid, of: str = MONTH, due_on: date | None = DUE) -> ReconciledMonth:
    return reconcile(books(sales, *payouts, due_on=due_on), of, sales)


def found(of: ReconciledMonth) -> list[tuple[DifferenceReason, int]]:
    return [(one.reason, one.amount) for one in of.differences]


@pytest.mark.parametrize(
    ("planted", "reason", "amount"),
    [
        (sale(None, side(700)), DifferenceReason.NOT_TRACKED, -700),
        (sale(side(700), None), DifferenceReason.NOT_REPORTED, 700),
        (sale(side(700), declined()), DifferenceReason.DECLINED, 700),
        (sale(declined(), side(700)), DifferenceReason.DECLINED, -700),
        (sale(side(700), side(650)), DifferenceReason.AMOUNT, 50),
        (sale(side(700), side(770, currency="EUR", amount=700)), DifferenceReason.CURRENCY, -70),
        (sale(side(700), side(350, currency="GBP", amount=300)), DifferenceReason.CURRENCY, 350),
        (sale(side(1_100, currency="EUR", amount=1_000), side(1_090)), DifferenceReason.RATE, 10),
        (sale(side(700), side(700, NEXT)), DifferenceReason.MONTH, 700),
        (sale(side(700, NEXT), side(700)), DifferenceReason.MONTH, -700),
    ],
)
def test_a_planted_difference_is_found_with_its_reason(planted: Sale, reason: DifferenceReason, amount: int) -> None:
    paid = Paid(1_000 + sum(s.worth for s in (planted.reported,) if s is not None))
    of = month([AGREED, planted], paid)
    assert found(of) == [(reason, amount)]
    assert of.differences[0].sale == planted
    assert not of.totals.agrees


def test_a_month_that_is_paid_short_or_over_says_so() -> None:
    short, over, exact = (month([AGREED], Paid(amount)) for amount in (900, 1_050, 1_000))
    assert (found(short), found(over), found(exact)) == (
        [(DifferenceReason.PAID_SHORT, 100)], [(DifferenceReason.PAID_OVER, -50)], [],
    )  # fmt: skip
    assert (short.totals.settled.paid, short.totals.settled.since) == (900, DUE)
    assert (over.totals.settled.paid, exact.totals.agrees) == (1_050, True)


def test_what_is_not_payable_yet_is_not_short_but_the_month_is_open() -> None:
    of = month([AGREED], due_on=None)
    assert (found(of), of.totals.settled.not_due, of.totals.agrees) == ([], 1_000, False)
    early = month([AGREED], Paid(1_000), due_on=None)
    assert (found(early), early.totals.settled.paid, early.totals.agrees) == ([], 1_000, True)


def test_payouts_settle_what_the_network_reports_the_oldest_first() -> None:
    lost, later = sale(side(500), None), sale(side(300, NEXT), side(300, NEXT))
    groups = [AGREED, lost, later]
    of = month(groups, Paid(1_200))
    assert found(of) == [(DifferenceReason.NOT_REPORTED, 500)]
    assert found(month(groups, Paid(1_200), of=NEXT)) == [(DifferenceReason.PAID_SHORT, 100)]


def test_a_payout_without_any_sale_is_paid_over_in_its_month() -> None:
    assert found(month([], Paid(400), of=NEXT)) == [(DifferenceReason.PAID_OVER, -400)]


def test_a_partner_without_reports_owes_what_was_tracked() -> None:
    of = month([sale(side(700), None)], Paid(600))
    assert (found(of), of.totals.is_reported, of.totals.reported) == ([(DifferenceReason.PAID_SHORT, 100)], False, 700)


def test_months_before_the_first_report_are_not_compared() -> None:
    sales = [sale(side(700), None), sale(side(300, NEXT), side(300, NEXT))]
    assert found(month(sales, Paid(700))) == []
    assert found(month([*sales, sale(side(200, NEXT), None)], Paid(1_000), of=NEXT)) == [
        (DifferenceReason.NOT_REPORTED, 200)
    ]


def test_sales_that_reports_alone_tell_of_were_tracked_if_a_click_led_to_them() -> None:
    clicked, other = sale(None, side(700)), sale(None, side(200), is_clicked=False)
    assert found(month([clicked, other], Paid(900))) == [(DifferenceReason.NOT_TRACKED, -200)]
    assert found(month([clicked], Paid(700))) == []


def test_a_currency_without_a_rate_is_named_and_moves_nothing() -> None:
    unrated = sale(side(800, currency="CHF", amount=500), side(800), has_rate=False)
    groups = [SaleGroup(unrated, DUE, agrees=False)]
    of = reconcile(partner_books(groups, [Paid(800)], NEXT), MONTH, [unrated])
    assert (found(of), of.totals.agrees) == ([(DifferenceReason.CURRENCY, 0)], False)


def test_the_fingerprint_changes_with_the_figures_and_not_with_how_sales_are_grouped() -> None:
    one, two = sale(side(700), side(650)), sale(side(90), side(80))
    apart = month_totals(books([one, two, AGREED], Paid(1_730)), MONTH)
    sums = sale(side(1_790), side(1_730))
    groups = [SaleGroup(sums, DUE, agrees=False, count=3, digest=hash(one) + hash(two))]
    assert month_totals(partner_books(groups, [Paid(1_730)], NEXT), MONTH).fingerprint == apart.fingerprint
    swapped = [sale(side(700), side(660)), sale(side(90), side(70)), AGREED]
    others = [month_totals(books(swapped, Paid(1_730)), MONTH), month_totals(books([one, two, AGREED]), MONTH)]
    assert apart.fingerprint not in {other.fingerprint for other in others}


amounts = st.integers(-2_000, 20_000)
sides = st.builds(
    lambda month, worth, currency, gone: Side(month, 0 if gone else worth, currency, 0 if gone else worth, gone),
    st.sampled_from([MONTH, NEXT]), amounts, st.sampled_from(["USD", "EUR"]), st.booleans(),
)  # fmt: skip
sales_of_a_partner = st.lists(
    st.builds(sale, st.none() | sides, st.none() | sides, is_clicked=st.booleans()).filter(
        lambda one: one.tracked is not None or one.reported is not None
    ),
    max_size=12,
)
payouts_of_a_partner = st.lists(
    st.builds(
        lambda amount, month, part: Paid(amount, {month: min(part, amount)} if month else {}),
        st.integers(1, 30_000), st.sampled_from(["", MONTH, NEXT]), st.integers(1, 9_000),
    ),
    max_size=4,
)  # fmt: skip


@given(sales_of_a_partner, payouts_of_a_partner, st.sampled_from([None, DUE]))
def test_the_differences_explain_the_gaps_exactly(sales: list[Sale], payouts: list[Paid], due_on: date | None) -> None:
    held = books(sales, *payouts, due_on=due_on)
    paid = 0
    for each in {*held.months, MONTH}:
        of = reconcile(held, each, sales)
        totals, settled, by_sale = of.totals, of.totals.settled, [one for one in of.differences if one.sale is not None]
        assert totals.tracked - totals.reported == sum(one.amount for one in by_sale)
        assert totals.tracked - settled.paid == sum(one.amount for one in of.differences) + settled.not_due
        assert totals.agrees == (not of.differences and not settled.not_due)
        assert totals.differing == len(by_sale)
        paid += settled.paid
    assert paid == sum(payout.credited for payout in payouts), "every payout is in one month"


@given(st.lists(sides, max_size=12))
def test_identical_books_have_no_difference(reported: list[Side]) -> None:
    sales = [sale(each, replace(each)) for each in reported]
    owed = sum(each.worth for each in reported)
    for each in (MONTH, NEXT):
        of = month(sales, *([Paid(owed)] if owed > 0 else []), of=each)
        assert not any(one.sale for one in of.differences)
        if all(one.worth >= 0 for one in reported):
            assert of.totals.agrees
