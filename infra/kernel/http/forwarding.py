"""Which address a request comes from, told by the gateway to the services behind it in a way that nobody else can.

Every local user of the machine can connect to the services' ports. So `infra.client` believes `X-Forwarded-For` with a
proof beside it: a keyed hash of the header, whose key is derived from the installation's master key.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from hmac import compare_digest
from typing import Final

from infra.sealing import derived_key, keyed_hash
from infra.settings import Settings

PROOF: Final = "x-forwarded-proof"


@lru_cache(maxsize=8)
def forwarding_key(settings: Settings) -> bytes:
    """Raises `SettingsError` when there is no master key."""
    return derived_key(settings, "forwarding")


def proof_of(key: bytes, forwarded_for: str) -> str:
    """The header `PROOF` for that `X-Forwarded-For`."""
    return keyed_hash(key, forwarded_for)


def is_proven(key: bytes, forwarded_for: str, headers: Mapping[str, str]) -> bool:
    """Whether the gateway wrote `forwarded_for`."""
    sent = headers.get(PROOF, "")
    return compare_digest(sent.encode(), proof_of(key, forwarded_for).encode())
