"""Turns: requests about one aggregate are decided one after the other in this process, not against each other.

Nothing rests on it, for the store refuses whoever was second (`command_api.store`). It spares them to read and decide
anew: of sixty people who sign in to one account at once, each would do so for every one who was faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final
from uuid import UUID

from infra.threads import only_waiting

LOCKS: Final = 64
"""Aggregates share them: a wait for a stranger's turn is short, and rare."""
PATIENCE_S: Final = 5.0
"""Whoever waited for so long goes on without a turn."""


class Turns:
    """Thread-safe. Whoever asks for a turn must hold nothing that the one before it may need."""

    def __init__(self) -> None:
        self._locks = [Lock() for _ in range(LOCKS)]

    @contextmanager
    def of(self, aggregate_id: UUID) -> Iterator[None]:
        lock = self._locks[aggregate_id.int % LOCKS]
        has_turn = lock.acquire(blocking=False)
        if not has_turn:
            with only_waiting():
                has_turn = lock.acquire(timeout=PATIENCE_S)
        try:
            yield
        finally:
            if has_turn:
                lock.release()
