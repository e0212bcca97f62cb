"""Which rows may be missing, and which days are deleted together."""

from __future__ import annotations

from datetime import date, timedelta
from uuid import UUID

import orjson

from projectors.rollups.expired_events import ExpiredEvents
from projectors.visits.expiry import spans_of

ONE, OTHER = UUID(int=1), UUID(int=2)
BEFORE = date(2026, 4, 5)


def line(website: UUID, at: str, kind: str = "click") -> bytes:
    return orjson.dumps({"website_id": website, "occurred_at": at, "type": kind})


def test_rows_of_expired_days_may_be_missing_but_none_of_conversions() -> None:
    expired = ExpiredEvents({str(ONE): BEFORE})
    assert expired.has(line(ONE, "2026-04-04 23:59:59.999"))
    assert not expired.has(line(ONE, "2026-04-05 00:00:00.000"))
    assert not expired.has(line(ONE, "2026-04-04 23:59:59.999", "conversion"))
    assert not expired.has(line(OTHER, "2020-01-01 00:00:00.000"))
    assert expired.sql == (
        "type <> 'conversion' AND (toDate(occurred_at) < '2026-04-05'"
        " AND website_id IN ('00000000-0000-0000-0000-000000000001'))"
    )
    assert ExpiredEvents({}).sql == "" and not ExpiredEvents({}).has(line(ONE, "2020-01-01 00:00:00.000"))


def test_days_one_after_the_other_are_one_span_of_their_website() -> None:
    days = [BEFORE + timedelta(days=number) for number in (0, 1, 2, 5)]
    found = list(spans_of([*((ONE, day) for day in days), (OTHER, days[-1] + timedelta(days=1))]))
    assert found == [
        (ONE, days[0], days[2]),
        (ONE, days[3], days[3]),
        (OTHER, days[3] + timedelta(days=1), days[3] + timedelta(days=1)),
    ]
    assert list(spans_of([])) == []
