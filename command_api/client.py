"""What is known of the client: its address, for limits only, and its browser's name, for the session list."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from fastapi import Request

from infra.health import is_loopback
from infra.settings import Network

_FAMILIES: Final = (
    ("Edge", re.compile(r"\bEdg(e|A|iOS)?/")),
    ("Opera", re.compile(r"\bOPR/")),
    ("Firefox", re.compile(r"\b(Firefox|FxiOS)/")),
    ("Chrome", re.compile(r"\b(Chrome|Chromium|CriOS)/")),
    ("Safari", re.compile(r"\bSafari/")),
    ("curl", re.compile(r"^curl/")),
)


def address_of(request: Request, trusted: Sequence[Network]) -> str:
    """The nearest address that is neither ours nor a trusted proxy's; IPv6 by its /64, which one person has whole."""
    peer = request.client.host if request.client else ""
    chain = [part.strip() for part in request.headers.get("x-forwarded-for", "").split(",") if part.strip()]
    found = _address(peer)
    if is_loopback(peer):
        for candidate in reversed(chain):
            address = _address(candidate)
            if address is None:
                break
            found = address
            if not any(address in network for network in trusted):
                break
    if found is None:
        return peer
    return str(found) if isinstance(found, IPv4Address) else ":".join(found.exploded.split(":")[:4])


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """An IPv4 address that was written as an IPv6 one is what it is: else all of them would share one /64."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def browser_family(user_agent: str) -> str:
    """A browser's name, or an empty text."""
    return next((name for name, pattern in _FAMILIES if pattern.search(user_agent)), "")
