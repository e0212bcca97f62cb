"""Report files as they are stored: what identifies one, and its sealed parts in a table of its context.

upload, command line, pull -> `described`, `sealed_parts` -> the command that stores them -> `opened_file`
"""

from __future__ import annotations

import os
import zlib
from hashlib import sha256
from pathlib import PurePath
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, Final, cast
from uuid import UUID

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from psycopg import Connection
from psycopg.rows import tuple_row
from psycopg.sql import SQL, Identifier

from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import derived_key
from schemas.report_imports import ReportFile

PART_BYTES: Final = 1024 * 1024
SPOOL_BYTES: Final = 8 * 1024 * 1024
"""More than that of an opened file is on disk."""
MAX_NAME: Final = 200
_PURPOSE: Final = "network-report"
_NONCE_BYTES: Final = 12


FileTable = tuple[str, str]
"""Schema and name of a table with `import_id`, `part` and `sealed`."""


class EmptyReport(Exception):
    """The file has no content."""


def described(name: str, content: BinaryIO) -> ReportFile:
    """The description of the file, which is at its beginning before and after. Raises `EmptyReport`."""
    digest, size = sha256(), 0
    while chunk := content.read(PART_BYTES):
        digest.update(chunk)
        size += len(chunk)
    content.seek(0)
    if not size:
        raise EmptyReport("the file is empty")
    shown = "".join(letter for letter in PurePath(name).name if letter.isprintable())[:MAX_NAME]
    return ReportFile(name=shown or "report", size=size, sha256=digest.hexdigest())


def sealed_parts(settings: Settings, import_id: UUID, content: BinaryIO) -> list[bytes]:
    """The parts of a file as they are stored."""
    cipher, parts = AESGCM(derived_key(settings, _PURPOSE)), list[bytes]()
    while chunk := content.read(PART_BYTES):
        nonce, bound = os.urandom(_NONCE_BYTES), f"{import_id}:{len(parts)}".encode()
        parts.append(nonce + cipher.encrypt(nonce, zlib.compress(chunk, 1), bound))
    return parts


def opened_file(connection: Connection[Any], settings: Settings, table: FileTable, import_id: UUID) -> BinaryIO:
    """The content of a stored file, from its beginning. Raises `cryptography`'s `InvalidTag`."""
    cipher = AESGCM(derived_key(settings, _PURPOSE))
    file = cast(BinaryIO, SpooledTemporaryFile(SPOOL_BYTES))  # noqa: SIM115 - the caller closes it
    part = 0
    statement = SQL("SELECT sealed FROM {} WHERE import_id = %s AND part = %s").format(Identifier(*table))
    cursor = connection.cursor(row_factory=tuple_row)
    while row := cursor.execute(statement, (import_id, part)).fetchone():
        sealed = bytes(row[0])
        file.write(
            zlib.decompress(
                cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], f"{import_id}:{part}".encode())
            )
        )
        part += 1
    file.seek(0)
    return file
