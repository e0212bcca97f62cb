"""The client of a request: its address, for limits and, truncated, for the audit trail; its browser's name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

from fastapi import Request

from infra.kernel.config.settings import Settings
from infra.kernel.net.geoip import GeoIpDatabase
from infra.kernel.net.ip_addresses import address_in, is_trusted, unmapped
from infra.kernel.security.forwarding import forwarding_key, is_proven
from infra.kernel.security.sessions import from_browser, session_cookie

DEVICE_COOKIE: Final = "device"

_FAMILIES: Final = (
    ("Edge", re.compile(r"\bEdg(e|A|iOS)?/")),
    ("Opera", re.compile(r"\bOPR/")),
    ("Firefox", re.compile(r"\b(Firefox|FxiOS)/")),
    ("Chrome", re.compile(r"\b(Chrome|Chromium|CriOS)/")),
    ("Safari", re.compile(r"\bSafari/")),
    ("curl", re.compile(r"^curl/")),
)


@dataclass(frozen=True, slots=True)
class Client:
    """The origin of a request.

    `address` is for limits: `kernel.rate_limit` keeps it for a day, and nothing else keeps it as it is.
    """

    address: str = ""
    device: str = ""
    country: str = "ZZ"
    is_browser: bool = False
    """Whether the request had an origin or a fetch site, which only browsers send."""
    device_cookie: str = ""
    """The cookie of a known device as it was sent (`command_api.accounts.devices`)."""
    proof_of_work: str = ""
    """The header of that name as it was sent (`command_api.accounts.proof_of_work`)."""

    @property
    def network(self) -> str:
        """The address cut to /24 (IPv4) or /48 (IPv6), as it may be kept; empty when it is none."""
        if not self.address:
            return ""
        whole = self.address if "." in self.address else f"{self.address}::"
        try:
            length = 24 if ip_address(whole).version == 4 else 48
            return str(ip_network(f"{whole}/{length}", strict=False))
        except ValueError:
            return ""


def client_of(request: Request, settings: Settings, places: GeoIpDatabase | None = None) -> Client:
    """Returns where the request comes from; with `places` also from which country. The address is the nearest that is
    neither ours nor a trusted proxy's; IPv6 by its /64, which one person has whole."""
    whole = _nearest(request, settings)
    country = places.find(whole)[0] if places is not None else "ZZ"
    return Client(
        _bucket(whole),
        browser_family(request.headers.get("user-agent", "")),
        country,
        from_browser(request.headers),
        session_cookie(request.headers, DEVICE_COOKIE) or "",
        request.headers.get("proof-of-work", ""),
    )


def address_of(request: Request, settings: Settings) -> str:
    """The address of `client_of` alone."""
    return _bucket(_nearest(request, settings))


def browser_family(user_agent: str) -> str:
    """A browser's name, or an empty text."""
    return next((name for name, pattern in _FAMILIES if pattern.search(user_agent)), "")


def _nearest(request: Request, settings: Settings) -> str:
    """Accepts `X-Forwarded-For` from the gateway, which proves itself, and from `TRUSTED_PROXIES`; otherwise
    returns the peer's own address, including this machine's."""
    peer = request.client.host if request.client else ""
    nearest = _address(peer)
    forwarded = ",".join(request.headers.getlist("x-forwarded-for"))
    by_proxy = is_trusted(nearest, settings.trusted_proxies)
    if forwarded and (by_proxy or is_proven(forwarding_key(settings), forwarded, request.headers)):
        for candidate in reversed([part.strip() for part in forwarded.split(",") if part.strip()]):
            address = _address(candidate)
            if address is None:
                break
            nearest = address
            if not is_trusted(address, settings.trusted_proxies):
                break
    return str(nearest) if nearest is not None else peer


def _bucket(text: str) -> str:
    address = _address(text)
    if address is None:
        return text
    return str(address) if isinstance(address, IPv4Address) else ":".join(address.exploded.split(":")[:4])


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """IPv4 addresses are never IPv6 ones here: else all of them would share one /64."""
    return unmapped(address_in(text))
