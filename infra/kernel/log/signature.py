"""Signatures of records: without the master key, a process with write access to the log cannot impersonate a
service.

Every published record is covered by a signature over partition, keys, values and headers: Poly1305 under a one-time
key, which is keyed BLAKE2b of 16 bytes that never repeat under a key of the topic, which is derived from the master
key (HMAC-SHA-256 of the whole costs four times as much per record). One signature covers a run of adjacent records in
one batch, since one for each would cost ingest a tenth of its throughput; it is a header of the run's last record.
Kafka returns batches whole, so a run is always complete when it is checked.

`StoredRecord.is_signed` is the result. Records before a partition's `starts` were written by a version that did not
sign; after it, a record without a signature is a forgery: readers dead-letter it and the audit reports it. A copy of
signed records is signed as well: readers drop what they have already read (ids, positions).
"""

from __future__ import annotations

import struct
import sys
from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import accumulate, count
from math import inf
from secrets import token_bytes
from typing import Any, Final

import psycopg
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.poly1305 import Poly1305
from msgspec.structs import replace

from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.log import partitions
from infra.kernel.log.port import Headers, Log, Record, StoredRecord, TopicPartition
from infra.kernel.postgres.pool import row_values
from infra.kernel.security.encryption import derived_key
from schemas import topics

HEADER: Final = "sig"
UNSIGNED: Final = "unsigned"
"""Reason of a dead letter whose record has no valid signature."""
UNSIGNED_TEXT: Final = "no service of this installation has written this record: its signature is missing or wrong"

RUN_BYTES: Final = 64 * 1024
"""A run that is signed at once is not larger, except for a single record."""

_NONCE_BYTES: Final = 16
_TAG_BYTES: Final = 16
_COUNT: Final = struct.Struct(">H")
_COUNTER: Final = struct.Struct(">Q")
_HEAD: Final = struct.Struct(">II")
_MAX_RECORDS: Final = 4096
_SIZE: Final = _COUNT.size + _NONCE_BYTES + _TAG_BYTES
_FRAME: Final = 40
_HEADER_FRAME: Final = 10
SIGNATURE_BYTES: Final = _HEADER_FRAME + 4 * len(HEADER) + _SIZE
"""Maximum size of the header in a batch."""


class Signer:
    """Signs and checks with keys derived from the master key."""

    @classmethod
    def of(cls, settings: Settings) -> Signer | None:
        """Returns the signer of the settings; None when there is no master key."""
        try:
            return cls(settings)
        except SettingsError:
            return None

    def __init__(self, settings: Settings) -> None:
        """Raises `SettingsError` when there is no master key."""
        self._keys = {topic.name: derived_key(settings, f"log/{topic.name}") for topic in topics.ALL}
        self._prefix = token_bytes(_NONCE_BYTES - _COUNTER.size)
        self._numbers = count()

    def header(self, topic: str, partition: int, records: Sequence[Record]) -> tuple[str, bytes]:
        """The header that signs `records`, which will lie next to each other; for the last one of them."""
        # Random bytes for each would release the interpreter's lock while a batch is being sent.
        nonce = self._prefix + _COUNTER.pack(next(self._numbers))
        tag = Poly1305.generate_tag(_once(self._keys[topic], nonce), _text(partition, records))
        return HEADER, _COUNT.pack(len(records)) + nonce + tag

    def checked(self, records: list[StoredRecord], ends: Sequence[tuple[int, bytes]]) -> list[StoredRecord]:
        """`records` of one batch, with `is_signed` set. `ends`: the indexes of the records that carry a signature,
        and the signatures. The list may be changed."""
        signed = 0  # records before this index are judged
        for index, signature in ends:
            count = _COUNT.unpack_from(signature)[0] if len(signature) == _SIZE else 0
            first = index + 1 - count
            if not signed <= first <= index or not self._is_right(records[first : index + 1], signature):
                first = index + 1
            _distrust(records, signed, first)
            signed = index + 1
        _distrust(records, signed, len(records))
        return records

    def _is_right(self, run: Sequence[StoredRecord], signature: bytes) -> bool:
        key = self._keys.get(run[0].topic)
        if key is None:
            return False
        nonce, tag = signature[_COUNT.size : -_TAG_BYTES], signature[-_TAG_BYTES:]
        try:
            Poly1305.verify_tag(_once(key, nonce), _text(run[0].partition, run), tag)
        except InvalidSignature:
            return False
        return True


def split(headers: Headers) -> tuple[Headers, bytes | None]:
    """The headers without the signature, and the signature."""
    if headers and headers[-1][0] == HEADER:
        return headers[:-1], headers[-1][1]
    return headers, None


def runs(records: Sequence[Record]) -> list[tuple[int, int, int]]:
    """Splits records of one partition into runs that are signed at once: begin, end, and their maximum size.

    A record that must stay unsigned (`Record.is_signed`) is a run of its own.
    """
    sizes = [
        _FRAME + len(record.key) + len(record.value) + (_max_run(record.headers) if record.headers else 0)
        for record in records
    ]
    apart = [index for index, record in enumerate(records) if not record.is_signed]
    whole = sum(sizes)
    if whole <= RUN_BYTES and len(records) <= _MAX_RECORDS and not apart:
        return [(0, len(records), whole)]
    ends = list(accumulate(sizes))
    result: list[tuple[int, int, int]] = []
    begin = done = 0
    while begin < len(records):
        end = min(max(bisect_right(ends, done + RUN_BYTES, begin), begin + 1), begin + _MAX_RECORDS)
        if apart:
            end = begin + 1 if not records[begin].is_signed else min([end, *(at for at in apart if at > begin)])
        result.append((begin, end, ends[end - 1] - done))
        begin, done = end, ends[end - 1]
    return result


def note_starts(connection: psycopg.Connection[Any], log: Log) -> None:
    """Records from which offset on each partition is signed: its end at the first start of a version that signs.

    Stored in Postgres, not in the log, so that write access to the log does not suffice to move it. For `althing
    migrate`, which runs before the services.
    """
    stored = starts(connection)
    lacking = [place for place in partitions.places(connection) if place not in stored]
    for (topic, partition), end in log.end_offsets(lacking).items():
        connection.execute(
            'INSERT INTO log.signed_from (topic, partition, "offset") VALUES (%s, %s, %s) ON CONFLICT DO NOTHING',
            (topic, partition, end),
        )


def starts(connection: psycopg.Connection[Any]) -> Mapping[TopicPartition, int]:
    """The offset from which on each partition is signed."""
    rows = connection.execute('SELECT topic, partition, "offset" FROM log.signed_from').fetchall()
    return {(topic, partition): offset for topic, partition, offset in (row_values(row) for row in rows)}


def start(connection: psycopg.Connection[Any], topic: str, partition: int) -> float:
    """The offset from which on this partition is signed; infinite before `althing migrate` has noted one."""
    return starts(connection).get((topic, partition), inf)


def _once(key: bytes, nonce: bytes) -> bytes:
    """A key for one signature: Poly1305 is broken for a key that signs twice."""
    return blake2b(nonce, digest_size=32, key=key).digest()


def _text(partition: int, records: Sequence[Record] | Sequence[StoredRecord]) -> bytes:
    """Lengths and counts precede what they measure, so no two different runs have the same text."""
    if any(record.headers for record in records):
        parts: list[bytes] = []
        for record in records:
            parts += (record.key, record.value)
            for name, value in record.headers:
                parts += (name.encode(), value)
        counts = array("I", [len(record.headers) for record in records])
    else:
        parts = [part for record in records for part in (record.key, record.value)]
        counts = array("I", bytes(4 * len(records)))
    lengths = array("I", map(len, parts))
    if sys.byteorder == "big":
        counts.byteswap()
        lengths.byteswap()
    return b"".join((_HEAD.pack(partition, len(records)), counts, lengths, *parts))


def _max_run(headers: Headers) -> int:
    """Maximum size of the headers in a batch."""
    return sum(_HEADER_FRAME + 4 * len(name) + len(value) for name, value in headers)


def _distrust(records: list[StoredRecord], begin: int, end: int) -> None:
    for index in range(begin, end):
        records[index] = replace(records[index], is_signed=False)
