"""The limits that stop a flood of dead letters."""

from __future__ import annotations

from threading import Event

import pytest

from infra.kernel.observability.log_throttle import LogThrottle
from infra.kernel.subscriptions.limits import Backoff, DeadLetterLimit, Rate, TooManyDeadLetters


def test_a_hundred_in_a_row_are_too_many() -> None:
    limit = DeadLetterLimit()
    for _ in range(99):
        limit.fail("x")
    with pytest.raises(TooManyDeadLetters, match="100 records in a row"):
        limit.fail("x")


def test_one_percent_is_allowed_and_more_is_not() -> None:
    limit = DeadLetterLimit()
    for _ in range(1000):
        limit.succeed(99)
        limit.fail("x")
    limit.succeed(50)
    with pytest.raises(TooManyDeadLetters, match="101 of the last 10,000 records cannot be taken; the last: y"):
        limit.fail("y")


def test_the_rate_settles_at_what_comes() -> None:
    now = [0.0]
    rate = Rate(lambda: now[0])
    seen = 0.0
    for _ in range(200):
        now[0] += 0.5
        seen = rate.count(500)
    assert 990 < seen <= 1000


class Noting(Event):
    """Notes how long it should wait, and lets that time pass on the clock."""

    def __init__(self, now: list[float]) -> None:
        super().__init__()
        self.now, self.waits = now, list[float]()

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout or 0.0)
        self.now[0] += timeout or 0.0
        return False


def test_waits_grow_while_it_fails_and_are_short_again_after_a_quiet_while() -> None:
    now = [0.0]
    stopping = Noting(now)
    backoff = Backoff(lambda: now[0])
    for _ in range(7):
        backoff.wait(stopping)
    now[0] += 29.0
    backoff.wait(stopping)
    now[0] += 30.0
    backoff.wait(stopping)
    assert stopping.waits == [0.5, 1, 2, 4, 8, 16, 30, 30, 0.5]


def test_an_engine_that_is_back_is_seen_soon_however_long_it_was_away() -> None:
    now = [0.0]
    stopping = Noting(now)
    backoff = Backoff(lambda: now[0])
    for _ in range(6):
        backoff.wait(stopping, 5.0)
    backoff.reset()
    backoff.wait(stopping, 5.0)
    assert stopping.waits == [0.5, 1, 2, 4, 5, 5, 0.5]


def test_the_same_error_is_logged_once_a_minute() -> None:
    now = [0.0]
    told = LogThrottle(lambda: now[0])
    assert [told.should_log(what) for what in ("away", "away", "full", "away")] == [True, False, True, False]
    now[0] += 60.0
    assert told.should_log("away") and not told.should_log("away")
