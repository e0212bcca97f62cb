"""When a day begins in a time zone: instants, so that no engine has to know about daylight saving. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo


def day_start(timezone: ZoneInfo, day: date) -> datetime:
    """The first instant of a local day, UTC; where midnight is skipped by the clock, the instant of the skip."""
    return instant(datetime(day.year, day.month, day.day), timezone)  # noqa: DTZ001 - a local clock's reading


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
