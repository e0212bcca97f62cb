"""Which months of sales a partner's payouts settle, and the open amount of each. Pure.

Payouts settle commissions as in the partner's balance (`payout_matching`): the months of payability that a person
matched, then the oldest. A month of sales is paid by what settles its commissions. What is paid beyond all that is due
settles commissions that are not due yet; what is paid beyond these, too, is paid over, in the last month with sales.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from infra.domain.payout_matching import Lot, Paid, unsettled


@dataclass(frozen=True, slots=True)
class Owed:
    """Commissions of a month's sales. `due_on`: since when they are payable; none: not yet."""

    month: str
    due_on: date | None
    amount: int


@dataclass(frozen=True, slots=True)
class Settled:
    """A month of sales. paid + short + not_due - over = what the partner owes for it."""

    paid: int = 0
    short: int = 0
    """Due and not paid."""
    over: int = 0
    not_due: int = 0
    """Neither due nor paid."""
    since: date | None = None
    """Since when the oldest of `short` is due."""
    aged: tuple[tuple[date, int], ...] = ()
    """`short` by the day since when it is due."""


def settle(owed: Iterable[Owed], payouts: Sequence[Paid], month_of_payouts: str) -> dict[str, Settled]:
    """The months by YYYY-MM. `month_of_payouts`: the one that is paid over when there are no sales."""
    found = list(owed)
    due = sorted((one for one in found if one.due_on is not None), key=lambda one: (one.due_on, one.month))
    lots = [Lot(one.due_on, one.amount) for one in due if one.due_on is not None]
    left = unsettled(lots, payouts)
    credit = sum(left) - sum(lot.amount for lot in lots) + sum(payout.credited for payout in payouts)
    paid: defaultdict[str, int] = defaultdict(int)
    aged: defaultdict[str, list[tuple[date, int]]] = defaultdict(list)
    for one, lot, open_ in zip(due, lots, left, strict=True):
        paid[one.month] += one.amount - open_
        if open_:
            aged[one.month].append((lot.day, open_))
    not_due: defaultdict[str, int] = defaultdict(int)
    for one in found:
        if one.due_on is None:
            not_due[one.month] += one.amount
    for month in sorted(not_due):
        early = min(max(not_due[month], 0), credit)
        not_due[month] -= early
        paid[month] += early
        credit -= early
    over: defaultdict[str, int] = defaultdict(int)
    if credit:
        last = max(paid.keys() | not_due.keys(), default=month_of_payouts)
        over[last] = credit
        paid[last] += credit
    return {
        month: Settled(
            paid=paid[month],
            short=sum(amount for _, amount in aged[month]),
            over=over[month],
            not_due=not_due[month],
            since=min((day for day, _ in aged[month]), default=None),
            aged=tuple(aged[month]),
        )
        for month in sorted(paid.keys() | not_due.keys())
    }
