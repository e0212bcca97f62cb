"""A circuit breaker for the language model: after repeated failures no caller waits for it for a while."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Final

FAILURES: Final = 5
PAUSE_S: Final = 60.0


class CircuitBreaker:
    """Closed: calls pass. Open: none does. After the pause one call may try; it closes or reopens the breaker.

    Thread-safe. `clock`: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float], failures: int = FAILURES, pause_s: float = PAUSE_S) -> None:
        self._clock, self._most, self._pause = clock, failures, pause_s
        self._lock = Lock()
        self._failed = 0
        self._opens_again_at: float | None = None

    def allows_call(self) -> bool:
        """Returns whether a call may start now. After the pause only one caller gets True, until its outcome is
        known."""
        with self._lock:
            if self._opens_again_at is None:
                return True
            if self._clock() < self._opens_again_at:
                return False
            self._opens_again_at = self._clock() + self._pause  # the one who tries; others wait for what comes of it
            return True

    def record_success(self) -> None:
        """Closes the breaker and forgets earlier failures."""
        with self._lock:
            self._failed, self._opens_again_at = 0, None

    def record_failure(self) -> None:
        """Counts a failure; opens the breaker when enough came in a row."""
        with self._lock:
            self._failed += 1
            if self._failed >= self._most:
                self._opens_again_at = self._clock() + self._pause

    @property
    def pause_left_s(self) -> float:
        """Seconds until calls are allowed again; 0 when they are."""
        with self._lock:
            return max(0.0, (self._opens_again_at or 0.0) - self._clock())
