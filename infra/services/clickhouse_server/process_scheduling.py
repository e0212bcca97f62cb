"""Time slices for the processes that run analysts' statements: few run at a time, the others are stopped.

The kernel gives the CPU to a dashboard query as soon as it wakes up (the processes are `SCHED_IDLE`), but it cannot
divide what CPUs share: memory, caches, the two threads of a core, the share of a virtual machine. So at most half of
the CPUs run statements of analysts, in slices of `SLICE_S`. A new process gets the next slice: a small statement
does not wait for long ones. A starting process keeps its slice until it is ready: its statement waits for it.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from typing import Final, Protocol

SLICE_S: Final = 0.05
MAX_RUNNING: Final = max(1, len(os.sched_getaffinity(0)) // 2)


class PausableProcess(Protocol):
    """A process that can be stopped and can go on."""

    def pause(self) -> None: ...
    def resume(self) -> None: ...


class ProcessScheduler:
    """Lives in the event loop's thread."""

    def __init__(self, max_running: int = MAX_RUNNING) -> None:
        self._max_running = max_running
        self._running: deque[PausableProcess] = deque()
        self._stopped: deque[PausableProcess] = deque()
        self._starting: set[PausableProcess] = set()
        self._timer: asyncio.TimerHandle | None = None

    def enter(self, process: PausableProcess, *, is_starting: bool = False) -> None:
        """Adds the process to the schedule; it runs first, unless the running ones are starting."""
        if is_starting:
            self._starting.add(process)
        self._running.append(process)
        if len(self._running) > self._max_running:
            self._stop(next((one for one in self._running if one not in self._starting), process))

    def ready(self, process: PausableProcess) -> None:
        """The process has started: from now on its slices end like those of the others."""
        self._starting.discard(process)

    def leave(self, process: PausableProcess) -> None:
        """Removes the process from the schedule and lets it run; the next one gets its slice. Does nothing for a
        process that has left."""
        self._starting.discard(process)
        if process in self._stopped:
            self._stopped.remove(process)
            process.resume()
        elif process in self._running:
            self._running.remove(process)
            if self._stopped:
                self._resume_next()

    def _stop(self, process: PausableProcess) -> None:
        self._running.remove(process)
        process.pause()
        self._stopped.append(process)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SLICE_S, self._next_slice)

    def _next_slice(self) -> None:
        """Resumes the processes that wait longest, in the place of those that have run longest."""
        self._timer = None
        ended = [one for one in self._running if one not in self._starting][: len(self._stopped)]
        for _ in ended:
            self._resume_next()
        for process in ended:
            self._stop(process)
        if self._stopped and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SLICE_S, self._next_slice)

    def _resume_next(self) -> None:
        process = self._stopped.popleft()
        process.resume()
        self._running.append(process)
