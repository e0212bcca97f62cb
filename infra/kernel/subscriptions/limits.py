"""Back-off and failure limits: keep a worker from flooding the dead letters, the engines or the log output."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Event
from time import monotonic
from typing import Final, TypeVar

T = TypeVar("T")

MIN_WAIT_S: Final = 0.5
MAX_WAIT_S: Final = 30.0
MAX_RECONNECT_WAIT_S: Final = 5.0
"""The maximum delay until a worker notices that an engine is available again."""
STEADY_S: Final = 30.0
FAILURE_WINDOW: Final = 10_000
MAX_FAILED_SHARE: Final = 0.01
MAX_CONSECUTIVE_FAILURES: Final = 100


class TooManyDeadLetters(Exception):
    """Too many records fail: the fault is likely in this code or in the producer. The generation stops."""


class Backoff:
    """Waits 0.5 s, 1 s, 2 s … up to 30 s, or `longest`. `reset` restarts the sequence after a success; so do 30 s
    without an error after a wait, because an idle worker has no success either."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._next = MIN_WAIT_S
        self._waited_at = clock()

    def wait(self, stopping: Event, longest: float | None = None) -> None:
        """Waits the next pause, in seconds; returns at once when `stopping` is set."""
        if self._clock() - self._waited_at >= STEADY_S:
            self.reset()
        longest = MAX_WAIT_S if longest is None else min(longest, MAX_WAIT_S)
        stopping.wait(min(self._next, longest))
        self._next = min(self._next * 2, longest)
        self._waited_at = self._clock()

    def reset(self) -> None:
        """Makes the next pause `MIN_WAIT_S` again. For a success."""
        self._next = MIN_WAIT_S


class DeadLetterLimit:
    """Counts outcomes; raises when more than 1 % of the last 10,000 records, or 100 in a row, are bad."""

    def __init__(self) -> None:
        self._failed: deque[int] = deque()
        self._count = 0
        self._consecutive = 0

    def succeed(self, count: int) -> None:
        """Counts `count` consecutive successes."""
        if count:
            self._count += count
            self._consecutive = 0

    def fail(self, error: str) -> None:
        """Counts one failure. Raises `TooManyDeadLetters`."""
        self._count += 1
        self._consecutive += 1
        self._failed.append(self._count)
        while self._failed[0] <= self._count - FAILURE_WINDOW:
            self._failed.popleft()
        if self._consecutive >= MAX_CONSECUTIVE_FAILURES:
            raise TooManyDeadLetters(f"{self._consecutive} records in a row cannot be taken; the last: {error}")
        if len(self._failed) > FAILURE_WINDOW * MAX_FAILED_SHARE:
            raise TooManyDeadLetters(
                f"{len(self._failed)} of the last {min(self._count, FAILURE_WINDOW):,} records cannot be taken; "
                f"the last: {error}"
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
