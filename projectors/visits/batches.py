"""Days that are built together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Final
from uuid import UUID

MAX_BATCH_EVENTS: Final = 1_000_000
"""Events of one build; a larger day is a build of its own."""
MAX_BATCH_DAYS: Final = 2_000
BUILD_SETTINGS: Final = {"max_execution_time": 1800, "max_partitions_per_insert_block": 0, "max_threads": 1}

Day = tuple[UUID, date]


def batches(days: Mapping[Day, int]) -> Iterator[list[Day]]:
    """The days in their order, in builds of at most `MAX_BATCH_EVENTS` events of one month."""
    batch: list[Day] = []
    events = 0
    for key, count in days.items():
        is_other_month = bool(batch) and batch[-1][1].replace(day=1) != key[1].replace(day=1)
        if batch and (events + count > MAX_BATCH_EVENTS or len(batch) == MAX_BATCH_DAYS or is_other_month):
            yield batch
            batch, events = [], 0
        batch.append(key)
        events += count
    if batch:
        yield batch


def listed(days: Iterable[date]) -> str:
    """The days as a list of SQL."""
    return ", ".join(f"'{day}'" for day in sorted(days))
