"""Limits concurrent slow calls, in total and per account. A call in a bulkhead uses no worker slot of other requests
(`infra.kernel.http.worker_slots`)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Final
from uuid import UUID

from infra.kernel.http.problems import Problem
from infra.kernel.http.worker_slots import release_worker_slot

RETRY_AFTER_S: Final = "5"


class Bulkhead:
    """Limits concurrent calls in this process. `subject` and `done` are in the error texts: "Texts are" being
    "generated"."""

    def __init__(self, limit: int, limit_per_account: int, subject: str, done: str = "generated") -> None:
        self._limit = limit
        self._limit_per_account = limit_per_account
        self._subject = subject
        self._done = done
        self._acquired: Counter[UUID] = Counter()
        self._released = Condition()

    @contextmanager
    def acquire(self, account_id: UUID, wait_s: float) -> Iterator[None]:
        """Waits up to `wait_s` for a slot. Raises `Problem` 429 at the account's limit, 503 at the total limit."""
        until = time.monotonic() + wait_s
        with release_worker_slot():
            with self._released:
                while (refusal := self._refusal(account_id)) is not None:
                    left = until - time.monotonic()
                    if left <= 0:
                        raise refusal
                    self._released.wait(left)
                self._acquired[account_id] += 1
            try:
                yield
            finally:
                with self._released:
                    self._acquired[account_id] -= 1
                    if not self._acquired[account_id]:
                        del self._acquired[account_id]
                    self._released.notify_all()

    def _refusal(self, account_id: UUID) -> Problem | None:
        again = {"Retry-After": RETRY_AFTER_S}
        if self._acquired[account_id] >= self._limit_per_account:
            message = f"{self._subject} already being {self._done} for you. Please wait until that is done."
            return Problem(429, "already_running", message, headers=again)
        if self._acquired.total() >= self._limit:
            message = f"{self._subject} being {self._done} for many people right now. Please try again in a moment."
            return Problem(503, "busy", message, headers=again)
        return None
