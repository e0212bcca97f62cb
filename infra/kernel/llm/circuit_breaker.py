"""Stops asking a model that keeps failing: after some failures in a row nobody waits for it for a while."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Final

FAILURES: Final = 5
PAUSE_S: Final = 60.0


class Breaker:
    """Closed: calls pass. Open: none does. After the pause one call may try; it closes the breaker or opens it anew.

    Thread-safe. `clock`: seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float], failures: int = FAILURES, pause_s: float = PAUSE_S) -> None:
        self._clock, self._most, self._pause = clock, failures, pause_s
        self._lock = Lock()
        self._failed = 0
        self._opens_again_at: float | None = None

    def may_ask(self) -> bool:
        with self._lock:
            if self._opens_again_at is None:
                return True
            if self._clock() < self._opens_again_at:
                return False
            self._opens_again_at = self._clock() + self._pause  # the one who tries; others wait for what comes of it
            return True

    def answered(self) -> None:
        with self._lock:
            self._failed, self._opens_again_at = 0, None

    def failed(self) -> None:
        with self._lock:
            self._failed += 1
            if self._failed >= self._most:
                self._opens_again_at = self._clock() + self._pause

    @property
    def pause_left_s(self) -> float:
        """How long nobody is asked; 0 when somebody may be."""
        with self._lock:
            return max(0.0, (self._opens_again_at or 0.0) - self._clock())
