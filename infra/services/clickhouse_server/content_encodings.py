"""HTTP content codings, as streams, both ways; a request's body may unpack to a bounded size at a time."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import lz4.frame
import zstandard

from infra.services.clickhouse_server import blocks
from infra.services.clickhouse_server.errors import Code, error

_PREFERRED = ("zstd", "lz4", "gzip", "deflate")
_PIECE_BYTES = 64 * 1024
_MAX_UNPACKED = 1 << 20
_PIECE_BYTES_OF = {"gzip": 16 * 1024, "deflate": 16 * 1024, "zstd": 512}
"""Those that take no maximum are fed in pieces: the smaller, the tighter they may be packed. None unpacks to more than
16 MB."""


class Encoder:
    """Compresses one response, chunk by chunk; this one leaves it as it is."""

    def encode(self, data: bytes) -> bytes:
        """`data` coded and flushed, so that the reader can use it now."""
        return data

    def finish(self) -> bytes:
        """Returns the end of the stream."""
        return b""


class BodyDecompressor:
    """Decompresses one request body, chunk by chunk; this one leaves it as it is."""

    def decode(self, chunk: bytes) -> Iterator[bytes]:
        """The data of `chunk`, in pieces of bounded size."""
        yield chunk

    def finish(self) -> None:
        """Raises `ClickHouseError` 271 when the stream ends too early."""


def choose(accepted: str) -> str | None:
    """The coding to answer with, out of an Accept-Encoding header; None for none."""
    refused_or_not = {
        part.partition(";")[0].strip().lower(): part.partition(";")[2].replace(" ", "").lower() == "q=0"
        for part in accepted.split(",")
    }
    return next((name for name in _PREFERRED if refused_or_not.get(name) is False), None)


def encoder(coding: str | None, *, native: bool) -> Encoder:
    """Encodes a result for the wire: ClickHouse's blocks first if `native`, then the HTTP coding, like the server's."""
    outer = Encoder() if coding is None else _HttpEncoder(coding)
    return _NativeEncoder(outer) if native else outer


def decoder(coding: str, *, native: bool) -> BodyDecompressor:
    """Decodes a request body. Raises `ClickHouseError` 36 for an unknown coding."""
    name = coding.strip().lower()
    if name in ("", "identity"):
        outer = BodyDecompressor()
    elif name in _DECODERS:
        outer = _HttpDecoder(name)
    else:
        raise error(Code.BAD_ARGUMENTS, f"Unknown compression method '{coding}' in Content-Encoding")
    return _NativeDecoder(outer) if native else outer


class _HttpEncoder(Encoder):
    def __init__(self, coding: str) -> None:
        self._stream: Any
        self._begin = b""
        if coding == "zstd":
            self._stream = zstandard.ZstdCompressor(level=1).compressobj()
            self._flush: tuple[Any, ...] = (zstandard.COMPRESSOBJ_FLUSH_BLOCK,)
        elif coding == "lz4":
            self._stream = lz4.frame.LZ4FrameCompressor(auto_flush=True)
            self._begin = self._stream.begin()
            self._flush = ()
        else:
            self._stream = zlib.compressobj(1, zlib.DEFLATED, 31 if coding == "gzip" else 15)
            self._flush = (zlib.Z_SYNC_FLUSH,)

    def encode(self, data: bytes) -> bytes:
        begin, self._begin = self._begin, b""
        coded: bytes = self._stream.compress(data)
        return begin + coded + (self._stream.flush(*self._flush) if self._flush else b"")

    def finish(self) -> bytes:
        begin, self._begin = self._begin, b""
        return begin + bytes(self._stream.flush())


class _NativeEncoder(Encoder):
    def __init__(self, outer: Encoder) -> None:
        self._outer = outer

    def encode(self, data: bytes) -> bytes:
        return self._outer.encode(blocks.encode(data))

    def finish(self) -> bytes:
        return self._outer.finish()


_DECODERS: dict[str, Any] = {
    "gzip": lambda: zlib.decompressobj(31),
    "deflate": lambda: zlib.decompressobj(15),
    "zstd": lambda: zstandard.ZstdDecompressor().decompressobj(),
    "lz4": lz4.frame.LZ4FrameDecompressor,
}
_FAILURES = (zlib.error, zstandard.ZstdError, OSError, EOFError, RuntimeError, ValueError)


class _HttpDecoder(BodyDecompressor):
    """Feeds small pieces: a decompression bomb unpacks to a bounded amount before the next piece."""

    def __init__(self, name: str) -> None:
        self._make = _DECODERS[name]
        self._stream = self._make()
        self._step = _PIECE_BYTES_OF.get(name, _PIECE_BYTES)
        self._takes_a_maximum = name == "lz4"
        self._fed = False

    def decode(self, chunk: bytes) -> Iterator[bytes]:
        for at in range(0, len(chunk), self._step):
            yield from self._piece(chunk[at : at + self._step])

    def _piece(self, piece: bytes) -> Iterator[bytes]:
        while piece:
            if self._stream.eof:
                self._stream = self._make()  # the next member of a concatenated stream
            self._fed = True
            yield from self._unpacked(piece)
            piece = (self._stream.unused_data or b"") if self._stream.eof else b""

    def _unpacked(self, piece: bytes) -> Iterator[bytes]:
        try:
            if not self._takes_a_maximum:
                yield self._stream.decompress(piece)
                return
            yield self._stream.decompress(piece, _MAX_UNPACKED)
            while not (self._stream.eof or self._stream.needs_input):
                yield self._stream.decompress(b"", _MAX_UNPACKED)
        except _FAILURES as failure:
            raise error(Code.CANNOT_DECOMPRESS, f"The request's body cannot be decompressed: {failure}") from failure

    def finish(self) -> None:
        if self._fed and not self._stream.eof:
            raise error(Code.CANNOT_DECOMPRESS, "The request's compressed body ends too early")


class _NativeDecoder(BodyDecompressor):
    def __init__(self, outer: BodyDecompressor) -> None:
        self._outer = outer
        self._blocks = blocks.Decoder()

    def decode(self, chunk: bytes) -> Iterator[bytes]:
        for piece in self._outer.decode(chunk):
            data = self._blocks.decompress(piece)
            if data:
                yield data

    def finish(self) -> None:
        self._outer.finish()
        self._blocks.finish()
