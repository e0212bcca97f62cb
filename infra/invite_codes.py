"""Invite codes at rest: the command service seals them, the query service shows them to their owner."""

from __future__ import annotations

from uuid import UUID

from infra.sealing import derived_key, seal, unseal
from infra.settings import Settings

_KEY = "invite-code"


def sealed(settings: Settings, invite_id: UUID, code: str) -> str:
    return seal(derived_key(settings, _KEY), code, f"invite-code:{invite_id}")


def opened(settings: Settings, invite_id: UUID, code_sealed: str) -> str:
    return unseal(derived_key(settings, _KEY), code_sealed, f"invite-code:{invite_id}")
