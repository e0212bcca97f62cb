"""The text for a partner: sums, then the differences by reason, the first two hundred."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from query_api.conversions.reconciliation.message import MAX_LINES, message
from query_api.conversions.reconciliation.sales import DifferenceReason, MonthDifference, Sale, Side


def side(amount: int, month: str = "2026-10", *, is_declined: bool = False) -> Side:
    return Side(month, amount, "USD", amount, is_declined)


def sale(reason: DifferenceReason, tracked: Side | None, reported: Side | None, name: str = "T-1") -> MonthDifference:
    worth = (tracked.worth if tracked else 0) - (reported.worth if reported else 0)
    return MonthDifference(reason, worth, Sale(tracked, reported, name))


def text(differences: Sequence[MonthDifference], since: date | None = None, count: int | None = None) -> list[str]:
    return message(
        website="shop.example", partner="Acme", month="2026-10", sums=[("Tracked by us", "10.00 USD")], currency="USD",
        since=since, differences=differences, count=len(differences) if count is None else count,
    ).splitlines()  # fmt: skip


def test_a_month_that_agrees_says_so() -> None:
    assert text([]) == [
        "Reconciliation 2026-10: shop.example and Acme",
        "",
        "Tracked by us: 10.00 USD",
        "",
        "There are no differences.",
    ]


def test_each_reason_has_its_section_with_its_sum() -> None:
    lines = text(
        [
            sale(DifferenceReason.DECLINED, side(500), side(0, is_declined=True), "D"),
            sale(DifferenceReason.NOT_REPORTED, side(600), None, "A"),
            sale(DifferenceReason.MONTH, side(300), side(300, "2026-09"), "M"),
            sale(DifferenceReason.NOT_REPORTED, side(50), None, "B"),
            MonthDifference(DifferenceReason.PAID_OVER, -250),
        ],
        since=date(2026, 11, 1),
    )
    assert lines[2:] == [
        "Tracked by us: 10.00 USD",
        "Due since: 2026-11-01",
        "",
        "Sales that we tracked and you do not report (2, difference 6.50 USD):",
        "- A: tracked 6.00 USD, reported nothing",
        "- B: tracked 0.50 USD, reported nothing",
        "",
        "Sales that one of us declined (1, difference 5.00 USD):",
        "- D: tracked 5.00 USD, reported declined",
        "",
        "Sales that you report in another month (1, difference 0.00 USD):",
        "- M: tracked 3.00 USD in 2026-10, reported 3.00 USD in 2026-09",
        "",
        "Paid beyond what you report: 2.50 USD",
        "",
        "Please check these differences and tell us what you find.",
    ]


def test_a_long_text_names_how_many_are_in_the_file_alone() -> None:
    many = [sale(DifferenceReason.NOT_REPORTED, side(1), None, f"T-{number}") for number in range(MAX_LINES)]
    lines = text(many, count=MAX_LINES + 1_234)
    assert sum(line.startswith("- T-") for line in lines) == MAX_LINES
    assert lines[-3] == "1,234 further differences are in the CSV."
