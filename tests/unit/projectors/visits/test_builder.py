"""Which outdated days the visit builder builds, and which of them together."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from uuid import UUID

import pytest

from projectors.visits.batches import MAX_BATCH_EVENTS, batches
from projectors.visits.builder import DayEvents, select_due

SITE, OTHER = UUID(int=1), UUID(int=2)
TODAY, YESTERDAY = date(2026, 11, 24), date(2026, 11, 23)


@pytest.mark.parametrize(
    ("day", "found", "resting", "is_due"),
    [
        (YESTERDAY, DayEvents(10, 1, 0, 0), {}, False),  # seen for the first time
        (YESTERDAY, DayEvents(10, 1, 0, 0), {(SITE, YESTERDAY): (10, 1)}, True),
        (YESTERDAY, DayEvents(10, 1, 0, 0), {(SITE, YESTERDAY): (9, 5)}, False),  # it still changes
        (YESTERDAY, DayEvents(10, 1, 10, 2), {(SITE, YESTERDAY): (10, 1)}, True),  # as many events, marked otherwise
        (TODAY, DayEvents(10, 1, 0, 0), {(SITE, TODAY): (10, 9)}, False),  # too small
        (TODAY, DayEvents(20_000, 1, 0, 0), {(SITE, TODAY): (20_000, 1)}, True),
        (TODAY, DayEvents(249_999, 1, 0, 0), {}, False),  # no report reads the build of a smaller growing day
        (TODAY, DayEvents(250_000, 1, 0, 0), {}, True),
        (TODAY, DayEvents(250_000, 1, 160_000, 2), {}, True),
        (TODAY, DayEvents(110_000, 1, 100_000, 2), {(SITE, TODAY): (110_000, 5)}, True),  # it rests, grown by a tenth
        (TODAY, DayEvents(109_999, 1, 100_000, 2), {(SITE, TODAY): (109_999, 99)}, False),  # the trickle goes on
        (TODAY, DayEvents(100_000, 1, 100_000, 2), {(SITE, TODAY): (100_000, 5)}, True),  # marked otherwise
        (YESTERDAY, DayEvents(100_001, 1, 100_000, 2), {(SITE, YESTERDAY): (100_001, 4)}, False),  # a late event
        (YESTERDAY, DayEvents(100_001, 1, 100_000, 2), {(SITE, YESTERDAY): (100_001, 5)}, True),
        (YESTERDAY, DayEvents(100_001, 1, 0, 0), {(SITE, YESTERDAY): (100_001, 1)}, True),  # an import
        (TODAY, DayEvents(374_999, 1, 250_000, 2), {}, False),
        (TODAY, DayEvents(375_000, 1, 250_000, 2), {}, True),  # grown by half
    ],
)
def test_a_day_is_built_when_it_rests_or_has_grown_and_a_small_current_one_is_not(
    day: date, found: DayEvents, resting: dict[tuple[UUID, date], tuple[int, int]], is_due: bool
) -> None:
    assert select_due({(SITE, day): found}, resting, TODAY) == ([(SITE, day)] if is_due else [])


def builds(day: date, counts: Iterable[int], built: int) -> int:
    """How many times a day is built that has these numbers of events in one round after the other."""
    resting: dict[tuple[UUID, date], tuple[int, int]] = {}
    number = 0
    for events in counts:
        found = DayEvents(events, events, built, built)
        if found.is_current:
            continue
        if select_due({(SITE, day): found}, resting, TODAY):
            built, number = events, number + 1
        before, rounds = resting.get((SITE, day), (0, 0))
        resting = {(SITE, day): (events, rounds + 1 if before == events else 0)}
    return number


def with_pauses(first: int, last: int, step: int, rounds: int) -> Iterable[int]:
    return (events for events in range(first, last, step) for _ in range(rounds))


def test_a_day_is_not_built_for_each_event_of_a_trickle() -> None:
    assert builds(TODAY, with_pauses(30_001, 31_000, 1, rounds=5), built=30_000) == 0
    assert builds(TODAY, with_pauses(20_000, 200_000, 100, rounds=20), built=0) <= 25
    assert builds(YESTERDAY, with_pauses(1_000_001, 1_000_100, 1, rounds=60), built=1_000_000) == 0


def test_a_past_day_is_built_when_the_late_events_have_ended() -> None:
    assert builds(YESTERDAY, with_pauses(1_000_001, 1_000_002, 1, rounds=70), built=1_000_000) == 1
    assert builds(YESTERDAY, with_pauses(1_001, 1_002, 1, rounds=3), built=1_000) == 1


def test_small_days_of_a_month_share_a_build_and_a_large_one_has_its_own() -> None:
    large, small, october = (SITE, TODAY), (SITE, YESTERDAY), (SITE, date(2026, 10, 31))
    days = {large: MAX_BATCH_EVENTS + 1, small: 10, (OTHER, YESTERDAY): 20, october: 5}
    assert list(batches(days)) == [[large], [small, (OTHER, YESTERDAY)], [october]]
