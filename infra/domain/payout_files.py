"""How the content of files with payouts is encrypted: `command_api` writes it, `query_api` reads it."""

from __future__ import annotations

from base64 import b64decode
from typing import Final
from uuid import UUID

from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import decrypt, derived_key

PURPOSE: Final = "payout-file"


def opened(settings: Settings, payout_id: UUID, sealed: str) -> bytes:
    """The content. Raises `DecryptionError`."""
    return b64decode(decrypt(derived_key(settings, PURPOSE), sealed, f"{PURPOSE}:{payout_id}"))
