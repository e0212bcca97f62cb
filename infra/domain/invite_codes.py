"""Invite codes at rest: the command service seals them, the query service shows them to their owner."""

from __future__ import annotations

from uuid import UUID

from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import decrypt, derived_key, encrypt

_KEY = "invite-code"


def encrypt_code(settings: Settings, invite_id: UUID, code: str) -> str:
    """Encrypts a code, bound to its invite."""
    return encrypt(derived_key(settings, _KEY), code, f"invite-code:{invite_id}")


def decrypt_code(settings: Settings, invite_id: UUID, code_sealed: str) -> str:
    """Decrypts what `encrypt_code` made for the same invite. Raises `DecryptionError`."""
    return decrypt(derived_key(settings, _KEY), code_sealed, f"invite-code:{invite_id}")
