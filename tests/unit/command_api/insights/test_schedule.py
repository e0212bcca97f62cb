"""When a website's yesterday is looked at for insights: three hours after its midnight, by the pinned zones."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from command_api.insights.schedule import due_day, next_due
from schemas.zones import ZoneInfo


@pytest.mark.parametrize(
    ("zone", "now", "due"),
    [
        ("UTC", datetime(2027, 1, 15, 2, 59, tzinfo=UTC), None),
        ("UTC", datetime(2027, 1, 15, 3, 0, tzinfo=UTC), date(2027, 1, 14)),
        ("America/Vancouver", datetime(2027, 1, 15, 10, 0, tzinfo=UTC), date(2027, 1, 14)),  # 03:00: no winter time
        ("America/Vancouver", datetime(2027, 1, 15, 9, 59, tzinfo=UTC), None),
        ("Pacific/Auckland", datetime(2027, 1, 14, 14, 0, tzinfo=UTC), date(2027, 1, 14)),
    ],
)
def test_a_day_is_due_from_three_oclock_on(zone: str, now: datetime, due: date | None) -> None:
    assert due_day(ZoneInfo(zone), now) == due


@pytest.mark.parametrize(
    ("zone", "now", "due"),
    [
        ("UTC", datetime(2027, 1, 15, 2, 59, tzinfo=UTC), datetime(2027, 1, 15, 3, tzinfo=UTC)),
        ("UTC", datetime(2027, 1, 15, 3, 0, tzinfo=UTC), datetime(2027, 1, 16, 3, tzinfo=UTC)),
        ("Pacific/Auckland", datetime(2027, 1, 14, 14, 0, tzinfo=UTC), datetime(2027, 1, 15, 14, tzinfo=UTC)),
        ("Europe/Helsinki", datetime(2027, 3, 27, 22, tzinfo=UTC), datetime(2027, 3, 28, 1, tzinfo=UTC)),  # skips three
    ],
)
def test_the_next_analysis_is_at_the_next_three_oclock(zone: str, now: datetime, due: datetime) -> None:
    assert next_due(ZoneInfo(zone), now) == due
    assert due_day(ZoneInfo(zone), due) is not None
