"""Each period of the start page is compared with as much of the one before: like with like."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from query_api.analytics.money_periods import GRAIN_S, MoneyPeriod, compared, slots
from schemas.days import day_end, day_start, local_day
from schemas.zones import ZoneInfo

NOW = datetime(2026, 11, 25, 13, 52, 7, tzinfo=UTC)  # a Wednesday
UTC_ZONE = ZoneInfo("UTC")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("period", "now", "before"),
    [
        (MoneyPeriod.TODAY, ("2026-11-25", "2026-11-26"), ("2026-11-18", "2026-11-18T13:45")),
        (MoneyPeriod.YESTERDAY, ("2026-11-24", "2026-11-25"), ("2026-11-17", "2026-11-18")),
        (MoneyPeriod.WEEK, ("2026-11-23", "2026-11-26"), ("2026-11-16", "2026-11-18T13:45")),
        (MoneyPeriod.MONTH, ("2026-11-01", "2026-11-26"), ("2026-10-01", "2026-10-25T13:45")),
        (MoneyPeriod.QUARTER, ("2026-10-01", "2026-11-26"), ("2026-07-01", "2026-08-25T13:45")),
    ],
)
def test_a_running_period_is_compared_until_the_same_time(
    period: MoneyPeriod, now: tuple[str, str], before: tuple[str, str]
) -> None:
    found = compared(period, UTC_ZONE, NOW)
    assert (found.now.start, found.now.end) == (at(now[0]), at(now[1]))
    assert (found.previous.start, found.previous.end) == (at(before[0]), at(before[1]))


def test_a_longer_month_is_compared_with_all_of_a_shorter_one() -> None:
    found = compared(MoneyPeriod.MONTH, UTC_ZONE, datetime(2026, 3, 30, 12, tzinfo=UTC))
    assert (found.previous.start, found.previous.end) == (at("2026-02-01"), at("2026-03-01"))
    assert (found.previous.first, found.previous.last) == (date(2026, 2, 1), date(2026, 2, 28))


ZONES = st.sampled_from(
    ["UTC", "America/St_Johns", "Pacific/Apia", "Europe/Dublin", "Australia/Lord_Howe", "Asia/Kathmandu"]
)
MOMENTS = st.datetimes(datetime(2011, 6, 1), datetime(2027, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))  # noqa: DTZ001


SAMOA_SKIPS_A_DAY: Final = datetime(2011, 12, 30, 13, tzinfo=UTC)
"""On 31 December there: the day before never was."""


@given(ZONES, MOMENTS, st.sampled_from(list(MoneyPeriod)))
@example("Pacific/Apia", SAMOA_SKIPS_A_DAY, MoneyPeriod.WEEK)
@example("Pacific/Apia", SAMOA_SKIPS_A_DAY, MoneyPeriod.YESTERDAY)
def test_spans_are_apart_and_have_whole_slots(zone_name: str, now: datetime, period: MoneyPeriod) -> None:
    zone = ZoneInfo(zone_name)
    found = compared(period, zone, now)
    days = [found.now.first + timedelta(days=n) for n in range((found.now.last - found.now.first).days + 1)]
    skipped = sum(day_start(zone, day) == day_end(zone, day) for day in days)
    assert found.previous.start <= found.previous.end <= found.now.start <= found.now.end
    assert (found.now.start < found.now.end) is (skipped < len(days))
    assert found.now.has(now) or period is MoneyPeriod.YESTERDAY
    cut = slots(zone, [found])
    starts = [start for start, _ in cut]
    assert starts == sorted(set(starts)) and all(start.timestamp() % GRAIN_S == 0 for start in starts)
    assert {found.previous.start, found.previous.end, found.now.start} <= {*starts}
    assert found.now.end in starts
    for start, day in cut[:-1]:
        assert local_day(zone, start) == day or start == day_start(zone, day)
    if period is not MoneyPeriod.YESTERDAY:
        longest = found.now.end - found.now.start + timedelta(days=skipped)
        assert found.previous.end - found.previous.start <= longest + timedelta(hours=2), "never more than has passed"
