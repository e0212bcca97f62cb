"""The key of the canary (`infra.canary`): the one website that is in no list."""

from __future__ import annotations

from hashlib import sha256

from infra.canary_key import key_text
from infra.settings import Settings
from ingest.directory import Key, Website
from schemas.canary import WEBSITE_ID


def canary(settings: Settings) -> Key:
    """The key as the edge holds keys."""
    website = Website(WEBSITE_ID, "canary.invalid", "USD")
    return Key(website, "secret", hash=sha256(key_text(settings).encode()).hexdigest())
