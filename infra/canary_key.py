"""The key by which the edge knows the canary (`infra.canary`): made from the master key, so nobody else has it."""

from __future__ import annotations

from infra.sealing import derived_key, keyed_hash
from infra.settings import Settings


def key_text(settings: Settings) -> str:
    """What stands behind `Bearer`."""
    return keyed_hash(derived_key(settings, "canary"), "site key")
