"""Finds a process that hangs: it lives, but has not answered for a minute, while others do.

Asked in rounds by a thread of its own, because a hung process answers slowly. A round in which nobody answers counts
for nobody: then the whole machine was asleep or overloaded. Engines are not watched (`ProcessSpec.is_alive`): a slow
disk or a long query looks like a hang from outside, and killing an engine for it would only make it slower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Final

ROUND_S: Final = 5.0
MISSES: Final = 12

Asked = tuple[str, int]
"""Name and process id: a process that was started again begins anew."""


@dataclass
class Misses:
    """Unanswered rounds in a row, by process."""

    _rows: dict[Asked, int] = field(default_factory=dict)

    def note(self, answers: Mapping[Asked, bool]) -> list[Asked]:
        """Takes one round's answers; gives those that have now missed `MISSES` rounds."""
        if any(answers.values()):
            self._rows = {who: 0 if answered else self._rows.get(who, 0) + 1 for who, answered in answers.items()}
        return [who for who, missed in self._rows.items() if missed >= MISSES and who in answers]


class Watch:
    """`running` gives who is to be asked now, and how. `take` gives each hung process until it is gone."""

    def __init__(self, running: Callable[[], Sequence[tuple[Asked, Callable[[], bool]]]], round_s: float) -> None:
        self._running = running
        self._round_s = round_s
        self._hung: list[Asked] = []
        self._stop = Event()
        self._thread = Thread(target=self._watch, name="watch", daemon=True)
        self._thread.start()

    def take(self) -> list[Asked]:
        hung, self._hung = self._hung, []
        return hung

    def stop(self) -> None:
        self._stop.set()

    def _watch(self) -> None:
        misses = Misses()
        while not self._stop.wait(self._round_s):
            self._hung = misses.note({who: is_alive() for who, is_alive in self._running()})
