"""Opens an uploaded file: unpacks gzip within a bound, tells workbooks from text, refuses what cannot be a report.

file -> this -> `encodings` and `text_source` or `json_source`, or `workbook_source`.
"""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, BinaryIO, Final, Literal, cast

from infra.domain.report_files.layouts import UnreadableReport

CHUNK: Final = 1 << 16
MAX_UNPACKED: Final = 1 << 30
"""Bytes of a gzip file, unpacked."""
MAX_SHEET: Final = 512 << 20
MAX_OTHER_PART: Final = 64 << 20
"""A part of a workbook that is read into memory, such as its table of texts."""
MAX_ENTRIES: Final = 2_000
MAX_RATIO: Final = 200
"""How far a part of a workbook larger than `CHUNK` may be compressed; real sheets reach 50."""
MAX_IN_MEMORY: Final = 8 << 20

_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = b"PK\x03\x04"
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_OTHER_KINDS: Final = {
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"PAR1": "a Parquet file",
}


@dataclass(frozen=True, slots=True)
class BoundedFile:
    """An opened file. `is_packed`: inside gzip."""

    file: BinaryIO
    kind: Literal["text", "workbook"]
    is_packed: bool

    def chunks(self) -> Iterator[bytes]:
        """The bytes from the beginning, unpacked. Raises `UnreadableReport` (file_too_large, broken_archive)."""
        self.file.seek(0)
        if self.is_packed:
            yield from _unpacked(self.file)
        else:
            while chunk := self.file.read(CHUNK):
                yield chunk


def open_file(file: BinaryIO) -> BoundedFile:
    """Raises `UnreadableReport`: empty_file, nested_archive, old_workbook, encrypted_workbook, not_a_report,
    file_too_large, broken_archive."""
    file.seek(0)
    start = file.read(8)
    if not start:
        raise UnreadableReport("empty_file", "The file is empty.")
    is_packed = start.startswith(_GZIP)
    if is_packed:
        start = _start_unpacked(file)
    content = BoundedFile(file, "workbook" if start.startswith(_ZIP) else "text", is_packed)
    if start.startswith(_GZIP):
        raise UnreadableReport(
            "nested_archive", "The file is compressed twice. Unpack it once and upload what is inside."
        )
    if start.startswith(_OLE):
        raise _ole(content)
    for sign, name in _OTHER_KINDS.items():
        if start.startswith(sign):
            raise UnreadableReport("not_a_report", f"This is {name}. Upload the report as CSV, XLSX or JSON.")
    return content


def open_workbook(content: BoundedFile) -> IO[bytes]:
    """The workbook's bytes, which can be sought, once its parts are known to be bounded. Raises `UnreadableReport`
    (zip_archive, encrypted_workbook, file_too_large, broken_archive)."""
    file = _spooled(content) if content.is_packed else content.file
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            _check_parts(archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        # `zipfile` raises `NotImplementedError` for a compression or a version that it does not know.
        raise UnreadableReport("broken_archive", "The workbook is damaged. Download it again.") from error
    file.seek(0)
    return file


def _check_parts(parts: list[zipfile.ZipInfo]) -> None:
    names = {part.filename for part in parts}
    if any(part.flag_bits & 1 for part in parts):
        raise UnreadableReport("encrypted_workbook", "The file is protected by a password. Save it without one.")
    if "[Content_Types].xml" not in names or not any(name.startswith("xl/") for name in names):
        raise UnreadableReport("zip_archive", "This is a ZIP archive. Unpack it and upload the report inside.")
    for part in parts:
        limit = MAX_SHEET if part.filename.startswith("xl/worksheets/") else MAX_OTHER_PART
        is_bomb = part.file_size > 16 * CHUNK and part.file_size > MAX_RATIO * max(part.compress_size, 1)
        if part.file_size > limit or is_bomb or len(parts) > MAX_ENTRIES:
            raise UnreadableReport(
                "file_too_large",
                "The workbook is too large when unpacked. Save the sheet as CSV, or split it by month.",
            )


def _spooled(content: BoundedFile) -> IO[bytes]:
    spooled = SpooledTemporaryFile(max_size=MAX_IN_MEMORY)  # noqa: SIM115 -- lives as long as its reader
    for chunk in content.chunks():
        spooled.write(chunk)
    return cast("IO[bytes]", spooled)


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    size = 0
    try:
        with gzip.GzipFile(fileobj=file, mode="rb") as packed:
            while chunk := packed.read(CHUNK):
                size += len(chunk)
                if size > MAX_UNPACKED:
                    raise UnreadableReport(
                        "file_too_large", "The file is larger than 1 GB when unpacked. Split it by month."
                    )
                yield chunk
    except (EOFError, OSError, zlib.error) as error:
        raise UnreadableReport("broken_archive", "The compressed file is damaged or incomplete.") from error


def _start_unpacked(file: BinaryIO) -> bytes:
    file.seek(0)
    return next(_unpacked(file), b"")[:8]


def _ole(content: BoundedFile) -> UnreadableReport:
    start = b""
    for chunk in content.chunks():
        start += chunk
        if len(start) > 16 * CHUNK:
            break
    if _ENCRYPTED in start:
        return UnreadableReport("encrypted_workbook", "The workbook is protected by a password. Save it without one.")
    return UnreadableReport(
        "old_workbook", "This is a workbook in the old Excel format (.xls). Save it as .xlsx or CSV and upload that."
    )
