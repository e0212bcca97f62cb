"""The one retry policy of the write side after a concurrency conflict."""

from __future__ import annotations

from typing import Final, Protocol, TypeVar

import structlog
from prometheus_client import Counter

from command_api.kernel.event_store import ConcurrencyConflict

ATTEMPTS: Final = 4

Result = TypeVar("Result", covariant=True)
log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_CONFLICTS = Counter("command_conflicts_total", "Concurrency conflicts, each followed by another attempt or a failure")


class Attempt(Protocol[Result]):
    """One attempt of a command or batch."""

    def __call__(self, *, is_last: bool) -> Result:
        """`is_last`: the attempt may take the store's lock before it reads, so that no concurrent writer conflicts."""


def retried(attempt: Attempt[Result]) -> Result:
    """Runs `attempt` until it has no conflict, at most `ATTEMPTS` times; the last conflict is raised."""
    number = 1
    while True:
        try:
            return attempt(is_last=number == ATTEMPTS)
        except ConcurrencyConflict as conflict:
            _CONFLICTS.inc()
            log.info("concurrency_conflict", constraint=conflict.constraint, attempt=number)
            if number == ATTEMPTS:
                raise
            number += 1
