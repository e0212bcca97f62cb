"""The log port: how every service appends to and reads from the log of record.

Two implementations pass the same contract tests (`tests/contract/test_log.py`): `infra.log.kafka_log` (Apache Kafka)
and `infra.log.postgres_log` (one machine without Java). `open_log` picks by settings.

Contract
- `publish` is all or nothing per record, in order per partition, and its future is done only after every record is
  durable by the log's own promise (Kafka: `acks=all`). A future that fails says nothing about single records: the
  caller may send all of them again (ids make repeats harmless).
- A record's partition comes from its key alone (`partition_of`), the same in both implementations, unless it is given.
- Offsets of a partition grow without end and are never reused; `read` may see gaps in Kafka, never disorder.
- A `Source` reads one partition from an offset that the caller owns; there are no consumer groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from typing import Protocol

from msgspec import Struct

from infra.settings import Settings

Headers = tuple[tuple[str, bytes], ...]


class Record(Struct, frozen=True, gc=False):
    """One fact to append. `key` decides the partition unless `partition` is given; `timestamp_ms` 0 = now.

    Made by the ten thousand: a `Struct` costs a tenth of a frozen dataclass. `is_signed`: false only for a record of a
    backup that was not signed when it was saved (`infra.log.signature`).
    """

    topic: str
    key: bytes
    value: bytes
    headers: Headers = ()
    timestamp_ms: int = 0
    partition: int | None = None
    is_signed: bool = True


class StoredRecord(Struct, frozen=True, gc=False):
    """One fact as it lies in the log.

    `is_signed`: one of our services has written it (`infra.log.signature`).
    """

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: bytes
    value: bytes
    headers: Headers
    is_signed: bool = False


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
    """One record is larger than the log takes (1 MiB with its headers). Trying again will not help."""


class OffsetOutOfRange(Exception):
    """The log does not hold the asked offset (any more). Never skipped over: somebody has to look."""


class Source(Protocol):
    """One partition, read from an offset on. Not thread-safe: one owner."""

    def read(self, max_records: int, timeout_s: float) -> list[StoredRecord]:
        """The next records, at most `max_records`; waits up to `timeout_s` for the first.

        Raises `LogUnavailable`, after which the same `read` may be tried again, and `OffsetOutOfRange`.
        """
        ...

    def seek(self, offset: int) -> None:
        """The next `read` starts at `offset` (0 = the beginning)."""
        ...

    def close(self) -> None: ...


Place = tuple[str, int]
"""A topic and one of its partitions."""


def shown(places: Sequence[Place]) -> str:
    """For messages: `clicks[0]`, or `clicks[0] and 15 more`."""
    (topic, partition), *more = places
    return f"{topic}[{partition}]" + (f" and {len(more)} more" if more else "")


class Log(Protocol):
    """A connection to the log. Thread-safe. Opening one never waits for the log: ingest must start without it."""

    def publish(self, records: Sequence[Record]) -> Future[list[Position]]:
        """Append `records`; the future gives their places in the same order, or `LogUnavailable`/`RecordTooLarge`.

        Never blocks longer than it takes to hand the records over, also while the log is down (then the future fails
        within the delivery timeout). What waits is bounded at 64 MiB; the caller bounds its own work below that.
        A call costs about as much as six records: who has many small ones at once gathers them into one call.
        """
        ...

    def source(self, topic: str, partition: int, offset: int = 0) -> Source: ...

    def end_offset(self, topic: str, partition: int) -> int:
        """The offset that the next record of the partition will get (or just below it, after aborted writes)."""
        ...

    def end_offsets(self, places: Iterable[Place]) -> dict[Place, int]:
        """`end_offset` of many partitions by one question. Raises `LogUnavailable` if one of them cannot be told."""
        ...

    def create_topics(self) -> None:
        """Creates what `schemas.topics` names and is missing; checks the partition counts of what is there."""
        ...

    def ready(self, timeout_s: float = 0.2) -> bool:
        """Whether the log answers now."""
        ...

    def close(self) -> None: ...


def open_log(settings: Settings, *, linger_ms: int = 0, delivery_timeout_s: float = 10.0) -> Log:
    """The log that the settings name (`ALTHING_LOG`, `KAFKA_BOOTSTRAP_SERVERS`, `POSTGRES_URL`), signing what is
    published. Without a master key, as only tools that read have none, it does not sign, and takes nothing for signed.

    `linger_ms`: how long the producer waits to fill a batch; 0 for the relay, a few ms for ingest.
    `delivery_timeout_s`: after this long a publish that was not acknowledged fails with `LogUnavailable`.
    """
    from infra.log.signature import Signer

    signer = Signer.of(settings)
    if settings.log == "postgres":
        from infra.log.postgres_log import PostgresLog

        return PostgresLog(settings, signer, delivery_timeout_s=delivery_timeout_s)
    from infra.log.kafka_log import KafkaLog

    return KafkaLog(settings, signer, linger_ms=linger_ms, delivery_timeout_s=delivery_timeout_s)
