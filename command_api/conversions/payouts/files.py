"""Files with payouts: bounded, of a known type by their content, and encrypted at rest."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import Final
from uuid import UUID

from command_api.kernel.decision import invalid
from command_api.kernel.unit_of_work import UnitOfWork
from infra.domain.payout_files import PURPOSE
from infra.kernel.security.encryption import derived_key, encrypt
from schemas.events.conversions import PayoutFile

MAX_BYTES: Final = 1_000_000
_SIGNS: Final = (
    (b"%PDF-", 0, "application/pdf", "pdf"),
    (b"\x89PNG\r\n\x1a\n", 0, "image/png", "png"),
    (b"\xff\xd8\xff", 0, "image/jpeg", "jpg"),
    (b"WEBP", 8, "image/webp", "webp"),
)
"""The first bytes of a file, their offset, its media type, and the ending of its name."""
_SAVE: Final = (
    "INSERT INTO conversions.payout_file (payout_id, website_id, file_id, sealed) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT (payout_id) DO UPDATE SET file_id = excluded.file_id, sealed = excluded.sealed"
)


def describe(file_id: UUID, content: bytes) -> PayoutFile:
    """The file's type and digest. Raises `CommandRejected` for what is too large or of no known type."""
    if not 1 <= len(content) <= MAX_BYTES:
        raise invalid("bad_size", "A file may have at most 1 MB.", "file")
    for sign, at, media_type, ending in _SIGNS:
        if content[at : at + len(sign)] == sign:
            return PayoutFile(
                id=file_id,
                name=f"payout.{ending}",
                media_type=media_type,
                size=len(content),
                sha256=sha256(content).hexdigest(),
            )
    raise invalid("unknown_type", "Please choose a PDF, PNG, JPEG or WebP file.", "file")


def save(uow: UnitOfWork, payout_id: UUID, website_id: UUID, file: PayoutFile, content: bytes) -> None:
    """Stores the content encrypted, in the transaction of its event."""
    sealed = encrypt(derived_key(uow.settings, PURPOSE), b64encode(content).decode(), f"{PURPOSE}:{payout_id}")
    uow.cursor.execute(_SAVE, (payout_id, website_id, file.id, sealed))
