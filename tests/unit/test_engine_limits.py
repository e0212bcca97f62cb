"""The limits that stop a flood of dead letters."""

from __future__ import annotations

import pytest

from projectors.engine.limits import DeadLetterLimit, Rate, TooManyDeadLetters


def test_a_hundred_in_a_row_are_too_many() -> None:
    limit = DeadLetterLimit()
    for _ in range(99):
        limit.bad("x")
    with pytest.raises(TooManyDeadLetters, match="100 records in a row"):
        limit.bad("x")


def test_one_percent_is_allowed_and_more_is_not() -> None:
    limit = DeadLetterLimit()
    for _ in range(1000):
        limit.good(99)
        limit.bad("x")
    limit.good(50)
    with pytest.raises(TooManyDeadLetters, match="101 of the last 10,000 records cannot be taken; the last: y"):
        limit.bad("y")


def test_the_rate_settles_at_what_comes() -> None:
    now = [0.0]
    rate = Rate(lambda: now[0])
    seen = 0.0
    for _ in range(200):
        now[0] += 0.5
        seen = rate.count(500)
    assert 990 < seen <= 1000
