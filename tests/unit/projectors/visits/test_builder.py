"""Which outdated days the visit builder builds, and which of them together."""

from __future__ import annotations

from datetime import date
from uuid import UUID

import pytest

from projectors.visits.builder import MAX_BATCH_EVENTS, Found, batches, select_due

SITE, OTHER = UUID(int=1), UUID(int=2)
TODAY, YESTERDAY = date(2026, 11, 24), date(2026, 11, 23)


@pytest.mark.parametrize(
    ("day", "found", "resting", "is_due"),
    [
        (YESTERDAY, Found(10, 1, 0, 0), {}, False),  # seen for the first time
        (YESTERDAY, Found(10, 1, 0, 0), {(SITE, YESTERDAY): (10, 1)}, True),
        (YESTERDAY, Found(10, 1, 0, 0), {(SITE, YESTERDAY): (9, 5)}, False),  # it still changes
        (YESTERDAY, Found(10, 1, 10, 2), {(SITE, YESTERDAY): (10, 1)}, True),  # as many events, marked otherwise
        (TODAY, Found(10, 1, 0, 0), {(SITE, TODAY): (10, 9)}, False),  # too small
        (TODAY, Found(20_000, 1, 0, 0), {(SITE, TODAY): (20_000, 1)}, True),
        (TODAY, Found(249_999, 1, 0, 0), {}, False),  # no report reads the build of a smaller growing day
        (TODAY, Found(250_000, 1, 0, 0), {}, True),
        (TODAY, Found(250_000, 1, 160_000, 2), {}, True),
        (TODAY, Found(100_001, 1, 100_000, 2), {(SITE, TODAY): (100_001, 1)}, True),  # it rests
        (TODAY, Found(374_999, 1, 250_000, 2), {}, False),
        (TODAY, Found(375_000, 1, 250_000, 2), {}, True),  # grown by half
    ],
)
def test_a_day_is_built_when_it_rests_or_has_grown_and_a_small_current_one_is_not(
    day: date, found: Found, resting: dict[tuple[UUID, date], tuple[int, int]], is_due: bool
) -> None:
    assert select_due({(SITE, day): found}, resting, TODAY) == ([(SITE, day)] if is_due else [])


def test_small_days_of_a_month_share_a_build_and_a_large_one_has_its_own() -> None:
    large, small, october = (SITE, TODAY), (SITE, YESTERDAY), (SITE, date(2026, 10, 31))
    days = {large: MAX_BATCH_EVENTS + 1, small: 10, (OTHER, YESTERDAY): 20, october: 5}
    assert list(batches(days)) == [[large], [small, (OTHER, YESTERDAY)], [october]]
