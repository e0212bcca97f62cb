"""A site as a zip file for any static host. The same site gives the same bytes: sorted names, one fixed time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import RawIOBase
from typing import TYPE_CHECKING, Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from infra.domain.publishing.render.page import SiteFile

if TYPE_CHECKING:
    from typing_extensions import Buffer

_TIME: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3
_MODE: Final = 0o100644 << 16
_TEXT: Final = ("text/", "application/xml", "application/atom+xml")


def archive(files: Mapping[str, SiteFile]) -> bytes:
    """The files by path, images included (`SiteFile(content, "image/webp")` at `images/HASH.webp`)."""
    return b"".join(archive_stream((path, files[path]) for path in sorted(files)))


def archive_stream(files: Iterable[tuple[str, SiteFile]]) -> Iterator[bytes]:
    """The zip of the files in their order, in parts: each as soon as its file is there."""
    written = _Written()
    with ZipFile(written, "w") as target:
        for path, file in files:
            entry = ZipInfo(path, _TIME)
            entry.create_system, entry.external_attr = _UNIX, _MODE
            entry.compress_type = ZIP_DEFLATED if file.content_type.startswith(_TEXT) else ZIP_STORED
            target.writestr(entry, file.body, compresslevel=9)
            yield written.take()
    yield written.take()


class _Written(RawIOBase):
    """A buffer of what is written, until it is taken."""

    def __init__(self) -> None:
        super().__init__()
        self._content = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, part: Buffer, /) -> int:
        self._content += part
        return memoryview(part).nbytes

    def take(self) -> bytes:
        taken, self._content = bytes(self._content), bytearray()
        return taken
