"""Detects a hung process: it lives, but has not answered for a minute, while others do.

A separate thread probes in rounds, because a hung process answers slowly. A round without any answer is ignored:
then the whole machine was asleep or overloaded. Engines are not probed (`ProcessSpec.is_alive`): a slow disk or a
long query looks like a hang from outside, and killing an engine for it would only make it slower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Final

ROUND_S: Final = 5.0
MISSES: Final = 12

Target = tuple[str, int]
"""Name and process id: the count of a restarted process begins at zero."""


@dataclass
class MissedChecks:
    """Unanswered rounds in a row, by process."""

    _rows: dict[Target, int] = field(default_factory=dict)

    def note(self, answers: Mapping[Target, bool]) -> list[Target]:
        """Records one round's answers; returns the processes that have now missed `MISSES` rounds."""
        if any(answers.values()):
            self._rows = {who: 0 if answered else self._rows.get(who, 0) + 1 for who, answered in answers.items()}
        return [who for who, missed in self._rows.items() if missed >= MISSES and who in answers]


class HangDetector:
    """`running` returns the processes to probe, and how. `take` returns each hung process until it has ended."""

    def __init__(self, running: Callable[[], Sequence[tuple[Target, Callable[[], bool]]]], round_s: float) -> None:
        self._running = running
        self._round_s = round_s
        self._hung: list[Target] = []
        self._stop = Event()
        self._thread = Thread(target=self._watch, name="watch", daemon=True)
        self._thread.start()

    def take(self) -> list[Target]:
        hung, self._hung = self._hung, []
        return hung

    def stop(self) -> None:
        self._stop.set()

    def _watch(self) -> None:
        misses = MissedChecks()
        while not self._stop.wait(self._round_s):
            self._hung = misses.note({who: is_alive() for who, is_alive in self._running()})
