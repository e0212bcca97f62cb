"""Headers that every answer of the web app's port carries, what is handed on between browser and services, and answers
of the gateway itself."""

from __future__ import annotations

from urllib.parse import urlsplit

from infra.kernel.config.settings import Network
from infra.kernel.http.request_context import REQUEST_ID
from infra.kernel.http.request_limits import RawHeaders, Scope, Send, problem
from infra.kernel.net.ip_addresses import address_in, is_trusted
from infra.kernel.observability.tracing import TRACE_PARENT
from infra.kernel.security.forwarding import PROOF, proof_of

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
        "trusted-types site-preview",  # the preview of the website builder, in a sandboxed frame
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

_LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade".split()
)
_PROOF = PROOF.encode()
_FORWARDED = frozenset(
    (b"forwarded", b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host", b"x-real-ip", REQUEST_ID, _PROOF)
)
_TRACED = frozenset((TRACE_PARENT, b"tracestate", b"baggage"))
"""Anyone may send these; services get them from the gateway alone."""


def to_service(
    headers: list[tuple[bytes, bytes]], peer: str, scheme: str, trusted: tuple[Network, ...], key: bytes
) -> list[tuple[bytes, bytes]]:
    """A browser's headers for a service. The client address is determined here only: forwarding headers are accepted
    from a trusted proxy only, and always replaced by the gateway's own, with a proof made by `key`."""
    named = _listed(headers)
    dropped = _HOP_BY_HOP | _FORWARDED | _TRACED | named
    kept = [(n, v) for n, v in headers if n not in dropped]
    kept = [(n, v) for n, v in kept if n not in (b"content-length", b"accept-encoding", b"expect")]
    forwarded = {n: v for n, v in headers if n in _FORWARDED}
    chain = b",".join(v for n, v in headers if n == b"x-forwarded-for")
    trusts = is_trusted(address_in(peer), trusted)
    client = client_address(chain.decode("latin-1"), peer, trusted) if trusts and chain else peer
    proto = forwarded.get(b"x-forwarded-proto", b"") if trusts else b""
    host = forwarded.get(b"x-forwarded-host", b"") if trusts else b""
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


def client_address(forwarded_for: str, peer: str, trusted: tuple[Network, ...]) -> str:
    """The nearest address of the chain that is not a trusted proxy: clients can forge anything further left."""
    for hop in reversed([part.strip() for part in forwarded_for.split(",")]):
        address = address_in(hop)
        if address is None:
            return peer
        if not is_trusted(address, trusted):
            return hop
        peer = hop
    return peer


def _listed(headers: list[tuple[bytes, bytes]]) -> frozenset[bytes]:
    """Names that a `Connection` header declares to be for this hop only."""
    listed = b",".join(value for name, value in headers if name == b"connection")
    return frozenset(part.strip().lower() for part in listed.split(b",") if part.strip())


def may_serve(scope: Scope, app_url: str) -> bool:
    """Returns whether the request names the app as its host: `app_url`'s host, an address, or a name that no DNS gives
    to strangers. One without a host, as old load balancers send, does.

    A publisher's custom domain points to the tracking API. If it also served the app, the publisher's pages would be
    same-site with the app; and a name that an attacker points here (DNS rebinding) could read it as same-origin.
    """
    given = next((value for name, value in scope["headers"] if name == b"host"), b"").decode("latin-1")
    host, own = _without_port(given.strip().lower()), (urlsplit(app_url).hostname or "").lower()
    is_local = "." not in host or host.endswith(_LOCAL_ENDINGS)
    return host in ("", own) or is_local or address_in(host) is not None


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].rstrip(".")


async def refuse(send: Send, status: int, code: str, message: str, extra: RawHeaders = ()) -> None:
    """Answers with a problem document."""
    body = problem(status, code, message)
    await answer(send, status, b"application/problem+json", body, (*SECURITY_HEADERS, *extra))


async def answer(
    send: Send, status: int, content_type: bytes, body: bytes, extra: RawHeaders = SECURITY_HEADERS
) -> None:
    """Answers with a body that no cache stores."""
    headers = [(b"content-type", content_type), (b"cache-control", b"no-store"), *extra]
    await send_whole(send, status, headers, body)


async def send_whole(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    """Sends a response with its length, which one without a body (304) does not have."""
    length = [(b"content-length", str(len(body)).encode())] if status != 304 else []
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *length]})
    await send({"type": "http.response.body", "body": body})
