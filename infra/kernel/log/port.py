"""The log port: how every service appends to and reads from the log of record.

Two implementations pass the same contract tests (`tests/contract/log/test_log.py`): `infra.kernel.log.kafka_log`
(Apache Kafka) and `infra.kernel.log.postgres_log` (one machine without Java). `open_log` picks by settings.

Contract
- `publish` is all or nothing per record, in order per partition, and its future is done only after every record is
  durable by the log's own promise (Kafka: `acks=all`). A future that fails says nothing about single records: the
  caller may send all of them again (ids make repeats harmless).
- A record's partition comes from its key and the number of partitions (`partition_of`), the same in both
  implementations, unless it is given.
- Offsets of a partition grow without end and are never reused; `read` may see gaps in Kafka, never disorder.
- A `LogSource` reads one partition from an offset that the caller owns; there are no consumer groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Final, Protocol

from msgspec import Struct

from schemas import topics

ANSWER_S: Final = 2.0
"""Within this time an end offset is known, unless the caller sets another."""

NO_COUNTS: Final[Mapping[str, int]] = {}

Headers = tuple[tuple[str, bytes], ...]


class Record(Struct, frozen=True, gc=False):
    """One fact to append. `key` decides the partition unless `partition` is given; `timestamp_ms` 0 = now.

    Made by the ten thousand: a `Struct` costs a tenth of a frozen dataclass. `is_signed`: false only for a record of a
    backup that was not signed when it was saved (`infra.kernel.log.signature`).
    """

    topic: str
    key: bytes
    value: bytes
    headers: Headers = ()
    timestamp_ms: int = 0
    partition: int | None = None
    is_signed: bool = True


class StoredRecord(Struct, frozen=True, gc=False):
    """A stored record of the log.

    `is_signed`: a service of this installation wrote it (`infra.kernel.log.signature`).
    """

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes
    value: bytes
    headers: Headers
    is_signed: bool = False

    def is_forged(self, signed_from: float) -> bool:
        """Returns whether it lacks a valid signature of the installation's key, although its partition is signed from
        this offset on: every reader makes a dead letter of it."""
        return not self.is_signed and self.offset >= signed_from


class Position(Struct, frozen=True, gc=False):
    """A place in the log; shown to clients as `topic[partition]@offset`."""

    topic: str
    partition: int
    offset: int

    def __str__(self) -> str:
        return f"{self.topic}[{self.partition}]@{self.offset}"


class LogUnavailable(Exception):
    """The log cannot be reached or did not acknowledge in time. Try again later; nothing is known to be stored."""


class RecordTooLarge(Exception):
    """One record exceeds the log's limit (1 MiB with its headers). A retry does not help."""


class OffsetOutOfRange(Exception):
    """The log does not contain the requested offset (any more). Never skipped automatically: an operator decides."""


class LogSource(Protocol):
    """One partition, read from an offset on. Not thread-safe: one owner."""

    def read(self, max_records: int, timeout_s: float) -> list[StoredRecord]:
        """The next records, at most `max_records`; waits up to `timeout_s` for the first.

        Without time it gives only what was taken in before: what came since the last read needs a read that may wait.

        Raises `LogUnavailable`, after which the same `read` may be tried again, and `OffsetOutOfRange`.
        """
        ...

    def seek(self, offset: int) -> None:
        """The next `read` starts at `offset` (0 = the beginning)."""
        ...

    def close(self) -> None:
        """Releases the source's connections; the log stays open."""
        ...


TopicPartition = tuple[str, int]
"""A topic and one of its partitions."""


def describe_partitions(places: Sequence[TopicPartition]) -> str:
    """Describes partitions for messages: `clicks[0]`, or `clicks[0] and 15 more`."""
    (topic, partition), *more = places
    return f"{topic}[{partition}]" + (f" and {len(more)} more" if more else "")


class Log(Protocol):
    """A connection to the log. Thread-safe. Opening one never waits for the log: ingest must start without it."""

    def publish(self, records: Sequence[Record]) -> Future[list[Position]]:
        """Appends `records`; the future returns their positions in the same order, or
        `LogUnavailable`/`RecordTooLarge`.

        Never blocks longer than the handover to the producer, also while the log is down (then the future fails
        within the delivery timeout). Pending records are bounded at 64 MiB; the caller bounds its own work below
        that. A call costs about as much as six records: batch many small ones into one call.
        """
        ...

    def source(self, topic: str, partition: int, offset: int = 0) -> LogSource:
        """A new reader that starts at `offset`. Does not wait for the log: errors come from its `read`."""
        ...

    def end_offset(self, topic: str, partition: int) -> int:
        """The offset that the next record of the partition will get (or just below it, after aborted writes)."""
        return self.end_offsets([(topic, partition)])[topic, partition]

    def end_offsets(self, places: Iterable[TopicPartition], timeout_s: float = ANSWER_S) -> dict[TopicPartition, int]:
        """`end_offset` of many partitions in one request. Raises `LogUnavailable` if one of them is unknown."""
        ...

    def partitions(self, topic: str) -> int:
        """Returns how many partitions of `topic` this log knows of; it never waits. Before the log has answered once,
        and for up to a minute after a raise, it is too few: for writers only (others:
        `infra.kernel.log.partitions`)."""
        ...

    def create_topics(self, stored: Mapping[str, int] = NO_COUNTS) -> Mapping[str, int]:
        """Creates the missing topics of `schemas.topics` and what they lack of the `stored` number of partitions;
        returns the number of each. Raises `RuntimeError` when a topic has more than that, and `LogUnavailable`."""
        ...

    def ready(self, timeout_s: float = 0.2) -> bool:
        """Returns whether the log answers now, and its topics are there."""
        try:
            self.end_offsets([(topics.DOMAIN.name, 0)], timeout_s)
        except LogUnavailable:
            return False
        return True

    def close(self) -> None:
        """Waits for accepted records, for the delivery timeout at most; `publish` fails from now on."""
        ...
