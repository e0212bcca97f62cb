"""Ranges: whole buckets in every time zone, with the hours that a day really has, and what they are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from importlib.resources import files
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query_api.analytics.ranges import (
    MAX_DAYS,
    BucketKind,
    InvalidRange,
    Range,
    TimeRange,
    as_far_as,
    compared_days,
    comparison,
    last_minutes,
    of_days,
    resolve,
)
from schemas.days import FIRST_DAY, day_end, day_start, local_day
from schemas.http.analytics import Compare
from schemas.zones import ZoneInfo, available_timezones
from tests.support.rounds import first_of

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = sorted(available_timezones())
zones = st.sampled_from(ZONES).map(ZoneInfo)
days = st.dates(date(1990, 1, 1), date(2099, 11, 26))
moments = st.datetimes(datetime(1995, 1, 1), datetime(2035, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis puts the zone to it
MIDNIGHTS = [datetime(1990, 1, 1, tzinfo=UTC) + timedelta(days=days) for days in range(48 * 365 + 1)]
ROLLING = [TimeRange.LAST_24H, TimeRange.LAST_7D, TimeRange.LAST_14D, TimeRange.LAST_30D, TimeRange.LAST_90D]
SIMPLE = [*ROLLING, TimeRange.YESTERDAY, TimeRange.TODAY, TimeRange.ALL, TimeRange.CUSTOM]
"""Ranges that are no calendar period, or one day."""

BY_NAME = [Compare.PREVIOUS, Compare.YEAR, Compare.NONE]
SKIPPED = [
    ("Pacific/Apia", date(2011, 12, 30)),
    ("Pacific/Fakaofo", date(2011, 12, 30)),
    ("Pacific/Kwajalein", date(1993, 8, 21)),
    ("Pacific/Kanton", date(1994, 12, 31)),
    ("Pacific/Kiritimati", date(1994, 12, 31)),
]


@given(zones, moments, st.sampled_from(ROLLING))
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


@given(st.sampled_from(SKIPPED), st.integers(0, 400), st.integers(0, 400), st.sampled_from(BY_NAME))
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


@pytest.mark.parametrize("every", first_of(8, 1))
def test_days_of_every_zone_neither_overlap_nor_leave_anything_out(every: int) -> None:
    """Around every change of the clock from 1990 to 2037, of every eighth zone or of all. Names of one zone are tried
    once."""
    tried, database = 0, files("tzdata") / "zoneinfo"
    for name in [*{(database / name).read_bytes(): name for name in ZONES}.values()][::every]:
        zone = ZoneInfo(name)
        for day in _days_of_change(zone):
            start, end = day_start(zone, day), day_end(zone, day)
            assert start <= end, (name, day)
            assert local_day(zone, start) == day or start == end, (name, day)
            if start < end:
                assert local_day(zone, end - timedelta(microseconds=1)) == day, (name, day)
            assert local_day(zone, start - timedelta(microseconds=1)) < day, (name, day)
            tried += 1
    assert tried > 10_000 / every


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


@given(zones, moments, st.sampled_from(SIMPLE), st.integers(0, 500), st.sampled_from(BY_NAME))
@settings(max_examples=300, deadline=None)
def test_comparisons_have_as_many_buckets_and_end_where_the_range_begins(
    zone: ZoneInfo, now: datetime, name: TimeRange, more: int, compare: Compare
) -> None:
    last = now.date()
    given_days = (last - timedelta(days=more), last) if name is TimeRange.CUSTOM else (None, None)
    found = resolve(name, zone, now, *given_days, since=last - timedelta(days=more))
    compared = comparison(found, compare)
    if compare is Compare.NONE:
        assert compared is None
        return
    assert compared is not None
    assert all(a <= b for a, b in pairwise(compared.edges))
    if found.bucket is not BucketKind.HOUR or name is TimeRange.LAST_24H:
        assert len(compared.edges) == len(found.edges)
    if compare is Compare.PREVIOUS:
        assert compared.end == found.start or (found.is_open and found.bucket is BucketKind.HOUR)


@given(zones, moments, st.sampled_from(SIMPLE), st.integers(0, 500), st.sampled_from([Compare.PREVIOUS, Compare.YEAR]))
@settings(max_examples=300, deadline=None)
def test_an_unfinished_day_is_compared_with_as_much_of_a_day(
    zone: ZoneInfo, now: datetime, name: TimeRange, more: int, compare: Compare
) -> None:
    last = local_day(zone, now)
    given_days = (last - timedelta(days=more), last) if name is TimeRange.CUSTOM else (None, None)
    found = resolve(name, zone, now, *given_days, since=last - timedelta(days=more))
    whole = comparison(found, compare)
    assert whole is not None
    compared = as_far_as(found, whole, now)
    assert (compared.edges[:-1], compared.dates) == (whole.edges[:-1], whole.dates)
    assert whole.edges[-2] <= compared.end <= whole.end
    assert compared.is_cut is (compared.end < whole.end)
    assert compared.end.timestamp() % 900 == 0
    if compared.is_cut and compared.end > whole.edges[-2]:
        assert timedelta(0) <= (found.end - now) - (whole.end - compared.end) <= timedelta(minutes=15)


@pytest.mark.parametrize(
    ("name", "until"),
    [
        (TimeRange.TODAY, datetime(2026, 11, 24, 13, 15, tzinfo=UTC)),
        (TimeRange.LAST_24H, datetime(2026, 11, 24, 13, 15, tzinfo=UTC)),
        (TimeRange.LAST_7D, datetime(2026, 11, 18, 13, 15, tzinfo=UTC)),
        (TimeRange.THIS_MONTH, datetime(2026, 10, 25, 13, 15, tzinfo=UTC)),
        (TimeRange.LAST_12M, datetime(2025, 11, 25, 13, 15, tzinfo=UTC)),
        (TimeRange.YESTERDAY, None),
        (TimeRange.LAST_WEEK, None),
    ],
)
def test_changes_compare_the_same_hours(name: TimeRange, until: datetime | None) -> None:
    now = datetime(2026, 11, 25, 13, 7, tzinfo=UTC)
    found = resolve(name, BERLIN, now)
    whole = comparison(found, Compare.PREVIOUS)
    assert whole is not None
    compared = as_far_as(found, whole, now)
    assert (compared.end if compared.is_cut else None) == until


def test_periods_of_different_lengths_are_compared_whole() -> None:
    now = datetime(2026, 3, 31, 13, tzinfo=UTC)
    found = resolve(TimeRange.THIS_MONTH, BERLIN, now)
    february = comparison(found, Compare.PREVIOUS)
    assert february is not None and shown(february) == days_of(date(2026, 2, 1), date(2026, 2, 28))
    assert as_far_as(found, february, now) == february


PERIODS: dict[str, Callable[[date], object]] = {
    "week": lambda day: day.isocalendar()[:2],
    "month": lambda day: (day.year, day.month),
    "quarter": lambda day: (day.year, (day.month - 1) // 3),
    "year": lambda day: day.year,
}


def period(unit: str, day: date) -> list[date]:
    """All days of the week, month, ... that `day` is in."""
    around = (day + timedelta(days=n) for n in range(-366, 367))
    return [one for one in around if PERIODS[unit](one) == PERIODS[unit](day)]


def shown(range_: Range) -> tuple[str, str]:
    return range_.shown_from, range_.shown_to


def days_of(first: date, last: date) -> tuple[str, str]:
    return first.isoformat(), last.isoformat()


@given(zones, moments, st.sampled_from(sorted(PERIODS)))
@settings(max_examples=300, deadline=None)
def test_a_calendar_period_is_its_days_until_today_and_the_last_one_whole(
    zone: ZoneInfo, now: datetime, unit: str
) -> None:
    today = local_day(zone, now)
    this = period(unit, today)
    last = period(unit, this[0] - timedelta(days=1))
    before_last = period(unit, last[0] - timedelta(days=1))
    current, whole = resolve(TimeRange(f"this_{unit}"), zone, now), resolve(TimeRange(f"last_{unit}"), zone, now)
    assert shown(current) == days_of(this[0], today)
    assert shown(whole) == days_of(last[0], last[-1])
    assert current.start <= now < current.end and whole.end == day_start(zone, this[0])
    for found in (current, whole):
        assert all(a <= b for a, b in pairwise(found.edges)) and len(found.labels) == len(found.edges) - 1
        assert all(edge.timestamp() % 900 == 0 for edge in found.edges)
    previous, earlier = comparison(current, Compare.PREVIOUS), comparison(whole, Compare.PREVIOUS)
    assert previous is not None and earlier is not None
    elapsed = min(len(last), (today - this[0]).days + 1)
    assert shown(previous) == days_of(last[0], last[elapsed - 1]) and previous.bucket is current.bucket
    assert shown(earlier) == days_of(before_last[0], before_last[-1]) and earlier.end == whole.start


@given(zones, moments)
@settings(max_examples=200, deadline=None)
def test_twelve_months_are_calendar_months_up_to_the_current_one(zone: ZoneInfo, now: datetime) -> None:
    today = local_day(zone, now)
    found = resolve(TimeRange.LAST_12M, zone, now)
    assert found.bucket is BucketKind.MONTH and len(found.labels) == 12
    assert all(label.endswith("-01") for label in found.labels)
    assert found.labels[-1] == today.replace(day=1).isoformat() and found.shown_to == today.isoformat()
    previous = comparison(found, Compare.PREVIOUS)
    assert previous is not None and len(previous.labels) in (11, 12) and previous.end <= found.start
    assert previous.dates[0] == found.dates[0].replace(year=found.dates[0].year - 1)
    assert previous.dates[-1] - previous.dates[0] == found.dates[-1] - found.dates[0] or previous.end == found.start


@given(zones, moments)
@settings(max_examples=200, deadline=None)
def test_today_ends_with_the_current_hour_and_is_compared_with_as_much_of_yesterday(
    zone: ZoneInfo, now: datetime
) -> None:
    today = local_day(zone, now)
    found = resolve(TimeRange.TODAY, zone, now)
    assert found.bucket is BucketKind.HOUR and shown(found) == days_of(today, today)
    assert found.edges[-2] <= now < found.end and found.start == day_start(zone, today)
    yesterday = resolve(TimeRange.YESTERDAY, zone, now)
    assert (yesterday.start, yesterday.end) == (day_start(zone, today - timedelta(days=1)), found.start)
    previous = comparison(found, Compare.PREVIOUS)
    assert previous is not None and shown(previous) == shown(yesterday)
    assert previous.edges == yesterday.edges[: len(found.edges)]


@given(zones, moments, st.integers(0, 12_000))
@settings(max_examples=200, deadline=None)
def test_all_begins_with_the_first_event_but_not_before_the_limit(zone: ZoneInfo, now: datetime, ago: int) -> None:
    today = local_day(zone, now)
    found = resolve(TimeRange.ALL, zone, now, since=today - timedelta(days=ago))
    assert found.dates[0] == max(today - timedelta(days=min(ago, MAX_DAYS - 1)), FIRST_DAY)
    assert found.shown_to == today.isoformat() and found.start <= now < found.end


def test_all_of_a_website_without_events_is_today() -> None:
    now = datetime(2026, 11, 24, 12, tzinfo=UTC)
    assert shown(resolve(TimeRange.ALL, BERLIN, now)) == ("2026-11-24", "2026-11-24")
    assert shown(resolve(TimeRange.ALL, BERLIN, now, since=date(2027, 1, 1))) == ("2026-11-24", "2026-11-24")


NOW = datetime(2026, 11, 24, 18, 10, tzinfo=UTC)
"""A Tuesday; 19:10 in Berlin."""


@pytest.mark.parametrize(
    ("name", "expected", "previous", "year"),
    [
        ("today", ("2026-11-24", "2026-11-24"), ("2026-11-23", "2026-11-23"), ("2025-11-24", "2025-11-24")),
        ("yesterday", ("2026-11-23", "2026-11-23"), ("2026-11-22", "2026-11-22"), ("2025-11-23", "2025-11-23")),
        ("14d", ("2026-11-11", "2026-11-24"), ("2026-10-28", "2026-11-10"), ("2025-11-11", "2025-11-24")),
        ("this_week", ("2026-11-23", "2026-11-24"), ("2026-11-16", "2026-11-17"), ("2025-11-23", "2025-11-24")),
        ("last_week", ("2026-11-16", "2026-11-22"), ("2026-11-09", "2026-11-15"), ("2025-11-16", "2025-11-22")),
        ("this_month", ("2026-11-01", "2026-11-24"), ("2026-10-01", "2026-10-24"), ("2025-11-01", "2025-11-24")),
        ("last_month", ("2026-10-01", "2026-10-31"), ("2026-09-01", "2026-09-30"), ("2025-10-01", "2025-10-31")),
        ("this_quarter", ("2026-10-01", "2026-11-24"), ("2026-07-01", "2026-08-24"), ("2025-10-01", "2025-11-24")),
        ("last_quarter", ("2026-07-01", "2026-09-30"), ("2026-04-01", "2026-06-30"), ("2025-07-01", "2025-09-30")),
        ("this_year", ("2026-01-01", "2026-11-24"), ("2025-01-01", "2025-11-24"), ("2025-01-01", "2025-11-24")),
        ("last_year", ("2025-01-01", "2025-12-31"), ("2024-01-01", "2024-12-31"), ("2024-01-01", "2024-12-31")),
        ("12m", ("2025-12-01", "2026-11-24"), ("2024-12-01", "2025-11-24"), ("2024-12-01", "2025-11-24")),
    ],
)
def test_named_ranges_of_one_day(
    name: str, expected: tuple[str, str], previous: tuple[str, str], year: tuple[str, str]
) -> None:
    found = resolve(TimeRange(name), BERLIN, NOW)
    assert shown(found) == expected
    compared = [comparison(found, compare) for compare in (Compare.PREVIOUS, Compare.YEAR)]
    assert [shown(one) for one in compared if one is not None] == [previous, year]


def test_a_long_month_in_progress_is_compared_with_all_of_a_short_one() -> None:
    found = resolve(TimeRange.THIS_MONTH, BERLIN, datetime(2026, 3, 31, 12, tzinfo=UTC))
    previous = comparison(found, Compare.PREVIOUS)
    assert previous is not None and shown(previous) == ("2026-02-01", "2026-02-28")


def test_a_whole_february_is_compared_with_a_whole_one_of_a_leap_year() -> None:
    found = comparison(resolve(TimeRange.LAST_MONTH, BERLIN, datetime(2025, 3, 5, tzinfo=UTC)), Compare.YEAR)
    assert found is not None and shown(found) == ("2024-02-01", "2024-02-29") and len(found.labels) == 29


@given(zones, moments, st.sampled_from(list(TimeRange)), st.integers(0, 500), st.sampled_from(BY_NAME[:2]))
@settings(max_examples=300, deadline=None)
def test_matched_weekdays_line_up_bucket_by_bucket(
    zone: ZoneInfo, now: datetime, name: TimeRange, more: int, compare: Compare
) -> None:
    last = now.date()
    given_days = (last - timedelta(days=more), last) if name is TimeRange.CUSTOM else (None, None)
    found = resolve(name, zone, now, *given_days, since=last - timedelta(days=more))
    compared = comparison(found, compare, match_weekdays=True)
    plain = comparison(found, compare)
    assert compared is not None and plain is not None
    if not found.dates:
        shift = found.start - compared.start
        assert round(shift / timedelta(days=1)) in (7, 364)
        return
    shifts = {a - b for a, b in zip(found.dates, compared.dates, strict=True)}
    assert len(shifts) == 1 and shifts.pop().days % 7 == 0
    assert compared.dates[-1] <= found.dates[0]
    moved = plain.dates[0] - compared.dates[0]
    assert moved >= timedelta(days=-3)
    assert moved <= timedelta(days=10) or plain.dates[-1] > found.dates[0]  # a year before overlaps a longer range


def test_matched_weekdays_of_one_day() -> None:
    def compared(name: TimeRange, compare: Compare) -> tuple[str, str]:
        found = comparison(resolve(name, BERLIN, NOW), compare, match_weekdays=True)
        assert found is not None
        return shown(found)

    assert compared(TimeRange.TODAY, Compare.PREVIOUS) == ("2026-11-17", "2026-11-17")
    assert compared(TimeRange.LAST_30D, Compare.PREVIOUS) == ("2026-09-21", "2026-10-20")
    assert compared(TimeRange.THIS_MONTH, Compare.PREVIOUS) == ("2026-10-04", "2026-10-27")
    assert compared(TimeRange.LAST_MONTH, Compare.PREVIOUS) == ("2026-08-27", "2026-09-26")
    assert compared(TimeRange.LAST_7D, Compare.YEAR) == ("2025-11-19", "2025-11-25")


def test_a_given_comparison_is_those_days_or_the_nearest_with_the_same_weekdays() -> None:
    of = resolve(TimeRange.LAST_7D, BERLIN, NOW)  # from Wednesday
    given = compared_days(Compare.CUSTOM, BERLIN, date(2026, 6, 1), date(2026, 6, 10))  # from Monday
    assert given is not None
    assert comparison(of, Compare.CUSTOM, given) is given
    matched = comparison(of, Compare.CUSTOM, given, match_weekdays=True)
    assert matched is not None and shown(matched) == ("2026-06-03", "2026-06-12")
    hours = comparison(resolve(TimeRange.LAST_24H, BERLIN, NOW), Compare.CUSTOM, given, match_weekdays=True)
    assert hours is not None and shown(hours) == ("2026-06-01", "2026-06-10")  # 24 hours that begin on a Monday


@pytest.mark.parametrize(
    ("compare", "first", "last", "field"),
    [
        (Compare.CUSTOM, None, None, "compareFrom"),
        (Compare.CUSTOM, date(2026, 1, 1), None, "compareTo"),
        (Compare.CUSTOM, date(2026, 1, 2), date(2026, 1, 1), "compareFrom"),
        (Compare.CUSTOM, date(2026, 1, 1), date(9999, 12, 31), "compareTo"),
        (Compare.CUSTOM, date(2010, 1, 1), date(2026, 1, 1), "compareFrom"),
        (Compare.PREVIOUS, date(2026, 1, 1), date(2026, 1, 2), "compareFrom"),
        (Compare.NONE, None, date(2026, 1, 2), "compareTo"),
    ],
)
def test_comparisons_that_make_no_sense_are_refused(
    compare: Compare, first: date | None, last: date | None, field: str
) -> None:
    with pytest.raises(InvalidRange) as refused:
        compared_days(compare, BERLIN, first, last)
    assert refused.value.field == field


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


def test_the_last_minutes_end_with_the_current_one() -> None:
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
