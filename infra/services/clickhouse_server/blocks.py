"""ClickHouse's own block compression (`compress=1`, `decompress=1`): checksummed LZ4 or ZSTD frames.

A frame is 16 bytes CityHash128 (version 1.0.2) of the rest, then one method byte, the frame's size from the method
byte on and the size of the data inside (both UInt32, little endian), then the compressed data.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import lz4.block
import zstandard
from clickhouse_cityhash.cityhash import CityHash128

from infra.services.clickhouse_server.errors import Code, error

NONE, LZ4, ZSTD = 0x02, 0x82, 0x90
MAX_BLOCK_BYTES = 1 << 20
MAX_FRAME_BYTES = 128 << 20

_CHECKSUM = struct.Struct("<QQ")
_HEAD = struct.Struct("<BII")
_LOW = (1 << 64) - 1


def encode(data: bytes) -> bytes:
    """`data` as LZ4 frames of at most `MAX_BLOCK_BYTES` each; nothing for no data."""
    view = memoryview(data)
    pieces = (view[at : at + MAX_BLOCK_BYTES] for at in range(0, len(data), MAX_BLOCK_BYTES))
    return b"".join(frame(LZ4, lz4.block.compress(piece, store_size=False), len(piece)) for piece in pieces)


def frame(method: int, packed: bytes, raw_size: int) -> bytes:
    """One frame of data that was compressed by `method`."""
    body = _HEAD.pack(method, _HEAD.size + len(packed), raw_size) + packed
    return _checksum(body) + body


@dataclass
class Decoder:
    """Turns a stream of frames, split anywhere, back into data.

    Raises `ClickHouseError` 40 for a wrong checksum and 271 for a frame that is damaged, too large or truncated.
    """

    _rest: bytearray = field(default_factory=bytearray)

    def decompress(self, chunk: bytes) -> bytes:
        rest = self._rest
        rest += chunk
        blocks: list[bytes] = []
        at = 0
        while len(rest) - at >= _CHECKSUM.size + _HEAD.size:
            _, size, raw_size = _HEAD.unpack_from(rest, at + _CHECKSUM.size)
            if not _HEAD.size <= size <= MAX_FRAME_BYTES or raw_size > MAX_FRAME_BYTES:
                raise error(
                    Code.CANNOT_DECOMPRESS, f"A compressed block of {size} for {raw_size} bytes is not acceptable"
                )
            end = at + _CHECKSUM.size + size
            if len(rest) < end:
                break
            blocks.append(self._block(bytes(rest[at:end])))
            at = end
        del rest[:at]
        return b"".join(blocks)

    def finish(self) -> bytes:
        if self._rest:
            raise error(Code.CANNOT_DECOMPRESS, "The compressed data ends in the middle of a block")
        return b""

    def _block(self, frame: bytes) -> bytes:
        body = frame[_CHECKSUM.size :]
        if frame[: _CHECKSUM.size] != _checksum(body):
            raise error(Code.CHECKSUM_DOESNT_MATCH, "Checksum doesn't match: corrupted data")
        method, _, raw_size = _HEAD.unpack_from(body)
        data = body[_HEAD.size :]
        try:
            if method == LZ4:
                raw: bytes = lz4.block.decompress(data, uncompressed_size=raw_size)
            elif method == ZSTD:
                raw = zstandard.ZstdDecompressor().decompress(data, max_output_size=raw_size)
            elif method == NONE:
                raw = data
            else:
                raise error(Code.CANNOT_DECOMPRESS, f"Compression method 0x{method:02x} is not supported")
        except (lz4.block.LZ4BlockError, zstandard.ZstdError) as failure:
            raise error(Code.CANNOT_DECOMPRESS, f"Cannot decompress: {failure}") from failure
        if len(raw) != raw_size:
            raise error(Code.CANNOT_DECOMPRESS, f"A block promised {raw_size} bytes and holds {len(raw)}")
        return raw


def _checksum(body: bytes) -> bytes:
    hashed = CityHash128(body)
    return _CHECKSUM.pack(hashed >> 64, hashed & _LOW)
