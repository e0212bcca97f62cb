"""The client address that the gateway passes to the services behind it, with a proof of origin.

Every local user of the machine can connect to the services' ports. So `infra.kernel.http.client_info` accepts
`X-Forwarded-For` only with a keyed hash of the header, whose key is derived from the installation's master key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from hmac import compare_digest
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from infra.kernel.config.settings import Network, Settings
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
    """Whether the gateway wrote `forwarded_for`."""
    sent = headers.get(PROOF, "")
    return compare_digest(sent.encode(), proof_of(key, forwarded_for).encode())


def address_in(text: str) -> IPv4Address | IPv6Address | None:
    """The address that a text is, or None."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def unmapped(address: IPv4Address | IPv6Address | None) -> IPv4Address | IPv6Address | None:
    """An IPv4 address that was written as an IPv6 one, as what it is."""
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def is_trusted(address: IPv4Address | IPv6Address | None, trusted: Iterable[Network]) -> bool:
    """Whether it is a proxy's whose forwarding headers count."""
    return address is not None and any(address in network for network in trusted)
