"""The limits that both logs agree on: how large a record may be, and where it goes."""

from __future__ import annotations

from struct import unpack_from
from typing import Final

from infra.kernel.log.port import Record, RecordTooLarge
from schemas import topics

MAX_RECORD_BYTES: Final = 1024 * 1024
"""Key, value, headers and the record's own frame together."""

_FRAME: Final = 88  # Kafka's batch header (61) and a record's lengths, offset and timestamp (27 at most)
_HEADER_FRAME: Final = 10


def size_of(record: Record) -> int:
    """Bytes of the record in the log before compression. Raises `RecordTooLarge`."""
    size = _FRAME + len(record.key) + len(record.value)
    for name, value in record.headers:
        size += _HEADER_FRAME + len(name.encode()) + len(value)
    if size > MAX_RECORD_BYTES:
        raise RecordTooLarge(f"a record for {record.topic} has {size} bytes; the log takes {MAX_RECORD_BYTES}")
    return size


def partition_for(record: Record, partitions: int) -> int:
    """The record's partition in a topic with so many. A given one is used as it is: it may be newer than the number."""
    return partition_of(record.key, partitions) if record.partition is None else record.partition


def check_place(record: Record) -> None:
    """Raises `ValueError` for a topic or a partition that cannot exist."""
    if record.topic not in topics.BY_NAME:
        raise ValueError(f"{record.topic!r} is not a topic of schemas.topics")
    if record.partition is not None and not 0 <= record.partition < topics.MAX_PARTITIONS:
        raise ValueError(f"{record.topic} has no partition {record.partition}")


def partition_of(key: bytes, partitions: int) -> int:
    """The partition, from 0 to `partitions` - 1, of a record with this key: Kafka's own rule, so that every client
    and both logs agree. Its default partitioner clears the sign bit of murmur2 (seed 0x9747b28c); the remainder
    counts."""
    return 0 if partitions == 1 else (murmur2(key) & 0x7FFFFFFF) % partitions


def murmur2(data: bytes) -> int:
    """MurmurHash2 as in Kafka's `Utils.murmur2`, as an unsigned 32-bit number."""
    length = len(data)
    words = length >> 2
    h = 0x9747B28C ^ length
    for k in unpack_from(f"<{words}I", data):
        k = k * 0x5BD1E995 & 0xFFFFFFFF
        h = (h * 0x5BD1E995 & 0xFFFFFFFF) ^ ((k ^ k >> 24) * 0x5BD1E995 & 0xFFFFFFFF)
    rest = length & 3
    if rest:
        h = (h ^ int.from_bytes(data[words << 2 :], "little")) * 0x5BD1E995 & 0xFFFFFFFF
    h = (h ^ h >> 13) * 0x5BD1E995 & 0xFFFFFFFF
    return h ^ h >> 15
