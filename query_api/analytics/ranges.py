"""From "the last 7 days" to instants: ranges as whole buckets in the website's time zone.

Everything here is pure. A range is cut into buckets whose edges are instants, so the engines only ever compare
numbers and cannot disagree about daylight saving: a day has the 23, 24 or 25 hours that it really had (none, where the
zone skips it), and in zones of a half or three-quarter hour the hours begin when that zone's clock shows :00. Every
edge is a multiple of 15 minutes, which is the grain of the rollups.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final

from schemas.days import FIRST_DAY, FIRST_YEAR, LAST_YEAR, day_start, instant, local_day, months_later
from schemas.http.analytics import Compare
from schemas.zones import ZoneInfo

MAX_DAYS: Final = 3660
HOURS_UP_TO_DAYS: Final = 2
DAYS_UP_TO_DAYS: Final = 180

_QUARTER: Final = timedelta(minutes=15)
_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(days=7)
_MAX_DAY: Final = timedelta(hours=25)


class TimeRange(StrEnum):
    """The named ranges, and `custom`. Weeks begin on Monday; `12m` is twelve calendar months, the current one included;
    `all` begins with the website's first event."""

    TODAY = "today"
    YESTERDAY = "yesterday"
    LAST_24H = "24h"
    LAST_7D = "7d"
    LAST_14D = "14d"
    LAST_30D = "30d"
    LAST_90D = "90d"
    THIS_WEEK = "this_week"
    LAST_WEEK = "last_week"
    THIS_MONTH = "this_month"
    LAST_MONTH = "last_month"
    THIS_QUARTER = "this_quarter"
    LAST_QUARTER = "last_quarter"
    THIS_YEAR = "this_year"
    LAST_YEAR = "last_year"
    LAST_12M = "12m"
    ALL = "all"
    CUSTOM = "custom"


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
    """Of a range of local days: its first day, for longer buckets the first day of each, and the day after its last.
    Empty for the last hours and minutes."""

    is_open: bool = False
    """True: it ends with the bucket that is filling now, before the end of its calendar period."""

    previous: tuple[date, date] | None = None
    """Of a calendar period: first day of the period before it, and the day after that one's last."""

    is_cut: bool = False
    """True: it is compared with a range whose last day or hour is not over, and ends as long before its own is."""

    @property
    def start(self) -> datetime:
        """Returns the first instant, UTC."""
        return self.edges[0]

    @property
    def end(self) -> datetime:
        """Returns the first instant after the range, UTC."""
        return self.edges[-1]

    @property
    def labels(self) -> tuple[str, ...]:
        """Returns one label per bucket: its first local date for days and months, else local time with its offset."""
        if self.bucket in (BucketKind.DAY, BucketKind.MONTH):
            return tuple(day.isoformat() for day in self.dates[:-1])
        return tuple(self._label(edge) for edge in self.edges[:-1])

    @property
    def shown_from(self) -> str:
        """Returns the start of the range, inclusive: a date, or the first hour's label."""
        return self.dates[0].isoformat() if self.dates else self._label(self.start)

    @property
    def shown_to(self) -> str:
        """Returns the end of the range, inclusive: its last date, or the last hour's label."""
        return (self.dates[-1] - _DAY).isoformat() if self.dates else self._label(self.edges[-2])

    def _label(self, edge: datetime) -> str:
        return edge.astimezone(self.timezone).isoformat(timespec="seconds")


def resolve(
    name: TimeRange,
    timezone: ZoneInfo,
    now: datetime,
    first: date | None = None,
    last: date | None = None,
    *,
    since: date | None = None,
) -> Range:
    """The range that is meant at `now` (aware). `first` and `last` (inclusive) belong to `custom` and only to it; `all`
    begins on `since`, the day of the first event, or `MAX_DAYS` ago.

    Raises `InvalidRange`.
    """
    if name is TimeRange.CUSTOM:
        return of_days(timezone, *_both(first, last, ("from", "to"), "timeRange=custom"))
    if first is not None or last is not None:
        raise InvalidRange("from" if first is not None else "to", "from and to go with timeRange=custom only.")
    if name is TimeRange.LAST_24H:
        return last_hours(timezone, now, 24)
    today = local_day(timezone, now)
    if name in _DAYS:
        return of_days(timezone, today - timedelta(days=_DAYS[name] - 1), today)
    if name is TimeRange.YESTERDAY:
        return of_days(timezone, today - _DAY, today - _DAY)
    if name is TimeRange.ALL:
        earliest = max(today - timedelta(days=MAX_DAYS - 1), FIRST_DAY)
        return _until(now, of_days(timezone, min(max(since or today, earliest), today), today))
    return _calendar(name, timezone, now, today)


_DAYS: Final = {TimeRange.LAST_7D: 7, TimeRange.LAST_14D: 14, TimeRange.LAST_30D: 30, TimeRange.LAST_90D: 90}
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}


def _calendar(name: TimeRange, timezone: ZoneInfo, now: datetime, today: date) -> Range:
    """A calendar period: `last_...` whole, the current one until `now`."""
    which, _, unit = name.value.partition("_")
    if name is TimeRange.LAST_12M:
        start = months_later(today.replace(day=1), -11)
        previous, after = months_later(start, -12), today + _DAY
    elif name is TimeRange.TODAY:
        previous, start, after = today - _DAY, today, today + _DAY
    elif unit == "week":
        start = today - timedelta(days=today.weekday()) - (_WEEK if which == "last" else timedelta(0))
        previous, after = start - _WEEK, start + _WEEK
    else:
        months = _MONTHS[unit]
        current = today.replace(month=(today.month - 1) // months * months + 1, day=1)
        start = months_later(current, -months) if which == "last" else current
        previous, after = months_later(start, -months), months_later(start, months)
    if which == "last":
        return replace(of_days(timezone, start, after - _DAY), previous=(previous, start))
    return _until(now, replace(of_days(timezone, start, today), previous=(previous, start)))


def _until(now: datetime, range_: Range) -> Range:
    """A range of days until today, without the hours that have not begun."""
    begun = bisect_right(range_.edges, now) if range_.bucket is BucketKind.HOUR else len(range_.edges) - 1
    return replace(range_, edges=range_.edges[: begun + 1], is_open=True)


def _both(first: date | None, last: date | None, names: tuple[str, str], given: str) -> tuple[date, date]:
    """Returns both days. Raises `InvalidRange` for a missing one."""
    if first is None or last is None:
        missing = names[0] if first is None else names[1]
        raise InvalidRange(missing, f"{given} needs both {names[0]} and {names[1]} (dates, YYYY-MM-DD).")
    return first, last


def last_hours(timezone: ZoneInfo, now: datetime, hours: int) -> Range:
    """Returns this hour of the local clock and the `hours - 1` before it."""
    edges = [_next_hour(timezone, hour_start(timezone, now)), hour_start(timezone, now)]
    while len(edges) <= hours:
        edges.append(hour_start(timezone, edges[-1] - timedelta(microseconds=1)))
    return Range(timezone, BucketKind.HOUR, tuple(reversed(edges)))


def last_minutes(timezone: ZoneInfo, now: datetime, minutes: int) -> Range:
    """Returns this minute and the `minutes - 1` before it."""
    end = now.astimezone(UTC).replace(second=0, microsecond=0) + timedelta(minutes=1)
    edges = tuple(end - timedelta(minutes=back) for back in range(minutes, -1, -1))
    return Range(timezone, BucketKind.MINUTE, edges)


def of_days(timezone: ZoneInfo, first: date, last: date, names: tuple[str, str] = ("from", "to")) -> Range:
    """The local days from `first` to `last`, inclusive; `names` are those of the parameters. Raises `InvalidRange`."""
    if first > last:
        raise InvalidRange(names[0], f"{names[0]} must not be after {names[1]}.")
    if first.year < FIRST_YEAR or last.year > LAST_YEAR:
        field = names[0] if first.year < FIRST_YEAR else names[1]
        raise InvalidRange(field, f"Dates must be from {FIRST_YEAR} to {LAST_YEAR}.")
    days = (last - first).days + 1
    if days > MAX_DAYS:
        raise InvalidRange(names[0], f"A range may cover at most {MAX_DAYS} days.")
    bucket = BucketKind.MONTH
    if days <= DAYS_UP_TO_DAYS:
        bucket = BucketKind.HOUR if days <= HOURS_UP_TO_DAYS else BucketKind.DAY
    return _cut(timezone, bucket, first, last + _DAY)


def compared_days(compare: Compare, timezone: ZoneInfo, first: date | None, last: date | None) -> Range | None:
    """The days that `compare=custom` gives, inclusive; none for the other comparisons. Raises `InvalidRange`."""
    names = "compareFrom", "compareTo"
    if compare is Compare.CUSTOM:
        return of_days(timezone, *_both(first, last, names, "compare=custom"), names)
    if first is not None or last is not None:
        message = "compareFrom and compareTo go with compare=custom only."
        raise InvalidRange(names[0] if first is not None else names[1], message)
    return None


def comparison(
    of: Range, compare: Compare, given: Range | None = None, *, match_weekdays: bool = False
) -> Range | None:
    """The range that `of` is compared with; none for `NONE`, and `given` for `CUSTOM`.

    `previous` has the same number of local days (for the last 24 hours: the same number of hours) and ends where `of`
    begins. Of a calendar period it is the period before, of one in progress as many days (hours) of it as have begun,
    or all of it where it is shorter. `year` has the same dates one year before; 29 February becomes the 28th.
    With `match_weekdays` the compared range begins on the nearest day of the same weekday and, but for `CUSTOM`, has
    the length of `of` and ends before it begins. `CUSTOM` apart, days and months are as many buckets as `of` has
    unless calendar periods differ in length.
    """
    if compare is Compare.NONE:
        return None
    if compare is Compare.CUSTOM:
        if given is None:
            raise InvalidRange(
                "compareFrom", "compare=custom needs both compareFrom and compareTo (dates, YYYY-MM-DD)."
            )
        return _with_weekdays_of(of, given) if match_weekdays else given
    if not of.dates:
        return _hours_before(of, compare, match_weekdays)
    previous = _a_year_before(of) if compare is Compare.YEAR else _just_before(of)
    return _on_the_weekdays_of(of, previous.dates[0]) if match_weekdays else previous


def as_far_as(of: Range, compared: Range, now: datetime) -> Range:
    """As much of `compared` as has passed of `of`, if the last day (hour, in the last 24) of `of` is not over, to the
    next quarter of an hour. All of `compared` where it has another length."""
    is_filling = of.start <= now < of.end and of.end - now <= _MAX_DAY
    if not is_filling or _length(of) != _length(compared):
        return compared
    now = now.astimezone(UTC)
    quarter = now.replace(minute=now.minute // 15 * 15, second=0, microsecond=0) + _QUARTER
    end = max(compared.edges[-2], compared.end - (of.end - quarter))
    return replace(compared, edges=(*compared.edges[:-1], end), is_cut=True) if end < compared.end else compared


def _length(range_: Range) -> timedelta | int:
    return range_.dates[-1] - range_.dates[0] if range_.dates else len(range_.edges)


def _hours_before(of: Range, compare: Compare, match_weekdays: bool) -> Range:
    if compare is Compare.YEAR:
        if match_weekdays:
            return _moved(of, lambda day: day - timedelta(weeks=52))
        return _moved(of, _year_before)
    if match_weekdays:
        return _moved(of, lambda day: day - _WEEK)
    return last_hours(of.timezone, of.start - timedelta(microseconds=1), len(of.edges) - 1)


def _just_before(of: Range) -> Range:
    length = of.dates[-1] - of.dates[0]
    if of.previous is None:
        return _as_open(of, _moved(of, lambda day: day - length))
    first, after = of.previous
    if of.is_open:
        after = min(after, first + length)
    return _as_open(of, _cut(of.timezone, of.bucket, first, after))


def _a_year_before(of: Range) -> Range:
    after = of.dates[-1]
    if of.previous is not None and not of.is_open and after.day == 1:  # whole months stay whole ones
        return _cut(of.timezone, of.bucket, _year_before(of.dates[0]), _year_before(after))
    return _as_open(of, _moved(of, _year_before))


def _on_the_weekdays_of(of: Range, first: date) -> Range:
    """Returns as many days as `of` has, before it, from the day nearest to `first` that has its weekday."""
    first = _nearest_weekday(first, of.dates[0])
    while first + (of.dates[-1] - of.dates[0]) > of.dates[0]:
        first -= _WEEK
    shift = of.dates[0] - first
    return _as_open(of, _moved(of, lambda day: day - shift))


def _with_weekdays_of(of: Range, given: Range) -> Range:
    begin = of.dates[0] if of.dates else local_day(of.timezone, of.start)
    shift = _nearest_weekday(given.dates[0], begin) - given.dates[0]
    return _moved(given, lambda day: day + shift)


def _nearest_weekday(day: date, like: date) -> date:
    """The day nearest to `day` that is the same day of the week as `like`."""
    later = (like - day).days % 7
    return day + timedelta(days=later if later <= 3 else later - 7)


def _as_open(of: Range, compared: Range) -> Range:
    """Cuts the compared range to as many hours as have begun, if `of` has hours that are still being filled."""
    if of.is_open and of.bucket is BucketKind.HOUR:
        return replace(compared, edges=compared.edges[: len(of.edges)])
    return compared


def hour_start(timezone: ZoneInfo, moment: datetime) -> datetime:
    """The last instant at or before `moment` at which the local clock showed :00, UTC."""
    hour = moment.astimezone(UTC)
    while True:
        local = hour.astimezone(timezone)
        past = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
        if not past:
            return hour
        hour -= past


def _next_hour(timezone: ZoneInfo, start: datetime) -> datetime:
    """The first instant after `start` at which the local clock shows :00. Zones that move by half an hour make some
    hours 90 minutes long."""
    hour = start + _HOUR
    while (local := hour.astimezone(timezone)).minute:
        hour += timedelta(minutes=60 - local.minute)
    return hour


def _hours_of_days(timezone: ZoneInfo, first: date, after: date) -> Range:
    """The hours from the beginning of day `first` to that of day `after`; one empty bucket, where all are skipped."""
    edges, end = [day_start(timezone, first)], day_start(timezone, after)
    while (edge := _next_hour(timezone, edges[-1])) < end:
        edges.append(edge)
    return Range(timezone, BucketKind.HOUR, (*edges, end), (first, after))


def _cut(timezone: ZoneInfo, bucket: BucketKind, first: date, after: date) -> Range:
    """The days from `first` until before `after` in buckets of this kind."""
    if bucket is BucketKind.HOUR:
        return _hours_of_days(timezone, first, after)
    if bucket is BucketKind.DAY:
        days = (after - first).days
        return _of_dates(timezone, bucket, [first + timedelta(days=n) for n in range(days + 1)])
    return _of_dates(timezone, bucket, [first, *_month_starts(first, after - _DAY), after])


def _of_dates(timezone: ZoneInfo, bucket: BucketKind, dates: list[date]) -> Range:
    return Range(timezone, bucket, tuple(day_start(timezone, day) for day in dates), tuple(dates))


def _month_starts(first: date, last: date) -> Iterator[date]:
    month = months_later(first.replace(day=1), 1)
    while month <= last:
        yield month
        month = months_later(month, 1)


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
