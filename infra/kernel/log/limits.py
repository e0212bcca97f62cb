"""What both logs agree on: how large a record may be, and where it goes."""

from __future__ import annotations

from typing import Final

from infra.log import Record, RecordTooLarge
from infra.log.partitioning import partition_of
from schemas import topics

MAX_RECORD_BYTES: Final = 1024 * 1024
"""Key, value, headers and the record's own frame together."""

_FRAME: Final = 88  # Kafka's batch header (61) and a record's lengths, offset and timestamp (27 at most)
_HEADER_FRAME: Final = 10


def size_of(record: Record) -> int:
    """Bytes that the record takes in the log before compression. Raises `RecordTooLarge`."""
    size = _FRAME + len(record.key) + len(record.value)
    for name, value in record.headers:
        size += _HEADER_FRAME + len(name.encode()) + len(value)
    if size > MAX_RECORD_BYTES:
        raise RecordTooLarge(f"a record for {record.topic} has {size} bytes; the log takes {MAX_RECORD_BYTES}")
    return size


def place_of(record: Record) -> int:
    """The record's partition. Raises `ValueError` for a topic or a partition that the table does not have."""
    topic = topics.BY_NAME.get(record.topic)
    if topic is None:
        raise ValueError(f"{record.topic!r} is not a topic of schemas.topics")
    if record.partition is None:
        return partition_of(record.key, topic.partitions)
    if not 0 <= record.partition < topic.partitions:
        raise ValueError(f"{record.topic} has no partition {record.partition}")
    return record.partition
