"""Turns on the processors for the processes that run analysts' statements: few run at a time, the others are stopped.

The kernel gives a dashboard that wakes up the processor at once (the processes are `SCHED_IDLE`), but it cannot divide
what processors share: memory, caches, the two threads of a core, the share of a virtual machine. So at most half of
the processors run statements of analysts, for `TURN_S` in turn. A process that comes has the next turn: a small
statement does not wait for long ones.
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
        self._timer: asyncio.TimerHandle | None = None

    def enter(self, process: Paced) -> None:
        """It runs, and takes turns with the others from now on."""
        self._running.append(process)
        if len(self._running) > self._at_once:
            self._stop(self._running.popleft())

    def leave(self, process: Paced) -> None:
        """It runs freely; its turn is the next one's. Does nothing for a process that has left."""
        if process in self._stopped:
            self._stopped.remove(process)
            process.go_on()
        elif process in self._running:
            self._running.remove(process)
            self._fill()

    def _stop(self, process: Paced) -> None:
        process.pause()
        self._stopped.append(process)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TURN_S, self._next_turn)

    def _next_turn(self) -> None:
        """Who waits longest goes on, in the place of who has run longest."""
        self._timer = None
        for _ in range(min(self._at_once, len(self._stopped))):
            process = self._stopped.popleft()
            process.go_on()
            self._running.append(process)
        while len(self._running) > self._at_once:
            self._stop(self._running.popleft())

    def _fill(self) -> None:
        while self._stopped and len(self._running) < self._at_once:
            process = self._stopped.popleft()
            process.go_on()
            self._running.append(process)
