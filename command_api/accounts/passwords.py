"""Password hashing: argon2id (19 MiB, 2 passes), in a pool that leaves a core free for everything else."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TookTooLong
from threading import BoundedSemaphore
from typing import Final, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from infra.problems import Problem
from infra.threads import only_waiting

T = TypeVar("T")

MEMORY_KIB: Final = 19_456
PASSES: Final = 2
WORKERS: Final = max(1, (os.cpu_count() or 2) - 1)
QUEUE: Final = 32
WAIT_S: Final = 5.0


class Passwords:
    """Bounded hashing. Calls raise `Problem` 429 when too many wait already."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher(time_cost=PASSES, memory_cost=MEMORY_KIB, parallelism=1)
        self._pool = ThreadPoolExecutor(WORKERS, "argon2")
        self._places = BoundedSemaphore(WORKERS + QUEUE)
        self._nobody = self._hasher.hash(os.urandom(16).hex())

    def hash(self, password: str) -> str:
        return self._in_pool(self._hasher.hash, password)

    def matches(self, stored: str | None, password: str) -> bool:
        """Whether `password` is the one of `stored`; without one it takes as long and is false."""
        return self._in_pool(self._verify, stored or self._nobody, password) and stored is not None

    def is_outdated(self, stored: str) -> bool:
        return self._hasher.check_needs_rehash(stored)

    def _verify(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False

    def _in_pool(self, call: Callable[..., T], *arguments: str) -> T:
        if not self._places.acquire(blocking=False):
            raise _too_many()
        future = self._pool.submit(call, *arguments)
        future.add_done_callback(lambda _: self._places.release())
        try:
            with only_waiting():
                return future.result(WAIT_S)
        except TookTooLong as error:
            future.cancel()
            raise _too_many() from error


def _too_many() -> Problem:
    return Problem(429, "busy", "Too many people are signing in. Please try again.", headers={"Retry-After": "2"})
