"""The lines of the accountant's file and their totals, in each website's currency or in one for all. Pure.

In one currency, what is booked or paid is converted at the rate of its day, and a balance at the rate of the last day
of its month (today's while the month runs); each amount by the rule of `infra.domain.exchange_rates`. What a balance
gained or lost because rates moved is `exchange_difference`:

    closing = opening + approved - reversed - adjustments + exchange_difference

A line that needs a rate which is not known stays in its website's currency and counts in that currency's totals: a file
has every amount exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from uuid import UUID

from infra.domain.exchange_rates import RateBook
from query_api.conversions.accountant.partner_months import PartnerMonth, first_day
from schemas.days import months_later


@dataclass(frozen=True, slots=True)
class FileSums:
    """Amounts in minor units of one currency."""

    opening: int = 0
    approved: int = 0
    reversed: int = 0
    adjustments: int = 0
    exchange_difference: int = 0
    closing: int = 0
    held: int = 0
    paid: int = 0
    paid_in_total: int = 0
    entries: int = 0
    """Bookings and payouts."""

    @property
    def payable(self) -> int:
        return self.closing - self.held

    @property
    def open(self) -> int:
        return self.payable - self.paid_in_total

    def __add__(self, other: FileSums) -> FileSums:
        return FileSums(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(FileSums)))


@dataclass(frozen=True, slots=True)
class FileLine:
    """A partner's month at a website."""

    of: PartnerMonth
    currency: str
    sums: FileSums
    lacking: date | None = None
    """The first day without a rate, which is why the line is not converted."""


@dataclass(frozen=True, slots=True)
class Total:
    """The sums of the lines of one currency."""

    currency: str
    sums: FileSums
    lines: int


def lines(months: Iterable[PartnerMonth], book: RateBook | None, today: date) -> Iterator[FileLine]:
    """Converts by `book`, or leaves each website's currency."""
    for month in months:
        yield _line(month, book, today)


def totals(of: Sequence[FileLine]) -> list[Total]:
    """The totals by currency of lines of one or more months: movements are added, balances are those of each partner's
    first and last month."""
    found: dict[str, list[FileLine]] = {}
    for line in of:
        found.setdefault(line.currency, []).append(line)
    return [Total(currency, _joined(each), len(each)) for currency, each in sorted(found.items())]


def _joined(of: Sequence[FileLine]) -> FileSums:
    by_partner: dict[tuple[UUID, UUID], FileSums] = {}
    for line in of:
        key = (line.of.website.id, line.of.partner_id)
        known = by_partner.get(key)
        by_partner[key] = line.sums if known is None else _continued(known, line.sums)
    return sum(by_partner.values(), FileSums())


def _continued(before: FileSums, after: FileSums) -> FileSums:
    added = before + after
    # A month in another currency may lie between: what the balance became meanwhile is no movement of this one.
    gap = after.opening - before.closing
    return replace(
        added,
        opening=before.opening,
        exchange_difference=added.exchange_difference + gap,
        closing=after.closing,
        held=after.held,
        paid_in_total=after.paid_in_total,
    )


def _line(of: PartnerMonth, book: RateBook | None, today: date) -> FileLine:
    own = of.website.currency
    if book is None or book.quote == own:
        return FileLine(of, own, _sums(of, lambda minor, _day: minor, today, None))
    missing: list[date] = []

    def converted(minor: int, day: date) -> int:
        found = book.converted(minor, own, day)
        if found is None:
            missing.append(day)
        return found or 0

    sums = _sums(of, converted, today, book.quote)
    if missing:
        return FileLine(of, own, _sums(of, lambda minor, _day: minor, today, None), lacking=min(missing))
    return FileLine(of, book.quote, sums)


def _sums(of: PartnerMonth, worth: Callable[[int, date], int], today: date, quote: str | None) -> FileSums:
    begin = first_day(of.month)
    end = months_later(begin, 1) - timedelta(days=1)
    end = max(min(end, today), begin)
    moved = dict.fromkeys(("approved", "reversed", "adjustment"), 0)
    for one in of.bookings:
        moved[one.kind] += worth(one.amount, one.day)
    opening, closing = worth(of.opening, begin - timedelta(days=1)), worth(of.closing, end)
    return FileSums(
        opening=opening,
        approved=moved["approved"],
        reversed=-moved["reversed"],
        adjustments=-moved["adjustment"],
        exchange_difference=closing - opening - sum(moved.values()),
        closing=closing,
        held=worth(of.held, end),
        # What was paid in the wanted currency is known to the cent, whatever the rate of its day.
        paid=sum(one.amount if one.currency == quote else worth(one.credited, one.day) for one in of.payouts),
        paid_in_total=worth(of.paid_in_total, end),
        entries=sum(one.count for one in of.bookings) + len(of.payouts),
    )
