"""Reading a stretch of one partition of the log, whole and in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Final

from infra.log import Log, LogUnavailable, Place, StoredRecord
from schemas.topics import Topic

Ends = Mapping[Place, int]
"""End offset by topic and partition: the audit looks at the records before it."""

_PATIENCE_S: Final = 30.0
_PAGE: Final = 10_000


def ends_of(log: Log, topic: Topic) -> dict[Place, int]:
    """Where each partition of `topic` ends now. Raises `LogUnavailable`."""
    return log.end_offsets((topic.name, partition) for partition in range(topic.partitions))


def read(log: Log, topic: str, partition: int, end: int) -> Iterator[StoredRecord]:
    """Every record from the beginning to before `end`. Raises `LogUnavailable` when 30 seconds bring nothing."""
    if end == 0:
        return
    source = log.source(topic, partition)
    try:
        last_news = monotonic()
        while True:
            try:
                found = source.read(_PAGE, 1.0)
            except LogUnavailable:
                if monotonic() - last_news > _PATIENCE_S:
                    raise
                continue
            for record in found:
                if record.offset >= end:
                    return
                yield record
            if found:
                last_news = monotonic()
                if found[-1].offset >= end - 1:
                    return
            elif monotonic() - last_news > _PATIENCE_S:
                raise LogUnavailable(f"{topic}[{partition}] gives nothing before its end {end}")
    finally:
        source.close()
