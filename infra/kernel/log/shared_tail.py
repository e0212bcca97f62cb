"""One reader for the end of a partition with many followers in one process: `domain`, which every read model
reads.

A dozen separate sources would each fetch and unpack every record, and each wake up for it. Here one thread reads and
buffers the newest records; sources that have caught up read from the buffer, others read on their own until they
catch up.
"""

from __future__ import annotations

from bisect import bisect_left
from contextlib import suppress
from threading import Condition, Event, Thread
from typing import Final

import structlog

from infra.kernel.log.port import (
    Log,
    LogSource,
    LogUnavailable,
    OffsetOutOfRange,
    StoredRecord,
)
from infra.kernel.observability import logging

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

MAX_BUFFERED_RECORDS: Final = 2_000
MAX_BUFFERED_BYTES: Final = 4 * 1024 * 1024
_READ_S: Final = 0.5
_READ_RECORDS: Final = 500
_RETRY_S: Final = 0.2


class SharedTailLog:
    """`infra.kernel.log.Log` over another one, whose sources of one partition share a reader at its end.

    Same contract; `close` closes the log underneath.
    """

    def __init__(self, underneath: Log, topic: str, partition: int) -> None:
        self._log = underneath
        self._place = (topic, partition)
        self._tail = _Tail(underneath, topic, partition)
        self.publish, self.create_topics, self.ready = underneath.publish, underneath.create_topics, underneath.ready
        self.partitions = underneath.partitions
        self.end_offset, self.end_offsets = underneath.end_offset, underneath.end_offsets  # the tail may lag behind

    def source(self, topic: str, partition: int, offset: int = 0) -> LogSource:
        """A reader that shares the tail if it is of the shared partition, else one of the log underneath."""
        if (topic, partition) == self._place:
            return _TailSource(self._log, self._tail, topic, partition, offset)
        return self._log.source(topic, partition, offset)

    def close(self) -> None:
        """Ends the shared reader, then closes the log underneath."""
        self._tail.close()
        self._log.close()


class _TailSource:
    """Reads alone up to where the shared reader is, then with it."""

    def __init__(self, underneath: Log, tail: _Tail, topic: str, partition: int, offset: int) -> None:
        self._log, self._tail = underneath, tail
        self._topic, self._partition = topic, partition
        self._next = offset
        self._own: LogSource | None = None

    def read(self, max_records: int, timeout_s: float) -> list[StoredRecord]:
        records = self._tail.take(self._next, max_records, timeout_s)
        if records is None:
            if self._own is None:
                self._own = self._log.source(self._topic, self._partition, self._next)
            records = self._own.read(max_records, timeout_s)
        else:
            self.close()
        if records:
            self._next = records[-1].offset + 1
        return records

    def seek(self, offset: int) -> None:
        self._next = offset
        self.close()

    def close(self) -> None:
        own, self._own = self._own, None
        if own is not None:
            own.close()


class _Tail:
    """The newest records, without a gap: everything from offset `_first` until before `_next`."""

    def __init__(self, underneath: Log, topic: str, partition: int) -> None:
        self._log, self._topic, self._partition = underneath, topic, partition
        self._records: list[StoredRecord] = []
        self._bytes = 0
        self._first = self._next = -1
        self._error: LogUnavailable | None = None
        self._changed = Condition()
        self._stopping = Event()
        self._thread: Thread | None = None

    def take(self, offset: int, max_records: int, timeout_s: float) -> list[StoredRecord] | None:
        """The records from `offset` on; waits for the first. None: not here, read them alone.

        Raises `LogUnavailable` while the shared reader does not get through.
        """
        with self._changed:
            self._start()
            if offset == self._next and self._error is None:
                self._changed.wait_for(lambda: self._next != offset or self._error is not None, timeout_s)
            if not self._first <= offset <= self._next or self._next < 0:
                return None
            if offset == self._next and self._error is not None:
                raise LogUnavailable(str(self._error)) from self._error
            place = bisect_left(self._records, offset, key=lambda record: record.offset)
            return self._records[place : place + max_records]

    def close(self) -> None:
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _start(self) -> None:
        if self._thread is None and not self._stopping.is_set():
            self._thread = Thread(target=self._run, name=f"tail of {self._topic}[{self._partition}]", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        logging.begin_context(component="shared_tail", topic=self._topic, partition=self._partition)
        source: LogSource | None = None
        while not self._stopping.is_set():
            try:
                if source is None:
                    end = self._log.end_offset(self._topic, self._partition)
                    source = self._log.source(self._topic, self._partition, end)
                    self._begin(end)
                self._add(source.read(_READ_RECORDS, _READ_S))
            except LogUnavailable as error:
                self._fail(error)
                self._stopping.wait(_RETRY_S)
            except Exception as error:
                if isinstance(error, OffsetOutOfRange):  # who reads alone meets it, too, and says what it means for him
                    log.warning("log_end_moved", error=error)
                else:  # without this thread every source at the end would wait indefinitely
                    log.exception("unexpected_error")
                self._close(source)
                source = None
                self._begin(-1)
                self._stopping.wait(_RETRY_S)
        self._close(source)

    def _close(self, source: LogSource | None) -> None:
        if source is not None:
            with suppress(Exception):
                source.close()

    def _begin(self, offset: int) -> None:
        with self._changed:
            self._records, self._bytes, self._error = [], 0, None
            self._first = self._next = offset
            self._changed.notify_all()

    def _add(self, records: list[StoredRecord]) -> None:
        with self._changed:
            was_failing, self._error = self._error is not None, None
            if records:
                self._records += records
                self._bytes += sum(len(record.value) for record in records)
                self._next = records[-1].offset + 1
                self._evict_oldest()
            if records or was_failing:
                self._changed.notify_all()

    def _evict_oldest(self) -> None:
        forgotten = 0
        while len(self._records) - forgotten > MAX_BUFFERED_RECORDS or self._bytes > MAX_BUFFERED_BYTES:
            self._bytes -= len(self._records[forgotten].value)
            forgotten += 1
        if forgotten:
            self._first = self._records[forgotten - 1].offset + 1
            self._records = self._records[forgotten:]

    def _fail(self, error: LogUnavailable) -> None:
        with self._changed:
            self._error = error
            self._changed.notify_all()
