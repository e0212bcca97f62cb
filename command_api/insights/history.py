"""History of a website for the finder: whole days in its time zone, in total and by dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final, Literal

Dimension = Literal["partner", "page", "country", "device", "source", "link"]
DAYS: Final = 84
"""Twelve weeks: what a history holds at most."""
YOUNG_DAYS: Final = 35
"""The least number of days for a comparison of weeks."""


@dataclass(frozen=True, slots=True)
class Day:
    """The counts of one day; the definitions are those of every dashboard. `revenue`: minor units."""

    clicks: int = 0
    pageviews: int = 0
    conversions: int = 0
    rejected: int = 0
    revenue: int = 0
    bot_clicks: int = 0
    bot_pageviews: int = 0


@dataclass(frozen=True, slots=True)
class DaysAtAge:
    """The days up to yesterday, oldest first, each as it stood when it was as old as the day that it is compared with.
    Networks report sales late: a day that is over for weeks has sales that yesterday does not have yet."""

    yesterday: Sequence[Day]
    """Each as old as yesterday is now."""
    week: Sequence[Day]
    """Each as old as the same weekday of the last seven days is now."""


@dataclass(frozen=True, slots=True)
class History:
    """`total` and every series of `by` end with the day `last` and are of equal length, oldest first: whole weeks, or,
    while there are not yet five of them, all days."""

    last: date
    currency: str
    total: Sequence[Day]
    by: Mapping[Dimension, Mapping[str, Sequence[Day]]]
    partner_of: Mapping[str, str] = field(default_factory=dict)
    """The partner that a link leads to."""

    def __post_init__(self) -> None:
        lengths = {len(self.total), *(len(days) for values in self.by.values() for days in values.values())}
        if len(lengths) != 1 or (len(self.total) >= YOUNG_DAYS and len(self.total) % 7):
            raise ValueError("all series of a history are of one length, in whole weeks")

    def dates(self, first: int, after_last: int) -> DayRange:
        """The range of days from index `first` to before `after_last`; negative ones count from the end."""
        length = len(self.total)
        start, end = first % length if first < 0 else first, after_last + length if after_last < 0 else after_last
        begins = self.last - timedelta(days=length - 1 - start)
        return DayRange(begins, self.last - timedelta(days=length - end))


@dataclass(frozen=True, slots=True)
class DayRange:
    """Days, both inclusive."""

    first: date
    last: date


def sums(days: Sequence[Day]) -> Day:
    return Day(
        *(sum(getattr(day, name) for day in days) for name in Day.__slots__),
    )
