"""Where a statement's month begins and ends, also for a website that moved to another time zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.days import month_start
from schemas.zones import ZoneInfo

AUCKLAND, NEW_YORK, ICELAND = ZoneInfo("Pacific/Auckland"), ZoneInfo("America/New_York"), ZoneInfo("Atlantic/Reykjavik")
CONNECTED = datetime(2025, 1, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "first", "start"),
    [
        (AUCKLAND, date(2025, 5, 1), datetime(2025, 4, 30, 12, tzinfo=UTC)),
        (AUCKLAND, date(2025, 11, 1), datetime(2025, 10, 31, 11, tzinfo=UTC)),
        (NEW_YORK, date(2025, 3, 1), datetime(2025, 3, 1, 5, tzinfo=UTC)),
        (NEW_YORK, date(2025, 4, 1), datetime(2025, 4, 1, 4, tzinfo=UTC)),
        # Also before it was connected: sales of the past may be reported.
        (NEW_YORK, date(2024, 12, 1), datetime(2024, 12, 1, 5, tzinfo=UTC)),
    ],
)
def test_a_month_begins_at_midnight_of_the_website(zone: ZoneInfo, first: date, start: datetime) -> None:
    assert month_start([(CONNECTED, zone)], first) == (start, zone)


def test_what_is_over_keeps_its_edges_when_the_website_moves() -> None:
    moved = datetime(2025, 5, 31, 20, tzinfo=UTC)
    zones = [(CONNECTED, AUCKLAND), (moved, NEW_YORK)]
    assert month_start(zones, date(2025, 5, 1)) == (datetime(2025, 4, 30, 12, tzinfo=UTC), AUCKLAND)
    # In Auckland it was June already.
    assert month_start(zones, date(2025, 6, 1)) == (datetime(2025, 5, 31, 12, tzinfo=UTC), AUCKLAND)
    assert month_start(zones, date(2025, 7, 1)) == (datetime(2025, 7, 1, 4, tzinfo=UTC), NEW_YORK)


@given(
    st.lists(st.tuples(st.integers(0, 700), st.sampled_from([AUCKLAND, NEW_YORK, ICELAND])), min_size=1, max_size=6),
    st.integers(0, 700),
)
def test_no_change_of_zone_shifts_a_past_limit(moves: list[tuple[int, ZoneInfo]], cut: int) -> None:
    zones = sorted(((CONNECTED + timedelta(days=days), zone) for days, zone in moves), key=lambda each: each[0])
    now = CONNECTED + timedelta(days=cut, hours=7)
    known = [each for each in zones if each[0] <= now] or zones[:1]
    months = [date(2025 + number // 12, number % 12 + 1, 1) for number in range(24)]
    for first in months:
        edge = month_start(known, first)
        if edge[0] < now:
            assert month_start(zones, first) == edge
    edges = [month_start(zones, first)[0] for first in months]
    assert edges == sorted(set(edges))
