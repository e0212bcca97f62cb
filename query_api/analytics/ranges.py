"""From "the last 7 days" to instants: ranges as whole buckets in the website's time zone.

Everything here is pure. A range is cut into buckets whose edges are instants, so the engines only ever compare
numbers and cannot disagree about daylight saving: a day has the 23, 24 or 25 hours that it really had (none, where the
zone skips it), and in zones of a half or three-quarter hour the hours begin when that zone's clock shows :00. Every
edge is a multiple of 15 minutes, which is the grain of the rollups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final

from schemas.days import FIRST_YEAR, LAST_YEAR, day_start, instant, local_day
from schemas.zones import ZoneInfo

MAX_DAYS: Final = 3660
HOURS_UP_TO_DAYS: Final = 2
DAYS_UP_TO_DAYS: Final = 180

_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)


class TimeRange(StrEnum):
    """The named ranges, and `custom`."""

    LAST_24H = "24h"
    LAST_7D = "7d"
    LAST_30D = "30d"
    LAST_90D = "90d"
    CUSTOM = "custom"


class Compare(StrEnum):
    """What the range is compared with: the one just before, the same a year ago, or nothing."""

    PREVIOUS = "previous"
    YEAR = "year"
    NONE = "none"


class BucketKind(StrEnum):
    """How long a bucket is."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    MONTH = "month"


class InvalidRange(ValueError):
    """An invalid range; the message gives the reason, `field` the parameter."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Range:
    """A span of time cut into buckets. Bucket i covers `[edges[i], edges[i + 1])`; there is at least one, and it may be
    empty: a zone can skip a day."""

    timezone: ZoneInfo
    bucket: BucketKind
    edges: tuple[datetime, ...]
    dates: tuple[date, ...] = ()
    """Of local days: its first one, for longer buckets the first one of each, and the day after its last. Empty for
    the last hours and minutes."""

    @property
    def start(self) -> datetime:
        """First instant, UTC."""
        return self.edges[0]

    @property
    def end(self) -> datetime:
        """First instant after the range, UTC."""
        return self.edges[-1]

    @property
    def labels(self) -> tuple[str, ...]:
        """One per bucket: its first local date for days and months, else local time with its offset."""
        if self.bucket in (BucketKind.DAY, BucketKind.MONTH):
            return tuple(day.isoformat() for day in self.dates[:-1])
        return tuple(self._label(edge) for edge in self.edges[:-1])

    @property
    def shown_from(self) -> str:
        """Where the range begins, inclusive: a date, or the first hour's label."""
        return self.dates[0].isoformat() if self.dates else self._label(self.start)

    @property
    def shown_to(self) -> str:
        """Where the range ends, inclusive: its last date, or the last hour's label."""
        return (self.dates[-1] - _DAY).isoformat() if self.dates else self._label(self.edges[-2])

    def _label(self, edge: datetime) -> str:
        return edge.astimezone(self.timezone).isoformat(timespec="seconds")


def resolve(
    name: TimeRange, timezone: ZoneInfo, now: datetime, first: date | None = None, last: date | None = None
) -> Range:
    """The range that is meant at `now` (aware). `first` and `last` (inclusive) belong to `custom` and only to it.

    Raises `InvalidRange`.
    """
    if name is not TimeRange.CUSTOM:
        if first is not None or last is not None:
            raise InvalidRange("from" if first is not None else "to", "from and to go with timeRange=custom only.")
        if name is TimeRange.LAST_24H:
            return last_hours(timezone, now, 24)
        today = local_day(timezone, now)
        return of_days(timezone, today - timedelta(days=_DAYS[name] - 1), today)
    if first is None or last is None:
        missing = "from" if first is None else "to"
        raise InvalidRange(missing, "timeRange=custom needs both from and to (dates, YYYY-MM-DD).")
    return of_days(timezone, first, last)


_DAYS: Final = {TimeRange.LAST_7D: 7, TimeRange.LAST_30D: 30, TimeRange.LAST_90D: 90}


def last_hours(timezone: ZoneInfo, now: datetime, hours: int) -> Range:
    """This hour of the local clock and the `hours - 1` before it."""
    edges = [_next_hour(timezone, hour_start(timezone, now)), hour_start(timezone, now)]
    while len(edges) <= hours:
        edges.append(hour_start(timezone, edges[-1] - timedelta(microseconds=1)))
    return Range(timezone, BucketKind.HOUR, tuple(reversed(edges)))


def last_minutes(timezone: ZoneInfo, now: datetime, minutes: int) -> Range:
    """This minute and the `minutes - 1` before it."""
    end = now.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
    edges = tuple(end - timedelta(minutes=back) for back in range(minutes, -1, -1))
    return Range(timezone, BucketKind.MINUTE, edges)


def of_days(timezone: ZoneInfo, first: date, last: date) -> Range:
    """The local days from `first` to `last`, inclusive. Raises `InvalidRange`."""
    if first > last:
        raise InvalidRange("from", "from must not be after to.")
    if first.year < FIRST_YEAR or last.year > LAST_YEAR:
        field = "from" if first.year < FIRST_YEAR else "to"
        raise InvalidRange(field, f"Dates must be from {FIRST_YEAR} to {LAST_YEAR}.")
    days = (last - first).days + 1
    if days > MAX_DAYS:
        raise InvalidRange("from", f"A range may cover at most {MAX_DAYS} days.")
    after = last + _DAY
    if days <= HOURS_UP_TO_DAYS:
        return _hours_of_days(timezone, first, after)
    if days <= DAYS_UP_TO_DAYS:
        return _of_dates(timezone, BucketKind.DAY, [first + timedelta(days=n) for n in range(days + 1)])
    return _of_dates(timezone, BucketKind.MONTH, [first, *_month_starts(first, last), after])


def comparison(of: Range, compare: Compare) -> Range | None:
    """The range that `of` is compared with, cut into as many buckets for days and months; none for `NONE`.

    `previous` has the same number of local days (for the last 24 hours: the same number of hours) and ends where `of`
    begins. `year` has the same dates one year before; 29 February becomes the 28th.
    """
    if compare is Compare.NONE:
        return None
    if compare is Compare.YEAR:
        return _moved(of, _year_before)
    if not of.dates:
        return last_hours(of.timezone, of.start - timedelta(microseconds=1), len(of.edges) - 1)
    length = of.dates[-1] - of.dates[0]
    return _moved(of, lambda day: day - length)


def hour_start(timezone: ZoneInfo, moment: datetime) -> datetime:
    """The last instant at or before `moment` at which the local clock showed :00, UTC."""
    found = moment.astimezone(UTC)
    while True:
        local = found.astimezone(timezone)
        past = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
        if not past:
            return found
        found -= past


def _next_hour(timezone: ZoneInfo, start: datetime) -> datetime:
    """The first instant after `start` at which the local clock shows :00. Zones that move by half an hour make some
    hours 90 minutes long."""
    found = start + _HOUR
    while (local := found.astimezone(timezone)).minute:
        found += timedelta(minutes=60 - local.minute)
    return found


def _hours_of_days(timezone: ZoneInfo, first: date, after: date) -> Range:
    """The hours from the beginning of day `first` to that of day `after`; one empty bucket, where all are skipped."""
    edges, end = [day_start(timezone, first)], day_start(timezone, after)
    while (edge := _next_hour(timezone, edges[-1])) < end:
        edges.append(edge)
    return Range(timezone, BucketKind.HOUR, (*edges, end), (first, after))


def _of_dates(timezone: ZoneInfo, bucket: BucketKind, dates: list[date]) -> Range:
    return Range(timezone, bucket, tuple(day_start(timezone, day) for day in dates), tuple(dates))


def _month_starts(first: date, last: date) -> Iterator[date]:
    month = (first.replace(day=1) + timedelta(days=32)).replace(day=1)
    while month <= last:
        yield month
        month = (month + timedelta(days=32)).replace(day=1)


def _moved(of: Range, move: Callable[[date], date]) -> Range:
    """`of` with its local days moved; for hours of the clock the day of the first one, its time of day kept."""
    if not of.dates:
        start = of.start.astimezone(of.timezone)
        moved = datetime.combine(move(start.date()), start.time())
        edges = [hour_start(of.timezone, instant(moved, of.timezone))]
        while len(edges) < len(of.edges):
            edges.append(_next_hour(of.timezone, edges[-1]))
        return Range(of.timezone, of.bucket, tuple(edges))
    first, after = move(of.dates[0]), move(of.dates[-1] - _DAY) + _DAY
    if of.bucket is BucketKind.HOUR:
        return _hours_of_days(of.timezone, first, after)
    return _of_dates(of.timezone, of.bucket, [*(move(day) for day in of.dates[:-1]), after])


def _year_before(day: date) -> date:
    return day.replace(year=day.year - 1, day=28 if (day.month, day.day) == (2, 29) else day.day)
