"""The key by which ingest recognizes the canary (`infra.ops.jobs.canary`), derived from the master
key."""

from __future__ import annotations

from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import derived_key, keyed_hash


def key_text(settings: Settings) -> str:
    """The value after `Bearer`."""
    return keyed_hash(derived_key(settings, "canary"), "site key")
