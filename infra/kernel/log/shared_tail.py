"""One reader for the end of a partition that many in one process follow: `domain`, which every read model reads.

A dozen sources of their own would each fetch and unpack every record, and each wake for it. Here one thread reads and
keeps the newest records; who has caught up takes them from there, who is further back reads alone until he has.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from threading import Condition, Event, Thread
from typing import Final

from infra.log import Log, LogUnavailable, OffsetOutOfRange, Place, Position, Record, Source, StoredRecord

log = logging.getLogger(__name__)

KEPT_RECORDS: Final = 2_000
KEPT_BYTES: Final = 4 * 1024 * 1024
_READ_S: Final = 0.5
_READ_RECORDS: Final = 500
_AGAIN_S: Final = 0.2


class SharedTailLog:
    """`infra.log.Log` over another one, whose sources of one partition share a reader at its end.

    Same contract; `close` closes the log underneath.
    """

    def __init__(self, underneath: Log, topic: str, partition: int) -> None:
        self._log = underneath
        self._place = (topic, partition)
        self._tail = _Tail(underneath, topic, partition)

    def source(self, topic: str, partition: int, offset: int = 0) -> Source:
        if (topic, partition) == self._place:
            return _TailSource(self._log, self._tail, topic, partition, offset)
        return self._log.source(topic, partition, offset)

    def publish(self, records: Sequence[Record]) -> Future[list[Position]]:
        return self._log.publish(records)

    def end_offset(self, topic: str, partition: int) -> int:
        return self._log.end_offset(topic, partition)

    def end_offsets(self, places: Iterable[Place]) -> dict[Place, int]:
        return self._log.end_offsets(places)

    def create_topics(self) -> None:
        self._log.create_topics()

    def ready(self, timeout_s: float = 0.2) -> bool:
        return self._log.ready(timeout_s)

    def close(self) -> None:
        self._tail.close()
        self._log.close()


class _TailSource:
    """Reads alone up to where the shared reader is, then with it."""

    def __init__(self, underneath: Log, tail: _Tail, topic: str, partition: int, offset: int) -> None:
        self._log, self._tail = underneath, tail
        self._topic, self._partition = topic, partition
        self._next = offset
        self._own: Source | None = None

    def read(self, max_records: int, timeout_s: float) -> list[StoredRecord]:
        records = self._tail.take(self._next, max_records, timeout_s)
        if records is None:
            if self._own is None:
                self._own = self._log.source(self._topic, self._partition, self._next)
            records = self._own.read(max_records, timeout_s)
        else:
            self._let_own_go()
        if records:
            self._next = records[-1].offset + 1
        return records

    def seek(self, offset: int) -> None:
        self._next = offset
        self._let_own_go()

    def close(self) -> None:
        self._let_own_go()

    def _let_own_go(self) -> None:
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
        source: Source | None = None
        while not self._stopping.is_set():
            try:
                if source is None:
                    end = self._log.end_offset(self._topic, self._partition)
                    source = self._log.source(self._topic, self._partition, end)
                    self._begin(end)
                self._add(source.read(_READ_RECORDS, _READ_S))
            except LogUnavailable as error:
                self._fail(error)
                self._stopping.wait(_AGAIN_S)
            except Exception as error:
                if isinstance(error, OffsetOutOfRange):  # who reads alone meets it, too, and says what it means for him
                    log.warning("the end of %s[%d] has moved: %s", self._topic, self._partition, error)
                else:  # without this thread everybody at the end would wait for ever
                    log.exception("reading %s[%d]: an error that nothing here expects", self._topic, self._partition)
                self._close(source)
                source = None
                self._begin(-1)
                self._stopping.wait(_AGAIN_S)
        self._close(source)

    def _close(self, source: Source | None) -> None:
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
                self._forget_oldest()
            if records or was_failing:
                self._changed.notify_all()

    def _forget_oldest(self) -> None:
        forgotten = 0
        while len(self._records) - forgotten > KEPT_RECORDS or self._bytes > KEPT_BYTES:
            self._bytes -= len(self._records[forgotten].value)
            forgotten += 1
        if forgotten:
            self._first = self._records[forgotten - 1].offset + 1
            self._records = self._records[forgotten:]

    def _fail(self, error: LogUnavailable) -> None:
        with self._changed:
            self._error = error
            self._changed.notify_all()
