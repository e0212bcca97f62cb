"""Turns on the processors for the processes that run analysts' statements: few run at a time, the others are stopped.

The kernel gives a dashboard that wakes up the processor at once (the processes are `SCHED_IDLE`), but it cannot divide
what processors share: memory, caches, the two threads of a core, the share of a virtual machine. So at most half of
the processors run statements of analysts, for `TURN_S` in turn. A process that comes has the next turn: a small
statement does not wait for long ones. One that starts keeps its turn until it is ready: its statement waits for it.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from typing import Final, Protocol

TURN_S: Final = 0.05
AT_ONCE: Final = max(1, len(os.sched_getaffinity(0)) // 2)


class Paced(Protocol):
    """A process that can be stopped and can go on."""

    def pause(self) -> None: ...
    def go_on(self) -> None: ...


class Pacing:
    """Lives in the event loop's thread."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._at_once = at_once
        self._running: deque[Paced] = deque()
        self._stopped: deque[Paced] = deque()
        self._starting: set[Paced] = set()
        self._timer: asyncio.TimerHandle | None = None

    def enter(self, process: Paced, *, is_starting: bool = False) -> None:
        """It takes turns with the others from now on, and runs first, unless those that run are starting."""
        if is_starting:
            self._starting.add(process)
        self._running.append(process)
        if len(self._running) > self._at_once:
            self._stop(next((one for one in self._running if one not in self._starting), process))

    def ready(self, process: Paced) -> None:
        """It has started: its turn ends as those of the others do."""
        self._starting.discard(process)

    def leave(self, process: Paced) -> None:
        """It runs freely; its turn is the next one's. Does nothing for a process that has left."""
        self._starting.discard(process)
        if process in self._stopped:
            self._stopped.remove(process)
            process.go_on()
        elif process in self._running:
            self._running.remove(process)
            if self._stopped:
                self._go_on()

    def _stop(self, process: Paced) -> None:
        self._running.remove(process)
        process.pause()
        self._stopped.append(process)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TURN_S, self._next_turn)

    def _next_turn(self) -> None:
        """Those that wait longest go on, in the place of those that have run longest."""
        self._timer = None
        ended = [one for one in self._running if one not in self._starting][: len(self._stopped)]
        for _ in ended:
            self._go_on()
        for process in ended:
            self._stop(process)
        if self._stopped and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TURN_S, self._next_turn)

    def _go_on(self) -> None:
        process = self._stopped.popleft()
        process.go_on()
        self._running.append(process)
