"""The client address that the gateway passes to the services behind it, with a proof of origin.

Every local user of the machine can connect to the services' ports. So `infra.kernel.security.client_info` accepts
`X-Forwarded-For` only with a keyed hash of the header, whose key is derived from the installation's master key.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from hmac import compare_digest
from typing import Final

from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import derived_key, keyed_hash

PROOF: Final = "x-forwarded-proof"


@lru_cache(maxsize=8)
def forwarding_key(settings: Settings) -> bytes:
    """Raises `SettingsError` when there is no master key."""
    return derived_key(settings, "forwarding")


def proof_of(key: bytes, forwarded_for: str) -> str:
    """The header `PROOF` for that `X-Forwarded-For`."""
    return keyed_hash(key, forwarded_for)


def is_proven(key: bytes, forwarded_for: str, headers: Mapping[str, str]) -> bool:
    """Returns whether the gateway wrote `forwarded_for`."""
    sent = headers.get(PROOF, "")
    return compare_digest(sent.encode(), proof_of(key, forwarded_for).encode())
