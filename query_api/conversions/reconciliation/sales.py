"""A sale by both sides, and why they differ. Pure.

A sale counts in the month in which its side says that it occurred. A partner that reports its sales one way only has
nothing to compare with (`PartnerSources`): what one side says then holds for both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from uuid import UUID

MAX_RATE_DIFFERENCE: Final = 20
"""Amounts in two currencies that differ by at most one part in 20 are the same at another exchange rate."""


class DifferenceReason(StrEnum):
    """Why a month does not agree. The first seven are about a sale, the others about the month's payouts."""

    NOT_TRACKED = "not_tracked"
    NOT_REPORTED = "not_reported"
    DECLINED = "declined"
    AMOUNT = "amount"
    CURRENCY = "currency"
    RATE = "rate"
    MONTH = "month"
    PAID_SHORT = "paid_short"
    PAID_OVER = "paid_over"


@dataclass(frozen=True, slots=True)
class Side:
    """A sale by one side. `month`: YYYY-MM; `amount`: minor units of the currency in which it is named;
    `worth`: in the website's currency."""

    month: str
    amount: int
    currency: str
    worth: int
    is_declined: bool = False


@dataclass(frozen=True, slots=True)
class Sale:
    """A sale as it was tracked, and as its network states it; none: that side does not know it."""

    tracked: Side | None
    reported: Side | None
    transaction: str = ""
    conversion_id: UUID | None = None
    is_clicked: bool = True
    """One of the website's clicks led to it."""
    has_rate: bool = True
    """Both sides can be compared: there is a rate of each currency."""

    @property
    def agrees(self) -> bool:
        """Returns whether both sides say the same; a side that does not know it says nothing is owed."""
        tracked, reported = self.tracked, self.reported
        worth = tracked.worth if tracked else 0
        same_month = tracked is not None and reported is not None and tracked.month == reported.month
        return self.has_rate and worth == (reported.worth if reported else 0) and (same_month or not worth)

    def in_month(self, month: str) -> bool:
        """Returns whether one of its sides counts in the month."""
        return any(side is not None and side.month == month for side in (self.tracked, self.reported))


@dataclass(frozen=True, slots=True)
class PartnerSources:
    """Since which months sales of the partner are tracked and reported; none: never."""

    tracked_since: str | None
    reported_since: str | None

    def is_tracked(self, month: str) -> bool:
        """Returns whether anything but the network's reports tells of sales of the month."""
        return self.tracked_since is not None and self.tracked_since <= month

    def is_reported(self, month: str) -> bool:
        """Returns whether the network's reports tell of sales of the month."""
        return self.reported_since is not None and self.reported_since <= month

    def compared(self, sale: Sale) -> Sale:
        """The sale with the side that its month has no source for: as the other side. A sale that only a report knows
        was still tracked, if a click led to it and the partner's sales are known by reports alone."""
        if sale.tracked is not None and sale.reported is None and not self.is_reported(sale.tracked.month):
            return replace(sale, reported=sale.tracked)
        reported = sale.reported
        if sale.tracked is None and reported is not None and sale.is_clicked and not self.is_tracked(reported.month):
            return replace(sale, tracked=reported)
        return sale


@dataclass(frozen=True, slots=True)
class MonthDifference:
    """One reason why a month does not agree. `amount`: what it leaves open in the website's currency; below zero: the
    partner reports or paid more."""

    reason: DifferenceReason
    amount: int
    sale: Sale | None = None


def difference(sale: Sale, month: str) -> MonthDifference | None:
    """The difference of a compared sale in a month; none: it agrees, or counts in other months."""
    if sale.agrees or not sale.in_month(month):
        return None
    tracked, reported = _in(sale.tracked, month), _in(sale.reported, month)
    amount = (tracked.worth if tracked else 0) - (reported.worth if reported else 0)
    return MonthDifference(_reason(sale), amount, sale)


def _in(side: Side | None, month: str) -> Side | None:
    return side if side is not None and side.month == month else None


def _reason(sale: Sale) -> DifferenceReason:
    tracked, reported = sale.tracked, sale.reported
    if tracked is None:
        return DifferenceReason.NOT_TRACKED
    if reported is None:
        return DifferenceReason.NOT_REPORTED
    if tracked.month != reported.month:
        return DifferenceReason.MONTH
    if tracked.is_declined != reported.is_declined:
        return DifferenceReason.DECLINED
    if tracked.currency != reported.currency:
        return DifferenceReason.RATE if _is_near(tracked, reported) and sale.has_rate else DifferenceReason.CURRENCY
    return DifferenceReason.AMOUNT


def _is_near(tracked: Side, reported: Side) -> bool:
    """Returns whether two amounts in different currencies are the same money; the same number in two is a wrong
    currency."""
    if tracked.amount == reported.amount:
        return False
    return abs(tracked.worth - reported.worth) * MAX_RATE_DIFFERENCE <= abs(tracked.worth)
