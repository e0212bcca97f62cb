"""The periods of the start page, and what each is compared with: as much of the period before. Pure.

Today and yesterday are compared with the same day of the week before: a Sunday with a Sunday. A period that runs is
compared with the one before until the same local time, cut to the grain of the rollups; where the period before is
shorter, with all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final

from schemas.days import day_start, instant, local_day, months_later
from schemas.zones import ZoneInfo

GRAIN_S: Final = 15 * 60
_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(days=7)


class MoneyPeriod(StrEnum):
    """Weeks begin on Monday. All but `yesterday` run until now."""

    TODAY = "today"
    YESTERDAY = "yesterday"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"


@dataclass(frozen=True, slots=True)
class Span:
    """The instants from `start` until before `end`, and their local days, the last one included."""

    start: datetime
    end: datetime
    first: date
    last: date

    def has(self, moment: datetime) -> bool:
        return self.start <= moment < self.end


@dataclass(frozen=True, slots=True)
class Compared:
    """A period and what it is compared with."""

    now: Span
    previous: Span


def compared(period: MoneyPeriod, zone: ZoneInfo, now: datetime) -> Compared:
    """The period at `now` (aware) in a time zone."""
    today = local_day(zone, now)
    first, earlier = _first_days(period, today)
    if period is MoneyPeriod.YESTERDAY:
        return Compared(_days(zone, first, today), _days(zone, earlier, earlier + _DAY))
    current = Span(day_start(zone, first), day_start(zone, today + _DAY), first, today)
    last = earlier + (today - first)
    if last >= first:
        return Compared(current, _days(zone, earlier, first))
    moment = datetime.fromtimestamp(now.timestamp() // GRAIN_S * GRAIN_S, UTC).astimezone(zone).replace(tzinfo=None)
    until = instant(datetime.combine(last, moment.time()), zone) if moment.date() == today else day_start(zone, last)
    return Compared(current, Span(day_start(zone, earlier), until, earlier, last))


def slots(zone: ZoneInfo, of: list[Compared]) -> list[tuple[datetime, date]]:
    """Where counters are cut, with the local day of what follows: at each day's begin and at the ends of the compared
    spans; the last one ends the last day."""
    first, last = min(one.previous.first for one in of), max(one.now.last for one in of)
    days = [first + timedelta(days=number) for number in range((last - first).days + 2)]
    cuts = {one.previous.end: one.previous.last for one in of}
    # The begin of a day wins over a cut at the same instant; of a day that the zone skips, the later one does.
    return sorted((cuts | {day_start(zone, day): day for day in days}).items())


def _first_days(period: MoneyPeriod, today: date) -> tuple[date, date]:
    """The first day of the period, and of what it is compared with."""
    if period is MoneyPeriod.TODAY:
        return today, today - _WEEK
    if period is MoneyPeriod.YESTERDAY:
        return today - _DAY, today - _DAY - _WEEK
    if period is MoneyPeriod.WEEK:
        monday = today - timedelta(days=today.weekday())
        return monday, monday - _WEEK
    months = 1 if period is MoneyPeriod.MONTH else 3
    first = today.replace(month=(today.month - 1) // months * months + 1, day=1)
    return first, months_later(first, -months)


def _days(zone: ZoneInfo, first: date, after: date) -> Span:
    return Span(day_start(zone, first), day_start(zone, after), first, after - _DAY)
