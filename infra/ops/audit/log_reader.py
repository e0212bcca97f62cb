"""Reading a stretch of one partition of the log, whole and in order, and counting what is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from time import monotonic
from typing import Any, Final

import psycopg

from infra.kernel.log import Log, LogSource, LogUnavailable, StoredRecord, TopicPartition, partitions
from schemas.topics import Topic

Ends = Mapping[TopicPartition, int]
"""End offset by topic and partition: the audit reads the records before it."""

_PATIENCE_S: Final = 30.0
_PAGE: Final = 10_000


def ends_of(log: Log, postgres: psycopg.Connection[Any], *wanted: Topic) -> dict[TopicPartition, int]:
    """Returns the present end of each partition of the `wanted` topics, by default of all. Raises `LogUnavailable`."""
    return log.end_offsets(partitions.places(postgres, *wanted))


def read(log: Log, topic: str, partition: int, end: int) -> Iterator[StoredRecord]:
    """Every record from the beginning to before `end`. Raises `LogUnavailable` when 30 seconds bring nothing."""
    if end == 0:
        return
    with closing(log.source(topic, partition)) as source:
        last_news = monotonic()
        while True:
            try:
                records = source.read(_PAGE, 1.0)
            except LogUnavailable:
                if monotonic() - last_news > _PATIENCE_S:
                    raise
                continue
            for record in records:
                if record.offset >= end:
                    return
                yield record
            if records:
                last_news = monotonic()
                if records[-1].offset >= end - 1:
                    return
            elif monotonic() - last_news > _PATIENCE_S:
                raise LogUnavailable(f"{topic}[{partition}] gives nothing before its end {end}")


class CountedLog:
    """The reading part of `infra.kernel.log.Log`; `advance` gets the number of records of each read."""

    def __init__(self, log: Log, advance: Callable[[int], None]) -> None:
        self._advance = advance
        self.publish, self.create_topics, self.ready, self.close = log.publish, log.create_topics, log.ready, log.close
        self.partitions = log.partitions
        self.end_offset, self.end_offsets = log.end_offset, log.end_offsets
        self._source = log.source

    def source(self, topic: str, partition: int, offset: int = 0) -> LogSource:
        return _CountedSource(self._source(topic, partition, offset), self._advance)


class _CountedSource:
    def __init__(self, source: LogSource, advance: Callable[[int], None]) -> None:
        self._read, self._advance = source.read, advance
        self.seek, self.close = source.seek, source.close

    def read(self, max_records: int, timeout_s: float) -> list[StoredRecord]:
        records = self._read(max_records, timeout_s)
        self._advance(len(records))
        return records
