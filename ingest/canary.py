"""The key of the canary (`infra.kernel.security.canary_key`): the one website that is in no list."""

from __future__ import annotations

from hashlib import sha256

from infra.kernel.config.settings import Settings
from infra.kernel.security.canary_key import key_text
from ingest.directory.directory import KeyEntry, WebsiteRow
from schemas.canary import WEBSITE_ID


def canary_key(settings: Settings) -> KeyEntry:
    """The key in the form of the directory."""
    website = WebsiteRow(WEBSITE_ID, "canary.invalid", "USD")
    return KeyEntry(website, "secret", hash=sha256(key_text(settings).encode()).hexdigest())
