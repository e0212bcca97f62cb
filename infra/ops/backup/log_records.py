"""Records of the log in a file: blocks of at most a few megabytes, each compressed for itself, one file a partition.

A block is its length (4 bytes, big-endian) and, compressed with Zstandard, a MessagePack list of
`[offset, timestamp in ms, key, value, headers]`; the headers of a record that was not signed end with `UNSIGNED`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec
import zstandard

from infra.kernel.log import Headers, StoredRecord
from infra.ops.backup import BackupError

BLOCK_BYTES: Final = 4 * 1024 * 1024
BLOCK_RECORDS: Final = 10_000
_LARGEST_BLOCK: Final = 64 * 1024 * 1024
_LENGTH: Final = struct.Struct(">I")
_LEVEL: Final = 3

UNSIGNED: Final = ("unsigned", b"")
Row = tuple[int, int, bytes, bytes, Headers]
_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder(list[Row]).decode


def write(path: Path, records: Iterable[StoredRecord], wrote: Callable[[int], None]) -> int:
    """Writes the records, one block in memory at a time; `wrote` hears of each block's records. How many there were."""
    compress = zstandard.ZstdCompressor(level=_LEVEL).compress
    count = size = 0
    block: list[Row] = []
    with path.open("xb") as file:

        def flush() -> None:
            nonlocal size
            packed = compress(_encode(block))
            file.write(_LENGTH.pack(len(packed)) + packed)
            wrote(len(block))
            block.clear()
            size = 0

        for record in records:
            headers = record.headers if record.is_signed else (*record.headers, UNSIGNED)
            block.append((record.offset, record.timestamp_ms, record.key, record.value, headers))
            count += 1
            size += len(record.key) + len(record.value)
            if size >= BLOCK_BYTES or len(block) >= BLOCK_RECORDS:
                flush()
        if block:
            flush()
    return count


def read(path: Path) -> Iterator[list[Row]]:
    """The records, block by block. Raises `BackupError` for a file that was not written by `write`."""
    expand = zstandard.ZstdDecompressor().decompress
    with path.open("rb") as file:
        while head := file.read(_LENGTH.size):
            try:
                (length,) = _LENGTH.unpack(head)
                if length > _LARGEST_BLOCK:
                    raise ValueError(f"a block of {length:,} bytes")
                packed = file.read(length)
                if len(packed) != length:
                    raise ValueError("it ends within a block")
                rows = _decode(expand(packed, max_output_size=_LARGEST_BLOCK))
            except (struct.error, ValueError, zstandard.ZstdError, msgspec.MsgspecError) as error:
                raise BackupError(f"{path} holds no records of a log: {error}.") from error
            yield rows
