"""Repeated log lines: one a minute of each kind."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import monotonic
from typing import ClassVar


class LogThrottle:
    """Limits repeated log lines: sixty workers that wait for one engine would flood the log."""

    AGAIN_S: ClassVar[float] = 60.0

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._at: dict[str, float] = {}

    def should_log(self, what: str) -> bool:
        """Returns whether to log `what`: at most once a minute."""
        now = self._clock()
        if now - self._at.get(what, -inf) < self.AGAIN_S:
            return False
        self._at[what] = now
        return True
