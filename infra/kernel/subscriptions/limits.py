"""When to wait, and when to stop: the limits that keep a worker from flooding the dead letters or its engines."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf
from threading import Event
from time import monotonic
from typing import ClassVar, Final, TypeVar

T = TypeVar("T")

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 30.0
LONGEST_AWAY_S: Final = 5.0
"""The longest that a worker takes to see that an engine is back, however long it was away."""
STEADY_S: Final = 30.0
WINDOW: Final = 10_000
SHARE: Final = 0.01
IN_A_ROW: Final = 100


class TooManyDeadLetters(Exception):
    """So many records cannot be taken that the fault is likely here or in whoever wrote them: stop, loudly."""


class Backoff:
    """Waits 0.5 s, 1 s, 2 s … up to 30 s, or `longest`. Begins anew with `reset`, after a success, and when nothing
    went wrong for half a minute after a wait: who has nothing to do has no success either."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._next = FIRST_WAIT_S
        self._waited_at = clock()

    def wait(self, stopping: Event, longest: float | None = None) -> None:
        if self._clock() - self._waited_at >= STEADY_S:
            self.reset()
        longest = LONGEST_WAIT_S if longest is None else min(longest, LONGEST_WAIT_S)
        stopping.wait(min(self._next, longest))
        self._next = min(self._next * 2, longest)
        self._waited_at = self._clock()

    def reset(self) -> None:
        self._next = FIRST_WAIT_S


class Told:
    """What a worker has said of late: sixty workers that wait for one engine would fill the log with it."""

    AGAIN_S: ClassVar[float] = 60.0

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._at: dict[str, float] = {}

    def is_news(self, what: str) -> bool:
        """Whether to say it: not more than once a minute."""
        now = self._clock()
        if now - self._at.get(what, -inf) < self.AGAIN_S:
            return False
        self._at[what] = now
        return True


class DeadLetterLimit:
    """Counts outcomes; raises when more than 1 % of the last 10,000 records, or 100 in a row, are bad."""

    def __init__(self) -> None:
        self._bad: deque[int] = deque()
        self._seen = 0
        self._row = 0

    def good(self, count: int) -> None:
        """`count` records in a row were taken."""
        if count:
            self._seen += count
            self._row = 0

    def bad(self, error: str) -> None:
        """One record was not. Raises `TooManyDeadLetters`."""
        self._seen += 1
        self._row += 1
        self._bad.append(self._seen)
        while self._bad[0] <= self._seen - WINDOW:
            self._bad.popleft()
        if self._row >= IN_A_ROW:
            raise TooManyDeadLetters(f"{self._row} records in a row cannot be taken; the last: {error}")
        if len(self._bad) > WINDOW * SHARE:
            raise TooManyDeadLetters(
                f"{len(self._bad)} of the last {min(self._seen, WINDOW):,} records cannot be taken; the last: {error}"
            )


class Rate:
    """Records a second, smoothed over about ten seconds."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._value = 0.0
        self._at = clock()

    def count(self, records: int) -> float:
        """The rate after `records` more."""
        now = self._clock()
        passed = max(now - self._at, 1e-3)
        weight = min(passed / 10, 1.0)
        self._value += (records / passed - self._value) * weight
        self._at = now
        return self._value
