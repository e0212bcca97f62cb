"""A site as a zip file for any static host. The same site gives the same bytes: sorted names, one fixed time."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from infra.domain.publishing.render.page import File

_TIME: Final = (1980, 1, 1, 0, 0, 0)
_UNIX: Final = 3
_MODE: Final = 0o100644 << 16
_TEXT: Final = ("text/", "application/xml", "application/atom+xml")


def archive(files: Mapping[str, File]) -> bytes:
    """The files by path, images included (`File(content, "image/webp")` at `images/HASH.webp`)."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as target:
        for path in sorted(files):
            entry = ZipInfo(path, _TIME)
            entry.create_system, entry.external_attr = _UNIX, _MODE
            entry.compress_type = ZIP_DEFLATED if files[path].content_type.startswith(_TEXT) else ZIP_STORED
            target.writestr(entry, files[path].body, compresslevel=9)
    return buffer.getvalue()
