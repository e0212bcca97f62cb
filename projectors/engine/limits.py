"""When to wait, and when to stop: the limits that keep a worker from flooding the dead letters or its engines."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Event
from time import monotonic
from typing import Final, TypeVar

T = TypeVar("T")

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 30.0
WINDOW: Final = 10_000
SHARE: Final = 0.01
IN_A_ROW: Final = 100


class TooManyDeadLetters(Exception):
    """So many records cannot be taken that the fault is likely here or in whoever wrote them: stop, loudly."""


class Backoff:
    """Waits 0.5 s, 1 s, 2 s … up to 30 s; `reset` after a success."""

    def __init__(self) -> None:
        self._next = FIRST_WAIT_S

    def wait(self, stopping: Event) -> None:
        stopping.wait(self._next)
        self._next = min(self._next * 2, LONGEST_WAIT_S)

    def reset(self) -> None:
        self._next = FIRST_WAIT_S


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
