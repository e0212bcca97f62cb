"""A log that tells how much of it has been read: the audit of a long history takes minutes."""

from __future__ import annotations

from collections.abc import Callable

from infra.log import Log, Source, StoredRecord

Advance = Callable[[int], None]


class CountedLog:
    """The reading part of `infra.log.Log`; `advance` gets the number of records of each read."""

    def __init__(self, log: Log, advance: Advance) -> None:
        self._advance = advance
        self.publish, self.create_topics, self.ready, self.close = log.publish, log.create_topics, log.ready, log.close
        self.end_offset, self.end_offsets = log.end_offset, log.end_offsets
        self._source = log.source

    def source(self, topic: str, partition: int, offset: int = 0) -> Source:
        return _CountedSource(self._source(topic, partition, offset), self._advance)


class _CountedSource:
    def __init__(self, source: Source, advance: Advance) -> None:
        self._read, self._advance = source.read, advance
        self.seek, self.close = source.seek, source.close

    def read(self, max_records: int, timeout_s: float) -> list[StoredRecord]:
        found = self._read(max_records, timeout_s)
        self._advance(len(found))
        return found
