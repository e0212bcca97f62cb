"""What needs single events that have expired is refused where it is planned; what does not is read as ever."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from infra.domain.visits.builds import VisitBuild
from infra.domain.visits.tables import BEFORE_MIDNIGHT, FROM_MIDNIGHT
from infra.kernel.http.problems import Problem
from query_api.analytics import statement
from query_api.analytics.filters import ValueFilter
from query_api.analytics.kept_events import KeptEvents
from query_api.analytics.metrics import CONVERSION_COUNTERS, Source
from query_api.analytics.query_plan import TablePlan, TrafficSelection
from query_api.analytics.ranges import BucketKind, Range
from query_api.analytics.rewrites import choose_table, find_rows
from query_api.analytics.visit_rows import DayRows, VisitRows
from schemas.zones import ZoneInfo

KEPT = KeptEvents(date(2026, 4, 5), ZoneInfo("Europe/Berlin"))
START = datetime(2026, 4, 5, tzinfo=UTC)
END = START + timedelta(days=3)
DEVICE = ValueFilter("device", ("mobile",), ())
DAY = date(2026, 4, 3)
MIDNIGHT = datetime(2026, 4, 3, 22, tzinfo=UTC)


def table_plan(start: datetime, *counters: str, filters: tuple[ValueFilter, ...] = ()) -> TablePlan:
    return TablePlan(TrafficSelection("", filters, kept=KEPT), Range(KEPT.zone, BucketKind.DAY, (start, END)), counters)


def test_rows_of_a_range_that_has_lost_some_are_never_read() -> None:
    plan = choose_table(table_plan(START, "clicks", filters=(DEVICE,)))
    assert plan.source is Source.RAW
    assert find_rows(plan) == plan
    with pytest.raises(Problem) as caught:
        statement.table(table_plan(START - timedelta(microseconds=1), "clicks", filters=(DEVICE,)))
    problem = caught.value
    assert (problem.status, problem.code, problem.more) == (422, "raw_events_expired", {"keptFrom": "2026-04-06"})
    assert "2026-04-06" in problem.message


def test_sums_and_conversions_are_read_for_any_range() -> None:
    earlier = START - timedelta(days=99)
    assert statement.table(table_plan(earlier, "clicks")).sql
    sold = choose_table(table_plan(earlier, *CONVERSION_COUNTERS, filters=(DEVICE,)))
    assert sold.source is Source.RAW and statement.table(sold).sql


def build(days: int, first_at: datetime, last_at: datetime, number: int = 7) -> VisitBuild:
    return VisitBuild(days, DAY, number, (3, 5), first_at, last_at, {})


DAWN, NOON, NIGHT = (datetime(2026, 4, 3, hour, tzinfo=UTC) for hour in (1, 12, 23))
WHOLE = build(1, DAWN, NIGHT)
PARTS = (build(BEFORE_MIDNIGHT, DAWN, NOON), build(FROM_MIDNIGHT, NIGHT, NIGHT))
ROWS = VisitRows("", {DAY: WHOLE}, {}, {}, kept=KEPT, parts={DAY: PARTS})
A_DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("start", "end", "read"),
    [
        (MIDNIGHT - A_DAY, MIDNIGHT, [PARTS[0]]),
        (MIDNIGHT, MIDNIGHT + A_DAY, [PARTS[1]]),
        (MIDNIGHT - A_DAY, MIDNIGHT + A_DAY, [WHOLE]),
        (NOON + timedelta(hours=1), MIDNIGHT, []),
    ],
)
def test_a_local_day_is_read_from_the_parts_of_days(start: datetime, end: datetime, read: list[VisitBuild]) -> None:
    found = ROWS.whole(start, end)
    assert found == read
    assert not ROWS.rows(start, end, {day for each in found for day in each.covered})


@pytest.mark.parametrize(
    ("rows", "start"),
    [
        (ROWS, NOON),  # another midnight than the website had
        (replace(ROWS, parts={}), MIDNIGHT),
        (replace(ROWS, builds={}, parts={}, live={DAY: 3}), MIDNIGHT),  # an event came after the rows had gone
    ],
)
def test_what_no_counter_has_is_said_to_be_gone(rows: VisitRows, start: datetime) -> None:
    found = rows.whole(start, MIDNIGHT + A_DAY)
    with pytest.raises(Problem, match="were deleted"):
        rows.rows(start, MIDNIGHT + A_DAY, {day for each in found for day in each.covered})


def test_rows_of_expired_days_are_not_read_even_if_they_are_there() -> None:
    with pytest.raises(Problem, match="were deleted"):
        ROWS.rows(MIDNIGHT - A_DAY, MIDNIGHT + A_DAY)
    kept = replace(ROWS, kept=KeptEvents(DAY))
    assert kept.rows(MIDNIGHT - A_DAY, MIDNIGHT + A_DAY) == DayRows(whole=(WHOLE,))
