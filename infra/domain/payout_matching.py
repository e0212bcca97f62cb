"""Matches a partner's payouts to the commissions that they settle, and sums what is still open, by age. Pure.

A payable commission belongs to the month in which it became payable. A payout settles the months that a person matched
it to, then, with the rest, the oldest open commissions. What is paid beyond all that is payable is a credit; it settles
what becomes payable next. So open - credit = payable - paid, whatever happened in whatever order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final

from schemas.days import FIRST_YEAR

AGES: Final = (30, 60, 90)
"""Last day of each age but the oldest."""


@dataclass(frozen=True, slots=True)
class Lot:
    """Commissions that became payable on a day, in minor units; negative: more was reversed than earned."""

    day: date
    amount: int

    @property
    def month(self) -> str:
        """YYYY-MM."""
        return self.day.strftime("%Y-%m")


@dataclass(frozen=True, slots=True)
class Paid:
    """A payout that counts: what it settles, and the months that it was matched to by hand."""

    credited: int
    allocations: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MonthBalance:
    """A month of a partner. open = payable - paid."""

    month: str
    payable: int
    paid: int


@dataclass(frozen=True, slots=True)
class Balance:
    """The debt of a website to a partner. open - credit = payable - paid."""

    payable: int
    paid: int
    open: int
    credit: int
    aged: tuple[int, int, int, int]
    """Open for 0-30, 31-60, 61-90 and more days."""
    months: tuple[MonthBalance, ...]


def spans(today: date) -> list[date]:
    """Returns the first days of the spans that are added up: of each month, and each day of those that differ in
    age."""
    recent = today - timedelta(days=AGES[-1] + 1)
    months = (date(year, month, 1) for year in range(FIRST_YEAR, recent.year + 1) for month in range(1, 13))
    return [day for day in months if day <= recent] + [
        recent + timedelta(days=number) for number in range(1, (today - recent).days + 2)
    ]


def balance(lots: Iterable[Lot], payouts: Sequence[Paid], today: date) -> Balance:
    """Matches the payouts; the order in which they are given makes no difference."""
    ordered = sorted(lots, key=lambda lot: lot.day)
    left = unsettled(ordered, payouts)
    return Balance(
        payable=sum(lot.amount for lot in ordered),
        paid=sum(payout.credited for payout in payouts),
        open=sum(left),
        credit=sum(left) - sum(lot.amount for lot in ordered) + sum(payout.credited for payout in payouts),
        aged=_aged(ordered, left, today),
        months=_months(ordered, left),
    )


def unsettled(ordered: Sequence[Lot], payouts: Sequence[Paid]) -> list[int]:
    """The open amount of each lot; `ordered` by day. What was paid beyond is the credit."""
    left = [max(lot.amount, 0) for lot in ordered]
    # What was reversed without a commission of its day settles as a payout does, but is not paid.
    reversed_ = sum(-lot.amount for lot in ordered if lot.amount < 0)
    rest = sum(payout.credited for payout in payouts)
    for payout in payouts:
        for month, amount in payout.allocations.items():
            numbers = [number for number, lot in enumerate(ordered) if lot.month == month]
            rest -= amount - _settle(left, numbers, amount)
    everything = range(len(ordered))
    _settle(left, everything, reversed_)
    _settle(left, everything, rest)
    return left


def _settle(left: list[int], numbers: Iterable[int], amount: int) -> int:
    """Settles the lots of these numbers in their order; returns what remains of the amount."""
    for number in numbers:
        settled = min(left[number], amount)
        left[number] -= settled
        amount -= settled
    return amount


def _aged(lots: Sequence[Lot], left: Sequence[int], today: date) -> tuple[int, int, int, int]:
    sums = [0, 0, 0, 0]
    for lot, open_ in zip(lots, left, strict=True):
        days = (today - lot.day).days
        sums[sum(days > last for last in AGES)] += open_
    return sums[0], sums[1], sums[2], sums[3]


def _months(lots: Sequence[Lot], left: Sequence[int]) -> tuple[MonthBalance, ...]:
    by_month: dict[str, list[int]] = {}
    for lot, open_ in zip(lots, left, strict=True):
        sums = by_month.setdefault(lot.month, [0, 0])
        sums[0] += lot.amount
        sums[1] += open_
    return tuple(MonthBalance(month, payable, payable - open_) for month, (payable, open_) in sorted(by_month.items()))
