"""Headers that every answer of the web app's port carries, and what is handed on between browser and services."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from infra.forwarding import PROOF, proof_of
from infra.http_guard import RawHeaders
from infra.settings import Network

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # Radix, cmdk and the charts inject <style> elements
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "object-src 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
SECURITY_HEADERS: RawHeaders = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)


def page_headers(tracking_url: str) -> RawHeaders:
    """Headers of the app's pages. They may also talk to the tracking address: set-up sends a test event there."""
    parts = urlsplit(tracking_url)
    policy = CONTENT_SECURITY_POLICY.replace(
        "connect-src 'self'", f"connect-src 'self' {parts.scheme}://{parts.netloc}"
    )
    return ((b"content-security-policy", policy.encode()), *SECURITY_HEADERS)


PAGE_HEADERS: RawHeaders = ((b"content-security-policy", CONTENT_SECURITY_POLICY.encode()), *SECURITY_HEADERS)
STRICT_TRANSPORT: RawHeaders = ((b"strict-transport-security", b"max-age=31536000; includeSubDomains"),)

_HOP_BY_HOP = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    )
)
_PROOF = PROOF.encode()
_FORWARDED = frozenset(
    (b"forwarded", b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"x-real-ip", _PROOF)
)


def to_service(
    headers: list[tuple[bytes, bytes]], peer: str, scheme: str, trusted: tuple[Network, ...], key: bytes
) -> list[tuple[bytes, bytes]]:
    """A browser's headers as a service gets them. Who the client is, is decided here and nowhere behind: forwarding
    headers are believed from a trusted proxy only, and always replaced by our own, with a proof made by `key`."""
    named = _listed(headers)
    kept = [(n, v) for n, v in headers if n not in _HOP_BY_HOP and n not in _FORWARDED and n not in named]
    kept = [(n, v) for n, v in kept if n not in (b"content-length", b"accept-encoding", b"expect")]
    given = {n: v for n, v in headers if n in _FORWARDED}
    chain = b",".join(v for n, v in headers if n == b"x-forwarded-for")
    trusts = is_trusted(peer, trusted)
    client = peer
    if trusts and chain:
        client = client_address(chain.decode("latin-1"), peer, trusted)
    proto = given.get(b"x-forwarded-proto", b"") if trusts else b""
    host = given.get(b"x-forwarded-host", b"") if trusts else b""
    kept.append((b"x-forwarded-for", client.encode("latin-1")))
    kept.append((_PROOF, proof_of(key, client).encode()))
    kept.append((b"x-forwarded-proto", proto if proto in (b"http", b"https") else scheme.encode()))
    kept.append((b"x-forwarded-host", host or next((v for n, v in headers if n == b"host"), b"")))
    return kept


def to_browser(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """A service's headers as the browser gets them, with ours where the service has none."""
    dropped = _HOP_BY_HOP | _listed(headers) | {b"server", b"date"}
    kept = [(name, value) for name, value in headers if name not in dropped]
    present = {name for name, _ in kept}
    kept += [(name, value) for name, value in SECURITY_HEADERS if name not in present]
    if b"cache-control" not in present:
        kept.append((b"cache-control", b"no-store"))
    return kept


def is_trusted(peer: str, trusted: tuple[Network, ...]) -> bool:
    try:
        address = ip_address(peer)
    except ValueError:
        return False
    return any(address in network for network in trusted)


def client_address(forwarded_for: str, peer: str, trusted: tuple[Network, ...]) -> str:
    """The nearest address of the chain that is not one of our proxies: what stands further left, anyone can write."""
    for hop in reversed([part.strip() for part in forwarded_for.split(",")]):
        try:
            ip_address(hop)
        except ValueError:
            return peer
        if not is_trusted(hop, trusted):
            return hop
        peer = hop
    return peer


def _listed(headers: list[tuple[bytes, bytes]]) -> frozenset[bytes]:
    """Names that a `Connection` header declares to be for this hop only."""
    listed = b",".join(value for name, value in headers if name == b"connection")
    return frozenset(part.strip().lower() for part in listed.split(b",") if part.strip())
