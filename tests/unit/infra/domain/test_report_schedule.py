"""Given a schedule and what was sent, when is a report due, and about which days?"""

from __future__ import annotations

import itertools
from datetime import UTC, date, datetime, timedelta

import pytest

from infra.domain.reports.schedule import ReportPeriod, due, last_whole_period, next_time
from schemas.events.analytics import ReportInterval, ReportSchedule
from schemas.zones import ZoneInfo

MONDAYS = ReportSchedule(every=ReportInterval.WEEKLY, weekday=0, hour=8)
MONTHLY = ReportSchedule(every=ReportInterval.MONTHLY, day=1, hour=8)
BERLIN = ZoneInfo("Europe/Berlin")
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
WEEK = ReportPeriod(date(2026, 11, 16), date(2026, 11, 22))


def test_a_weekly_report_is_about_the_seven_days_before_in_the_zone_of_the_website() -> None:
    eight_in_berlin = datetime(2026, 11, 23, 7, tzinfo=UTC)
    before = eight_in_berlin - timedelta(seconds=1)
    assert due(MONDAYS, BERLIN, before, since=LONG_AGO, handled=date(2026, 11, 15)) is None
    assert due(MONDAYS, BERLIN, eight_in_berlin, since=LONG_AGO, handled=date(2026, 11, 15)) == WEEK
    assert next_time(MONDAYS, BERLIN, before, handled=date(2026, 11, 15)) == eight_in_berlin
    assert WEEK.previous == ReportPeriod(date(2026, 11, 9), date(2026, 11, 15))


def test_a_monthly_report_is_about_the_last_whole_month() -> None:
    found = due(MONTHLY, BERLIN, datetime(2026, 3, 5, tzinfo=UTC), since=LONG_AGO, handled=None)
    assert found == ReportPeriod(date(2026, 2, 1), date(2026, 2, 28))
    assert found.previous == ReportPeriod(date(2026, 1, 1), date(2026, 1, 31))


def test_a_preview_is_about_the_days_of_a_report_that_is_sent() -> None:
    wrong = []
    for weekday, today in itertools.product(range(7), range(7)):
        weekly = ReportSchedule(every=ReportInterval.WEEKLY, weekday=weekday, hour=0)
        now = datetime(2026, 11, 23, 12, tzinfo=UTC) + timedelta(days=today)
        shown = last_whole_period(weekly, BERLIN, now)
        if shown != due(weekly, BERLIN, now, since=LONG_AGO, handled=None) or shown.last >= now.date():
            wrong.append((weekday, today))
    assert wrong == []


def test_a_preview_of_a_monthly_report_is_about_the_last_whole_month() -> None:
    assert last_whole_period(MONTHLY, BERLIN, datetime(2026, 3, 5, tzinfo=UTC)).last == date(2026, 2, 28)


def test_a_period_is_due_once_and_of_several_missed_ones_the_last() -> None:
    late = datetime(2026, 11, 25, 12, tzinfo=UTC)
    assert due(MONDAYS, BERLIN, late, since=LONG_AGO, handled=date(2026, 10, 4)) == WEEK
    assert due(MONDAYS, BERLIN, late, since=LONG_AGO, handled=WEEK.last) is None
    assert next_time(MONDAYS, BERLIN, late, handled=WEEK.last) == datetime(2026, 11, 30, 7, tzinfo=UTC)


def test_what_was_due_before_the_schedule_began_is_not_sent() -> None:
    begun = datetime(2026, 11, 24, tzinfo=UTC)
    assert due(MONDAYS, BERLIN, begun + timedelta(hours=1), since=begun, handled=None) is None


def test_a_month_that_was_sent_is_not_sent_again_on_a_later_day_of_the_next_one() -> None:
    moved = MONTHLY.model_copy(update={"day": 15})
    after = datetime(2026, 11, 2, tzinfo=UTC)
    assert next_time(moved, BERLIN, after, handled=date(2026, 10, 31)) == datetime(2026, 12, 15, 7, tzinfo=UTC)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
@pytest.mark.parametrize("hour", [0, 2, 3, 23])
def test_no_week_is_left_out_or_sent_twice_when_clocks_change(zone: str, hour: int) -> None:
    schedule, at, found = MONDAYS.model_copy(update={"weekday": 6, "hour": hour}), LONG_AGO, list[ReportPeriod]()
    for _ in range(60):
        handled = found[-1].last if found else None
        at = next_time(schedule, ZoneInfo(zone), at, handled=handled)
        period = due(schedule, ZoneInfo(zone), at, since=LONG_AGO, handled=handled)
        assert period is not None
        found.append(period)
    assert all(later.first - earlier.last == timedelta(days=1) for earlier, later in itertools.pairwise(found))
