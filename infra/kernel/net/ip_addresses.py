"""Addresses as headers and connections give them."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address

from infra.kernel.config.settings import Network


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
    """Returns whether it is the address of a proxy whose forwarding headers count."""
    return address is not None and any(address in network for network in trusted)
