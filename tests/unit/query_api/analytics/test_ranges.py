"""Ranges: whole buckets in every time zone, with the hours that a day really has, and what they are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query_api.analytics.ranges import (
    BucketKind,
    Compare,
    InvalidRange,
    TimeRange,
    comparison,
    last_minutes,
    of_days,
    resolve,
)
from schemas.days import day_end, day_start, local_day
from schemas.zones import ZoneInfo, available_timezones

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = sorted(available_timezones())
zones = st.sampled_from(ZONES).map(ZoneInfo)
days = st.dates(date(1990, 1, 1), date(2099, 11, 26))
moments = st.datetimes(datetime(1995, 1, 1), datetime(2035, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis puts the zone to it
MIDNIGHTS = [datetime(1990, 1, 1, tzinfo=UTC) + timedelta(days=days) for days in range(48 * 365 + 1)]
SKIPPED = [
    ("Pacific/Apia", date(2011, 12, 30)),
    ("Pacific/Fakaofo", date(2011, 12, 30)),
    ("Pacific/Kwajalein", date(1993, 8, 21)),
    ("Pacific/Kanton", date(1994, 12, 31)),
    ("Pacific/Kiritimati", date(1994, 12, 31)),
]


@given(zones, moments, st.sampled_from([TimeRange.LAST_24H, TimeRange.LAST_7D, TimeRange.LAST_30D, TimeRange.LAST_90D]))
@settings(max_examples=300, deadline=None)
def test_named_ranges_are_whole_buckets_around_now(zone: ZoneInfo, now: datetime, name: TimeRange) -> None:
    found = resolve(name, zone, now)
    assert all(a <= b for a, b in pairwise(found.edges))
    assert found.start <= now < found.end
    assert all(edge.timestamp() % 900 == 0 for edge in found.edges)
    if name is TimeRange.LAST_24H:
        assert len(found.labels) == 24 and len(set(found.labels)) == 24
        assert all(edge.astimezone(zone).minute == 0 for edge in found.edges)
    else:
        assert len(found.labels) == int(name.value[:-1])
        assert found.shown_to == local_day(zone, now).isoformat()


@given(zones, days, st.integers(0, 400))
@settings(max_examples=300, deadline=None)
def test_custom_ranges_hold_exactly_their_days(zone: ZoneInfo, first: date, more: int) -> None:
    last = first + timedelta(days=more)
    found = resolve(TimeRange.CUSTOM, zone, datetime.now(UTC), first, last)
    assert all(a <= b for a, b in pairwise(found.edges))
    expected = BucketKind.HOUR if more < 2 else BucketKind.DAY if more < 180 else BucketKind.MONTH
    assert found.bucket is expected
    inside = {(found.start + (found.end - found.start) * part / 97).astimezone(zone).date() for part in range(97)}
    assert min(inside) >= first and max(inside) <= last
    assert (found.start - timedelta(microseconds=1)).astimezone(zone).date() < first or found.start == found.end
    assert found.shown_to <= last.isoformat()


@given(st.sampled_from(SKIPPED), st.integers(0, 400), st.integers(0, 400), st.sampled_from(list(Compare)))
@settings(max_examples=200, deadline=None)
def test_a_skipped_day_is_an_empty_part_of_every_range(
    case: tuple[str, date], before: int, more: int, compare: Compare
) -> None:
    zone, skipped = ZoneInfo(case[0]), case[1]
    first, last = skipped - timedelta(days=before), skipped + timedelta(days=more)
    found = of_days(zone, first, last)
    assert (found.shown_from, found.shown_to) == (first.isoformat(), last.isoformat())
    assert len(found.labels) == len(set(found.labels)) == len(found.edges) - 1 > 0
    assert all(a <= b for a, b in pairwise(found.edges))
    assert (found.end - found.start) / timedelta(days=1) == pytest.approx(before + more, abs=0.1)
    compared = comparison(found, compare)
    if compared is not None:
        assert len(compared.edges) > 1 and all(a <= b for a, b in pairwise(compared.edges))
    if compare is Compare.PREVIOUS:
        assert compared is not None and compared.end == found.start
        assert compared.dates[-1] - compared.dates[0] == found.dates[-1] - found.dates[0]


def test_days_of_every_zone_neither_overlap_nor_leave_anything_out() -> None:
    """Around every change of every zone's clock from 1990 to 2037."""
    tried = 0
    for name in ZONES:
        zone = ZoneInfo(name)
        for day in _days_of_change(zone):
            start, end = day_start(zone, day), day_end(zone, day)
            assert start <= end, (name, day)
            assert local_day(zone, start) == day or start == end, (name, day)
            if start < end:
                assert local_day(zone, end - timedelta(microseconds=1)) == day, (name, day)
            assert local_day(zone, start - timedelta(microseconds=1)) < day, (name, day)
            tried += 1
    assert tried > 10_000


def _days_of_change(zone: ZoneInfo) -> Iterator[date]:
    """The days of each change, and those beside it."""

    def offset(days: int) -> timedelta | None:
        return MIDNIGHTS[days].astimezone(zone).utcoffset()

    looked_at = range(0, len(MIDNIGHTS), 20)
    offsets = [offset(days) for days in looked_at]
    for number, lower in enumerate(looked_at[:-1]):
        upper = lower + 20
        if offsets[number] != offsets[number + 1]:
            while upper - lower > 1:
                middle = (lower + upper) // 2
                lower, upper = (middle, upper) if offset(middle) == offset(lower) else (lower, middle)
            yield from (date(1990, 1, 1) + timedelta(days=lower + more) for more in (-1, 0, 1, 2))


@given(zones, moments, st.sampled_from(list(TimeRange)), st.integers(0, 500), st.sampled_from(list(Compare)))
@settings(max_examples=300, deadline=None)
def test_comparisons_have_as_many_buckets_and_end_where_the_range_begins(
    zone: ZoneInfo, now: datetime, name: TimeRange, more: int, compare: Compare
) -> None:
    last = now.date()
    given_days = (last - timedelta(days=more), last) if name is TimeRange.CUSTOM else (None, None)
    found = resolve(name, zone, now, *given_days)
    compared = comparison(found, compare)
    if compare is Compare.NONE:
        assert compared is None
        return
    assert compared is not None
    assert all(a <= b for a, b in pairwise(compared.edges))
    if found.bucket is not BucketKind.HOUR or name is TimeRange.LAST_24H:
        assert len(compared.edges) == len(found.edges)
    if compare is Compare.PREVIOUS:
        assert compared.end == found.start


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 29), 23),
        ("Europe/Berlin", date(2026, 10, 25), 25),
        ("Europe/Berlin", date(2026, 7, 1), 24),
        ("Australia/Adelaide", date(2026, 4, 5), 25),
        ("Asia/Kathmandu", date(2026, 1, 1), 24),
        ("America/Sao_Paulo", date(2018, 11, 4), 23),  # midnight itself was skipped
        ("Pacific/Apia", date(2011, 12, 30), 0),  # the whole day was skipped
    ],
)
def test_a_day_has_the_hours_that_it_had(zone: str, day: date, hours: int) -> None:
    found = of_days(ZoneInfo(zone), day, day)
    assert (found.end - found.start) == timedelta(hours=hours)


def test_an_hour_that_comes_twice_is_two_buckets() -> None:
    found = of_days(BERLIN, date(2026, 10, 25), date(2026, 10, 25))
    assert len(found.labels) == 25
    assert "2026-10-25T02:00:00+02:00" in found.labels and "2026-10-25T02:00:00+01:00" in found.labels


def test_half_hour_shifts_make_one_long_hour() -> None:
    found = of_days(ZoneInfo("Australia/Lord_Howe"), date(2026, 4, 5), date(2026, 4, 5))
    assert {b - a for a, b in pairwise(found.edges)} == {timedelta(hours=1), timedelta(minutes=90)}


def test_hours_begin_when_the_local_clock_shows_zero() -> None:
    found = resolve(TimeRange.LAST_24H, ZoneInfo("Asia/Kathmandu"), datetime(2026, 5, 5, 12, 20, tzinfo=UTC))
    assert found.edges[-1] == datetime(2026, 5, 5, 13, 15, tzinfo=UTC)
    assert found.shown_to == "2026-05-05T18:00:00+05:45"


def test_a_leap_day_is_compared_with_the_28th() -> None:
    found = comparison(of_days(BERLIN, date(2024, 2, 29), date(2024, 3, 2)), Compare.YEAR)
    assert found is not None and (found.shown_from, found.shown_to) == ("2023-02-28", "2023-03-02")


def test_a_leap_year_changes_no_comparison_by_a_day() -> None:
    found = comparison(of_days(BERLIN, date(2024, 2, 20), date(2024, 2, 28)), Compare.YEAR)
    assert found is not None and (found.shown_from, found.shown_to) == ("2023-02-20", "2023-02-28")
    assert found.end - found.start == timedelta(days=9)


def test_months_are_cut_at_the_range() -> None:
    found = of_days(BERLIN, date(2026, 1, 15), date(2026, 9, 10))
    assert found.labels[:2] == ("2026-01-15", "2026-02-01") and found.labels[-1] == "2026-09-01"
    assert (found.shown_from, found.shown_to) == ("2026-01-15", "2026-09-10")


def test_minutes() -> None:
    found = last_minutes(BERLIN, datetime(2026, 5, 5, 12, 20, 30, tzinfo=UTC), 60)
    assert len(found.labels) == 60 and found.end == datetime(2026, 5, 5, 12, 21, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "first", "last", "field"),
    [
        (TimeRange.CUSTOM, None, date(2026, 1, 1), "from"),
        (TimeRange.CUSTOM, date(2026, 1, 1), None, "to"),
        (TimeRange.CUSTOM, date(2026, 1, 2), date(2026, 1, 1), "from"),
        (TimeRange.CUSTOM, date(2000, 1, 1), date(2026, 1, 1), "from"),
        (TimeRange.CUSTOM, date(1, 1, 1), date(1, 1, 2), "from"),
        (TimeRange.CUSTOM, date(2026, 1, 1), date(9999, 12, 31), "to"),
        (TimeRange.LAST_7D, date(2026, 1, 1), None, "from"),
    ],
)
def test_ranges_that_make_no_sense_are_refused(name: TimeRange, first: date, last: date, field: str) -> None:
    with pytest.raises(InvalidRange) as refused:
        resolve(name, BERLIN, datetime.now(UTC), first, last)
    assert refused.value.field == field
