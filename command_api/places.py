"""Places for what people wait for while it holds a thread: so many at once, and so few of one account. The thread is
none of those that others need (`infra.threads`)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Final
from uuid import UUID

from infra.problems import Problem
from infra.threads import only_waiting

RETRY_AFTER_S: Final = "5"


class Places:
    """`most` at once in this process, `each` of one account. `what` begins a sentence: "Insights are"."""

    def __init__(self, most: int, each: int, what: str) -> None:
        self._most = most
        self._each = each
        self._what = what
        self._held: Counter[UUID] = Counter()
        self._freed = Condition()

    @contextmanager
    def held(self, account_id: UUID, wait_s: float) -> Iterator[None]:
        """A place, waited for so long. Raises `Problem`: 429 where the account has its own, 503 where all are taken."""
        until = time.monotonic() + wait_s
        with only_waiting():
            with self._freed:
                while (refusal := self._refusal(account_id)) is not None:
                    left = until - time.monotonic()
                    if left <= 0:
                        raise refusal
                    self._freed.wait(left)
                self._held[account_id] += 1
            try:
                yield
            finally:
                with self._freed:
                    self._held[account_id] -= 1
                    if not self._held[account_id]:
                        del self._held[account_id]
                    self._freed.notify_all()

    def _refusal(self, account_id: UUID) -> Problem | None:
        again = {"Retry-After": RETRY_AFTER_S}
        if self._held[account_id] >= self._each:
            message = f"{self._what} already being worked out for you. Please wait until that is done."
            return Problem(429, "already_running", message, headers=again)
        if self._held.total() >= self._most:
            message = f"{self._what} being worked out for many people right now. Please try again in a moment."
            return Problem(503, "busy", message, headers=again)
        return None
