"""Password hashing: argon2id (19 MiB, 2 passes), in a thread pool that leaves one core free.

Each hash waits in a lane (`PasswordLane`). Earlier lanes have priority, and each has its own bounded queue, so a flood
of guesses delays an earlier lane only by the hashes that already run.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as TookTooLong
from enum import IntEnum
from itertools import count
from queue import PriorityQueue
from threading import BoundedSemaphore
from typing import Any, Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from infra.kernel.http.problems import Problem
from infra.kernel.http.worker_slots import release_worker_slot

T = TypeVar("T")

MEMORY_KIB: Final = 19_456
PASSES: Final = 2
WORKERS: Final = max(1, (os.cpu_count() or 2) - 1)
QUEUE: Final = 32
WAIT_S: Final = 5.0


class PasswordLane(IntEnum):
    """Priority: known devices and signed-in people, then addresses without recent failures, then others."""

    KNOWN = 0
    PROMPT = 1
    LATE = 2


class Passwords:
    """Hashes in a bounded pool. Methods raise `Problem` 429 if the queue is full."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=PASSES, memory_cost=MEMORY_KIB, parallelism=1)
        self._pool = ThreadPoolExecutor(WORKERS, "argon2")
        self._places = {lane: BoundedSemaphore(WORKERS + QUEUE) for lane in PasswordLane}
        self._waiting: PriorityQueue[tuple[PasswordLane, int, Callable[[], None]]] = PriorityQueue()
        self._order = count()
        self._nobody = self._hasher.hash(os.urandom(16).hex())

    def hash(self, password: str) -> str:
        return self._in_pool(PasswordLane.PROMPT, self._hasher.hash, password)

    def matches(self, stored: str | None, password: str, lane: PasswordLane = PasswordLane.PROMPT) -> bool:
        """Returns whether `password` matches `stored`; without `stored` it takes the same time and returns false."""
        return self._in_pool(lane, self._verify, stored or self._nobody, password) and stored is not None

    def is_outdated(self, stored: str) -> bool:
        return self._hasher.check_needs_rehash(stored)

    def _verify(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False

    def _in_pool(self, lane: PasswordLane, call: Callable[..., T], *arguments: str) -> T:
        places = self._places[lane]
        if not places.acquire(blocking=False):
            raise _too_many()
        future: Future[T] = Future()
        future.add_done_callback(lambda _: places.release())

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call(*arguments))
                except BaseException as error:  # noqa: BLE001 - it is the caller's
                    future.set_exception(error)

        self._waiting.put((lane, next(self._order), run))
        self._pool.submit(self._run_next)
        try:
            with release_worker_slot():
                return future.result(WAIT_S)
        except TookTooLong as error:
            future.cancel()
            raise _too_many() from error

    def _run_next(self) -> Any:
        """Runs once per queued hash and takes the first of the highest lane."""
        self._waiting.get_nowait()[2]()


def _too_many() -> Problem:
    return Problem(429, "busy", "Too many people are signing in. Please try again.", headers={"Retry-After": "2"})
