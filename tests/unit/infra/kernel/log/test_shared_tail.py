"""The shared end of a partition: everybody gets every record once, in order, whether near the end or far behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Condition

import pytest

from infra.kernel.log import LogSource, LogUnavailable, OffsetOutOfRange, Position, Record, StoredRecord, TopicPartition
from infra.kernel.log.port import NO_COUNTS
from infra.kernel.log.shared_tail import MAX_BUFFERED_BYTES, MAX_BUFFERED_RECORDS, SharedTailLog
from tests.support.stack import wait_for


@dataclass
class MemoryLog:
    """One partition in memory that can be taken away."""

    records: list[StoredRecord] = field(default_factory=list)
    is_away: bool = False
    is_broken: bool = False
    opened: list[int] = field(default_factory=list)
    topics_made: int = 0
    changed: Condition = field(default_factory=Condition)

    def append(self, *values: bytes) -> None:
        with self.changed:
            for value in values:
                self.records.append(StoredRecord("domain", 0, self.next_offset, 0, b"k", value, ()))
            self.changed.notify_all()

    @property
    def next_offset(self) -> int:
        return self.records[-1].offset + 1 if self.records else 0

    def end_offset(self, _topic: str, _partition: int) -> int:
        if self.is_away:
            raise LogUnavailable("away")
        return self.next_offset

    def end_offsets(self, places: Iterable[TopicPartition], _timeout_s: float = 2.0) -> dict[TopicPartition, int]:
        return {place: self.end_offset(*place) for place in places}

    def source(self, _topic: str, _partition: int, offset: int = 0) -> LogSource:
        self.opened.append(offset)
        return MemorySource(self, offset)

    def publish(self, records: Sequence[Record]) -> Future[list[Position]]:
        first, done = self.next_offset, Future[list[Position]]()
        self.append(*(record.value for record in records))
        done.set_result([Position("domain", 0, first + number) for number in range(len(records))])
        return done

    def partitions(self, _topic: str) -> int:
        return 1

    def create_topics(self, stored: Mapping[str, int] = NO_COUNTS) -> Mapping[str, int]:
        self.topics_made += 1
        return stored

    def ready(self, _timeout_s: float = 0.2) -> bool:
        return not self.is_away

    def close(self) -> None:
        self.is_away = True


@dataclass
class MemorySource:
    log: MemoryLog
    next: int

    def read(self, max_records: int, timeout_s: float) -> list[StoredRecord]:
        if self.log.is_away:
            raise LogUnavailable("away")
        if self.log.is_broken:
            self.log.is_broken = False
            raise RuntimeError("broken")
        if self.next > self.log.next_offset:
            raise OffsetOutOfRange(str(self.next))
        with self.log.changed:
            self.log.changed.wait_for(lambda: self.log.next_offset > self.next, min(timeout_s, 0.05))
            found = [record for record in self.log.records if record.offset >= self.next][:max_records]
        self.next += len(found)
        return found

    def seek(self, offset: int) -> None:
        self.next = offset

    def close(self) -> None:
        pass


@pytest.fixture
def memory() -> MemoryLog:
    return MemoryLog()


@pytest.fixture
def log(memory: MemoryLog) -> Iterator[SharedTailLog]:
    opened = SharedTailLog(memory, "domain", 0)
    yield opened
    opened.close()


def read(source: LogSource, count: int) -> list[bytes]:
    found: list[StoredRecord] = []

    def is_enough() -> bool:
        found.extend(source.read(count - len(found), 0.2))
        return len(found) >= count

    wait_for(is_enough, f"{count} records")
    assert [record.offset for record in found] == list(range(found[0].offset, found[0].offset + count))
    return [record.value for record in found]


def joined(log: SharedTailLog, memory: MemoryLog) -> LogSource:
    """A source that reads with the others."""
    source = log.source("domain", 0, memory.next_offset)
    assert source.read(1, 0.0) == []
    wait_for(lambda: log._tail._next == memory.next_offset, "the shared reader")
    return source


def test_all_followers_share_one_reader(log: SharedTailLog, memory: MemoryLog) -> None:
    first = joined(log, memory)
    before = len(memory.opened)
    others = [log.source("domain", 0, memory.next_offset) for _ in range(5)]
    memory.append(b"a", b"b", b"c")
    assert [read(source, 3) for source in (first, *others)] == [[b"a", b"b", b"c"]] * 6
    assert len(memory.opened) == before


def test_a_waiting_follower_is_woken(log: SharedTailLog, memory: MemoryLog) -> None:
    source = joined(log, memory)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(source.read, 10, 30.0)
        memory.append(b"wake")
        assert [record.value for record in waiting.result(31)] == [b"wake"]


def test_who_is_far_behind_reads_alone_and_then_joins(log: SharedTailLog, memory: MemoryLog) -> None:
    near = joined(log, memory)
    values = [b"%d" % number for number in range(MAX_BUFFERED_RECORDS * 2)]
    memory.append(*values)
    assert read(near, len(values)) == values
    far = log.source("domain", 0, 0)
    assert read(far, len(values)) == values
    opened = len(memory.opened)
    memory.append(b"new")
    assert read(far, 1) == read(near, 1) == [b"new"]
    assert len(memory.opened) == opened


def test_the_buffer_is_bounded(log: SharedTailLog, memory: MemoryLog) -> None:
    source = joined(log, memory)
    memory.append(*[b"x" * 1000] * (MAX_BUFFERED_BYTES // 1000 * 2))
    read(source, MAX_BUFFERED_BYTES // 1000 * 2)
    assert sum(len(record.value) for record in log._tail._records) <= MAX_BUFFERED_BYTES
    memory.append(*[b""] * (MAX_BUFFERED_RECORDS * 2))
    read(source, MAX_BUFFERED_RECORDS * 2)
    assert len(log._tail._records) <= MAX_BUFFERED_RECORDS


def test_seeking_back_gives_the_past_again(log: SharedTailLog, memory: MemoryLog) -> None:
    memory.append(b"old")
    source = joined(log, memory)
    memory.append(b"new")
    assert read(source, 1) == [b"new"]
    source.seek(0)
    assert read(source, 2) == [b"old", b"new"]


def test_an_outage_is_said_and_ends(log: SharedTailLog, memory: MemoryLog) -> None:
    source = joined(log, memory)
    memory.append(b"before")
    wait_for(lambda: log._tail._next == memory.next_offset, "the shared reader")
    memory.is_away = True
    wait_for(lambda: log._tail._error is not None, "the outage to be noticed")
    assert [record.value for record in source.read(10, 0.0)] == [b"before"], "what is here is given all the same"
    with pytest.raises(LogUnavailable):
        source.read(10, 0.1)
    memory.is_away = False
    memory.append(b"after")
    wait_for(lambda: log._tail._error is None, "the outage's end")
    assert read(source, 1) == [b"after"]


def test_an_error_that_nobody_expects_stops_nobody(log: SharedTailLog, memory: MemoryLog) -> None:
    source = joined(log, memory)
    memory.append(b"before")
    assert read(source, 1) == [b"before"]
    memory.is_broken = True
    wait_for(lambda: not memory.is_broken, "the error")
    memory.append(b"after")
    assert read(source, 1) == [b"after"]
    wait_for(lambda: log._tail._next == memory.next_offset, "the shared reader")
    opened = len(memory.opened)
    memory.append(b"later")
    assert read(source, 1) == [b"later"]
    assert len(memory.opened) == opened


def test_a_log_that_was_cut_off_is_a_loud_error(log: SharedTailLog, memory: MemoryLog) -> None:
    source = joined(log, memory)
    memory.append(b"a", b"b")
    assert read(source, 2) == [b"a", b"b"]
    memory.records.clear()

    def read_often() -> None:
        for _ in range(100):
            source.read(1, 0.1)

    with pytest.raises(OffsetOutOfRange):
        read_often()
    fresh = log.source("domain", 0, 0)
    memory.append(b"other")
    assert read(fresh, 1) == [b"other"]


def test_other_partitions_are_read_alone(log: SharedTailLog, memory: MemoryLog) -> None:
    memory.append(b"a")
    assert [record.value for record in log.source("clicks", 3, 0).read(1, 0.1)] == [b"a"]
    assert memory.opened == [0] and log._tail._thread is None


def test_all_else_is_the_logs_underneath(log: SharedTailLog, memory: MemoryLog) -> None:
    source = joined(log, memory)
    assert log.publish([Record("domain", b"k", b"sent")]).result(1) == [Position("domain", 0, 0)]
    assert read(source, 1) == [b"sent"] and log.end_offset("domain", 0) == 1
    log.create_topics()
    assert memory.topics_made == 1
    assert log.ready()
    memory.is_away = True
    assert not log.ready()
