"""Writes records into an open batch of kafka-python's producer, a whole run at a time.

kafka-python writes each record byte by byte, which took a quarter of ingest's time for an event. This writes the same
bytes: version 2 of Kafka's record format (KIP-98; kafka.apache.org/documentation/#record), whose numbers are zigzag
varints. `tests/unit/infra/kernel/log/test_parts.py` holds both against each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kafka.record.memory_records import MemoryRecordsBuilder

from infra.kernel.log.port import Headers, Record

_TABLE: Final = 16 * 1024
_NO_ATTRIBUTES: Final = b"\0"
_NO_HEADERS: Final = b"\0"


def write(batch: MemoryRecordsBuilder, records: Sequence[Record], now_ms: int, last_headers: Headers) -> None:
    """Appends `records`, the last one with `last_headers`. The batch is open and they fit: the caller checks this.

    `now_ms`: the time of records without one.
    """
    builder = batch._builder
    first_offset: int = batch.next_offset()
    if builder._first_timestamp is None:
        builder._first_timestamp = builder._max_timestamp = records[0].timestamp_ms or now_ms
    first_ms: int = builder._first_timestamp
    newest_ms: int = builder._max_timestamp
    last = len(records) - 1
    parts: list[bytes] = []
    for index, record in enumerate(records):
        at = record.timestamp_ms or now_ms
        if at > newest_ms:
            newest_ms = at
        key, value = record.key, record.value
        sent_headers = last_headers if index == last else record.headers
        headers = _headers(sent_headers) if sent_headers else _NO_HEADERS
        offset, key_size, value_size = first_offset + index, len(key), len(value)
        frame = b"".join(
            (
                _NO_ATTRIBUTES,
                _SMALL.get(at - first_ms) or varint(at - first_ms),
                _SMALL.get(offset) or varint(offset),
                _SMALL.get(key_size) or varint(key_size),
                key,
                _SMALL.get(value_size) or varint(value_size),
            )
        )
        size = len(frame) + value_size + len(headers)
        parts += (_SMALL.get(size) or varint(size), frame, value, headers)
    builder._buffer += b"".join(parts)
    builder._max_timestamp = newest_ms
    builder._last_offset = first_offset + last
    builder._num_records += len(records)
    batch._next_offset = first_offset + len(records)


def varint(number: int) -> bytes:
    """The number as a zigzag varint: small absolute values need few bytes."""
    left = number << 1 if number >= 0 else ((-number) << 1) - 1
    digits = bytearray()
    while left > 0x7F:
        digits.append(left & 0x7F | 0x80)
        left >>= 7
    digits.append(left)
    return bytes(digits)


def _headers(headers: Headers) -> bytes:
    parts = [varint(len(headers))]
    for name, value in headers:
        encoded = name.encode()
        parts += (varint(len(encoded)), encoded, varint(len(value)), value)
    return b"".join(parts)


_SMALL: Final = {number: varint(number) for number in range(_TABLE)}
"""Nearly all lengths, offsets and times within a batch."""
