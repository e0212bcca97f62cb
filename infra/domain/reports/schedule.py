"""When a report is due, and about which days it is. Pure.

A weekly report is about the seven days before the day on which it is sent, a monthly one about the calendar month
before. A period is due once: a report whose time was missed is sent late, and of several missed ones only the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final

from schemas.days import instant, local_day
from schemas.events.analytics import ReportInterval, ReportSchedule
from schemas.zones import ZoneInfo

_DAY: Final = timedelta(days=1)
_MAX_DAYS_BETWEEN: Final = 31


@dataclass(frozen=True, slots=True)
class ReportPeriod:
    """The days that a report is about, inclusive, and those that it compares them with."""

    first: date
    last: date

    @property
    def previous(self) -> ReportPeriod:
        """The period before: as many days, or the calendar month before a whole one."""
        last = self.first - _DAY
        if self.first.day == 1 and (self.last + _DAY).day == 1:
            return ReportPeriod(last.replace(day=1), last)
        return ReportPeriod(self.first - (self.last - self.first) - _DAY, last)


def due(
    schedule: ReportSchedule, zone: ZoneInfo, now: datetime, *, since: datetime, handled: date | None
) -> ReportPeriod | None:
    """The period whose report is due at `now`; none if there is none. `since`: when the schedule began to hold;
    `handled`: the last day of the last period that was sent or failed."""
    day = local_day(zone, now)
    for back in range(_MAX_DAYS_BETWEEN + 1):
        at = _time_on(schedule, zone, day - back * _DAY)
        if at is not None and at <= now:
            period = period_of(schedule, day - back * _DAY)
            return period if at > since and _is_later(period, handled) else None
    return None


def next_time(schedule: ReportSchedule, zone: ZoneInfo, after: datetime, *, handled: date | None) -> datetime:
    """The first time after `after` at which a report is due about a period that was not handled."""
    day = local_day(zone, after) - _DAY
    while True:
        at = _time_on(schedule, zone, day)
        if at is not None and at > after and _is_later(period_of(schedule, day), handled):
            return at
        day += _DAY


def period_of(schedule: ReportSchedule, day: date) -> ReportPeriod:
    """The period of the report that is sent on `day`."""
    if schedule.every is ReportInterval.WEEKLY:
        return ReportPeriod(day - 7 * _DAY, day - _DAY)
    last = day.replace(day=1) - _DAY
    return ReportPeriod(last.replace(day=1), last)


def last_whole_period(schedule: ReportSchedule, zone: ZoneInfo, now: datetime) -> ReportPeriod:
    """The last period of the schedule that is over: of a weekly report the seven days before its last day of sending,
    which may be today."""
    day = local_day(zone, now)
    if schedule.every is ReportInterval.WEEKLY:
        day -= (day.weekday() - schedule.weekday) % 7 * _DAY
    return period_of(schedule, day)


def _time_on(schedule: ReportSchedule, zone: ZoneInfo, day: date) -> datetime | None:
    if schedule.every is ReportInterval.WEEKLY and day.weekday() != schedule.weekday:
        return None
    if schedule.every is ReportInterval.MONTHLY and day.day != schedule.day:
        return None
    return instant(datetime.combine(day, time(schedule.hour)), zone)


def _is_later(period: ReportPeriod, handled: date | None) -> bool:
    return handled is None or period.last > handled
