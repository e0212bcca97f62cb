"""Controls when Python looks for garbage in the projectors' process.

A batch is tens of thousands of objects that live for a moment and form no cycles: looking at them again and again takes
half of a worker's time. Cycles come from errors, most of them from clients whose engine is away, and hold what their
frames held. So the supervisor looks for them once a minute; Python itself does after many new objects.
"""

from __future__ import annotations

import gc
from time import monotonic
from typing import Final

COLLECT_EVERY_S: Final = 60.0
THRESHOLD: Final = 50_000
"""New objects until Python looks on its own."""


def collect_rarely() -> None:
    """Configures rare collections at the start of the process: objects that exist by then are never looked at again."""
    gc.freeze()
    gc.set_threshold(THRESHOLD, 20, 50)


class GarbageCollector:
    """Collects when `look` finds that the last time is a minute ago."""

    def __init__(self) -> None:
        self._last = monotonic()

    def look(self, now: float) -> None:
        """Takes the monotonic time. Every thread waits while it collects, about 15 ms."""
        if now - self._last < COLLECT_EVERY_S:
            return
        self._last = now
        gc.collect()
