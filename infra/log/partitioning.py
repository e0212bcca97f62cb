"""Which partition a key belongs to: Kafka's own rule, so that every client and both logs agree.

Kafka's default partitioner takes murmur2 of the key (seed 0x9747b28c), clears the sign bit and takes the remainder.
"""

from __future__ import annotations

from struct import unpack_from


def partition_of(key: bytes, partitions: int) -> int:
    """The partition, from 0 to `partitions` - 1, of a record with this key."""
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
