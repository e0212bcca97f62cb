"""From which day on single events are kept: whole months of the website's zone, whole UTC days, and no sale is lost."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from itertools import product

import pytest

from infra.domain.retention import expired_before, first_kept_day, midnights
from schemas.days import day_start, local_day
from schemas.zones import ZoneInfo

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Kiritimati", "America/St_Johns")
MOMENTS = [datetime(2025, 1, 1, tzinfo=UTC) + timedelta(hours=11 * number) for number in range(1_000)]


@pytest.mark.parametrize("name", ZONES)
def test_all_of_the_months_that_are_kept_are_there(name: str) -> None:
    zone = ZoneInfo(name)
    for now, months in product(MOMENTS, (1, 2, 13)):
        before = expired_before(months, zone, now, window_days=0)
        kept = first_kept_day(before, zone)
        assert kept.day == 1
        assert day_start(zone, kept) >= datetime.combine(before, time(), UTC)
        today = local_day(zone, now)
        age = (today.year - kept.year) * 12 + today.month - kept.month
        assert age == months or (months == 1 and age == 2)  # a sale may name a click of a month ago


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.parametrize("window", [1, 30, 365])
def test_a_click_that_a_sale_may_still_name_never_expires(name: str, window: int) -> None:
    zone = ZoneInfo(name)
    for now in MOMENTS:
        oldest_click = now - timedelta(days=30) - timedelta(days=window)
        assert expired_before(1, zone, now, window) <= oldest_click.astimezone(UTC).date()


@pytest.mark.parametrize("name", ZONES)
def test_the_first_kept_day_is_the_first_one_that_is_whole(name: str) -> None:
    zone = ZoneInfo(name)
    for number in range(800):
        before = date(2025, 1, 1) + timedelta(days=number)
        start, kept = datetime.combine(before, time(), UTC), first_kept_day(before, zone)
        assert day_start(zone, kept) >= start > day_start(zone, kept - timedelta(days=1))


def test_a_day_of_utc_is_cut_where_a_local_day_begins() -> None:
    berlin, utc = ZoneInfo("Europe/Berlin"), ZoneInfo("UTC")
    assert midnights(utc, date(2026, 3, 29)) == []
    assert midnights(berlin, date(2026, 3, 28)) == [datetime(2026, 3, 28, 23, tzinfo=UTC)]
    assert midnights(berlin, date(2026, 3, 29)) == [datetime(2026, 3, 29, 22, tzinfo=UTC)]
    assert midnights(ZoneInfo("Europe/London"), date(2026, 3, 28)) == []
    assert midnights(ZoneInfo("Europe/London"), date(2026, 3, 29)) == [datetime(2026, 3, 29, 23, tzinfo=UTC)]
