"""Which days are searched again: those that changed, longest ago first, bounded in a round and in time."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

from command_api.conversions.attribution.visit_changes import MAX_SEARCHES, ClickDay, select_changed

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SITE = uuid4()


def a_day(number: int, sales: int = 1, contents: str | None = "1:1", ago: float | None = 3600) -> ClickDay:
    searched_at = None if ago is None else NOW - timedelta(seconds=ago)
    return ClickDay(SITE, date(2026, 11, number), sales, contents, searched_at)


def selected(*days: ClickDay, contents: str = "2:9") -> list[int]:
    found = {(each.website_id, each.day): contents for each in days}
    return [each.day.day for each in select_changed(days, found, NOW)]


def test_only_a_day_that_changed_is_searched_again() -> None:
    assert selected(a_day(1), a_day(2, contents="2:9"), a_day(3, contents=None, ago=None)) == [3, 1]
    assert list(select_changed([a_day(1)], {}, NOW)) == []


def test_a_busy_day_is_searched_as_often_as_its_sales_allow() -> None:
    assert selected(a_day(1, sales=1_000, ago=49)) == []
    assert selected(a_day(1, sales=1_000, ago=51)) == [1]


def test_a_round_is_bounded_and_begins_with_what_waited_longest() -> None:
    days = [a_day(number, sales=MAX_SEARCHES // 2, ago=3600 + number) for number in (1, 2, 3)]
    assert selected(*days) == [3, 2]
    assert selected(a_day(1, sales=10 * MAX_SEARCHES, ago=None)) == [1], "a day is not split"
