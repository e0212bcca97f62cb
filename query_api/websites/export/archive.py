"""A zip as a stream of bytes: files are written one after the other, and nothing of them is kept. No effects."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

File = tuple[str, Iterable[bytes]]
"""Its name, and its content in chunks."""


class _Sink(io.RawIOBase):
    """What a zip writes to; it cannot go back in it."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer) -> int:
        self._written.append(bytes(data))
        return len(self._written[-1])

    def taken(self) -> bytes:
        """Returns what was written since the last call."""
        found, self._written = b"".join(self._written), []
        return found


def zipped(files: Iterable[File], made_at: datetime) -> Iterator[bytes]:
    """The archive in chunks. Files are read lazily: one that fails ends the archive before its directory, so that no
    program takes it for a whole one."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, chunks in files:
            info = zipfile.ZipInfo(name, made_at.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            with archive.open(info, "w", force_zip64=True) as file:
                for chunk in chunks:
                    file.write(chunk)
                    if written := sink.taken():
                        yield written
    yield sink.taken()
