"""What a network says of a sale: the sum of its lines, in whichever imports they are and whenever those came."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from command_api.networks.reading.rows import ReportStatus
from command_api.networks.sales import NetworkFigures, SaleLine, newest_of_groups, sale_of

NOON = datetime(2026, 6, 3, 12, tzinfo=UTC)
PENDING, APPROVED, REJECTED = ReportStatus.PENDING, ReportStatus.APPROVED, ReportStatus.REJECTED
REVERSED, PAID = ReportStatus.REVERSED, ReportStatus.PAID


def a_line(commission: str = "10", **more: Any) -> SaleLine:
    values: dict[str, Any] = {
        "order": 1,
        "line": 2,
        "line_key": "",
        "occurred_at": NOON,
        "has_time": True,
        "commission": Decimal(commission),
        "currency": "EUR",
        "status": PENDING,
        **more,
    }
    return SaleLine(**values)


def made(*lines: SaleLine) -> NetworkFigures:
    sale = sale_of(lines)
    assert sale is not None
    return sale


def test_no_line_is_no_sale() -> None:
    assert sale_of([]) is None


def test_a_decided_line_is_newer_than_a_pending_one_of_the_same_time() -> None:
    pending, approved = a_line(order=2), a_line(order=1, status=APPROVED)
    assert made(pending, approved).status == made(approved, pending).status == "approved"


def test_what_the_network_changed_last_counts_whichever_import_came_last() -> None:
    declined = a_line(order=1, status=REJECTED, updated_at=NOON + timedelta(days=9))
    approved = a_line(order=2, status=APPROVED, updated_at=NOON + timedelta(days=4))
    assert made(declined, approved).status == "rejected"


def test_a_report_whose_time_is_known_may_call_a_sale_pending_again() -> None:
    approved = a_line(status=APPROVED, updated_at=NOON + timedelta(days=4))
    again = a_line(order=2, stated_at=NOON + timedelta(days=5))
    assert made(approved, again).status == ""


def test_an_amended_amount_replaces_the_one_before() -> None:
    assert made(a_line("8.50", order=1, is_amended=True), a_line("10", order=2)).commission == Decimal("8.50")


def test_the_lines_of_an_order_add_up() -> None:
    sale = made(a_line("1.10", line_key="a", sale=Decimal(11)), a_line("2.20", line_key="b", sale=Decimal(22)))
    assert (sale.commission, sale.sale) == (Decimal("3.30"), Decimal(33))
    assert made(a_line(line_key="a", sale=Decimal(1)), a_line(line_key="b")).sale is None


def test_a_rejected_line_of_an_order_leaves_the_others() -> None:
    sale = made(a_line("1", line_key="a", status=APPROVED), a_line("2", line_key="b", status=REJECTED))
    assert (sale.commission, sale.status, sale.counted) == (Decimal(1), "approved", Decimal(1))


def test_a_sale_is_paid_once_all_that_counts_of_it_is_paid() -> None:
    assert not made(a_line(line_key="a", status=PAID), a_line(line_key="b", status=APPROVED)).is_paid
    assert made(a_line(line_key="a", status=PAID), a_line(line_key="b", status=REJECTED)).is_paid


def test_a_correction_takes_its_part() -> None:
    sale = made(
        a_line("10", line_key="1", status=APPROVED, sale=Decimal(100)),
        a_line("-4", line_key="2", status=APPROVED, sale=Decimal(-30), is_correction=True),
    )
    assert (sale.commission, sale.sale, sale.status) == (Decimal(6), Decimal(70), "approved")


def test_a_correction_that_leaves_nothing_reverses_what_the_sale_was_worth() -> None:
    correction = a_line("-10", line_key="2", status=APPROVED, is_correction=True)
    reversed_ = made(a_line("10", line_key="1", status=APPROVED), correction)
    assert (reversed_.commission, reversed_.status, reversed_.counted) == (Decimal(10), "reversed", Decimal(0))
    assert made(a_line("10", line_key="1"), correction).status == "rejected"


def test_the_same_correction_in_two_imports_is_one_and_twice_in_a_file_two() -> None:
    sale = a_line("10", line_key="1", status=APPROVED)
    taken = {"line_key": "sku", "status": APPROVED, "is_correction": True}
    assert made(sale, a_line("-2", order=1, line=3, **taken), a_line("-2", order=2, line=9, **taken)).commission == 8
    assert made(sale, a_line("-2", order=1, line=3, **taken), a_line("-2", order=1, line=4, **taken)).commission == 6


def test_a_correction_without_its_sale_is_a_part_of_what_others_reported() -> None:
    sale = made(a_line("-4", is_correction=True, status=APPROVED))
    assert (sale.is_reversal_only, sale.commission, sale.status, sale.counted) == (
        True,
        Decimal(4),
        "reversed",
        Decimal(0),
    )


def test_of_a_group_the_newest_import_counts() -> None:
    early = a_line(group="2026-06-03 tag-20", stated_at=NOON, order=5)
    late = a_line(group="2026-06-03 tag-20", stated_at=NOON + timedelta(days=1), order=4)
    assert newest_of_groups([early, late, a_line()]) == {"2026-06-03 tag-20": 4}


lines = st.builds(
    a_line,
    st.sampled_from(["1", "2.50", "-1"]),
    order=st.integers(1, 3),
    line=st.integers(1, 50),
    line_key=st.sampled_from(["a", "b"]),
    status=st.sampled_from(list(ReportStatus)),
    updated_at=st.none() | st.integers(0, 3).map(lambda days: NOON + timedelta(days=days)),
    is_correction=st.booleans(),
    is_amended=st.booleans(),
)


@given(st.lists(lines, min_size=1, max_size=8, unique_by=lambda one: (one.order, one.line)), st.randoms())
def test_the_order_of_lines_does_not_matter(some: list[SaleLine], chance: Any) -> None:
    shuffled = list(some)
    chance.shuffle(shuffled)
    assert sale_of(shuffled) == sale_of(some)
