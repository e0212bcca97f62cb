"""Local days as instants, so that no engine has to know about daylight saving. Pure.

A day begins when its zone's clock first shows 00:00 of it, or, where the clock skips that reading, at the skip; it ends
where the next day begins. So days neither overlap nor leave anything out, and a day that the zone skips as a whole is
empty: it begins and ends at the same instant.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Final

from schemas.zones import ZoneInfo

FIRST_YEAR: Final = 1990
LAST_YEAR: Final = 2100
"""Days outside of these years are rejected."""

FIRST_DAY: Final = date(FIRST_YEAR, 1, 1)
LAST_DAY: Final = date(LAST_YEAR, 12, 31)

_DAY: Final = timedelta(days=1)

Zones = Sequence[tuple[datetime, ZoneInfo]]
"""Since when each zone held, oldest first; the first one holds for everything before, too."""


def day_start(timezone: ZoneInfo, day: date) -> datetime:
    """The first instant of a local day, UTC."""
    return instant(datetime(day.year, day.month, day.day), timezone)  # noqa: DTZ001 - a local clock's reading


def day_end(timezone: ZoneInfo, day: date) -> datetime:
    """The first instant after a local day, UTC: where the next one begins."""
    return day_start(timezone, day + _DAY)


def local_day(timezone: ZoneInfo, moment: datetime) -> date:
    """Returns the local day of `moment` (aware): between its `day_start` and its `day_end`.

    Nearly always the date on the zone's clock. A clock that is set back over midnight shows the day before once more,
    for minutes that belong to the day that had begun.
    """
    day = moment.astimezone(timezone).date()
    return day + _DAY if moment >= day_end(timezone, day) else day


def month_start(zones: Zones, first: date) -> tuple[datetime, ZoneInfo]:
    """The instant at which a month began or will begin, UTC, and the zone that said so."""
    for (_, zone), (until, _) in pairwise(zones):
        start = day_start(zone, first)
        if start < until:
            return start.astimezone(UTC), zone
    zone = zones[-1][1]
    return day_start(zone, first).astimezone(UTC), zone


def months_later(day: date, count: int) -> date:
    """The first day of the month that comes `count` months after that of `day`; below zero: before it."""
    number = day.year * 12 + day.month - 1 + count
    return date(number // 12, number % 12 + 1, 1)


def instant(clock: datetime, timezone: ZoneInfo) -> datetime:
    """The first instant at which the local clock shows `clock` (naive) or, where it skips that reading, the skip."""
    early = clock.replace(tzinfo=timezone, fold=0).astimezone(UTC)
    if early.astimezone(timezone).replace(tzinfo=None) == clock:
        return early
    late = clock.replace(tzinfo=timezone, fold=1).astimezone(UTC)
    lower, upper = min(early, late), max(early, late)
    while upper - lower > timedelta(seconds=1):
        middle = lower + (upper - lower) / 2
        if middle.astimezone(timezone).replace(tzinfo=None) < clock:
            lower = middle
        else:
            upper = middle
    return upper.replace(microsecond=0)
