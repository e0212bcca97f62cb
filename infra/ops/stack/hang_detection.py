"""Detects a hung process: it lives, but has not answered for half a minute, while others do; or it reports itself that
it hangs (`infra.kernel.http.lanes`).

A separate thread probes in rounds, because a hung process answers slowly. A round without any answer is ignored:
then the whole machine was asleep or overloaded. Engines are not probed (`ProcessSpec.why_not_alive`): a slow disk or a
long query looks like a hang from outside, and killing an engine for it would only make it slower.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Final

ROUND_S: Final = 5.0
MISSES: Final = 6

Target = tuple[str, int]
"""Name and process id: the count of a restarted process begins at zero."""
Probe = tuple[Target, Callable[[], str | None]]
"""A process, and the question why it is not alive."""
Hung = tuple[Target, str]
"""A process and the reason, for the log."""
SILENT: Final = "it has not answered for half a minute, while others have"


@dataclass
class MissedChecks:
    """Unanswered rounds in a row, by process."""

    _rows: dict[Target, int] = field(default_factory=dict)

    def note(self, answers: Mapping[Target, str | None]) -> list[Hung]:
        """Records one round: None for a process that serves, the reason of one that reports itself as hung, an empty
        text for silence. Returns the processes that are hung now."""
        answered = {who: why != "" for who, why in answers.items()}
        if any(answered.values()):
            self._rows = {who: 0 if did else self._rows.get(who, 0) + 1 for who, did in answered.items()}
        reported = [(who, why) for who, why in answers.items() if why]
        silent = [(who, SILENT) for who, missed in self._rows.items() if missed >= MISSES and who in answers]
        return reported + silent


class HangDetector:
    """`running` returns the processes to probe, and how. `take` returns each hung process until it has ended."""

    def __init__(self, running: Callable[[], Sequence[Probe]], round_s: float) -> None:
        self._running = running
        self._round_s = round_s
        self._hung: list[Hung] = []
        self._stop = Event()
        self._thread = Thread(target=self._watch, name="watch", daemon=True)
        self._thread.start()

    def take(self) -> list[Hung]:
        hung, self._hung = self._hung, []
        return hung

    def stop(self) -> None:
        self._stop.set()

    def _watch(self) -> None:
        misses = MissedChecks()
        while not self._stop.wait(self._round_s):
            self._hung = misses.note({who: why_not_alive() for who, why_not_alive in self._running()})
