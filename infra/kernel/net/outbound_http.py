"""Outbound HTTP: the only module that calls external addresses; https or http on the default port, public
addresses only.

The host is resolved once, by the configured resolvers; if any of its addresses is not public, nothing is called. The
connection goes to the address that was checked, with the host name in SNI and certificate, so that a changed DNS
answer (rebinding) has no effect. No redirect is followed; one deadline covers the whole call; a response is read up
to a limit and not decoded.

`ALTHING_OUTBOUND_NETWORKS` names networks that may be called beside public ones.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import urlsplit

import httpx

from infra.kernel.config.settings import Network
from infra.kernel.net.dns_resolvers import Address, LookupFailed, Resolvers

DEADLINE_S: Final = 3.0
MAX_BYTES: Final = 64 * 1024
PORTS: Final[Mapping[str, int]] = {"https": 443, "http": 80}

_EMBEDDING: Final = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"), ip_network("::/96"))
"""IPv6 networks whose last 32 bits are an IPv4 address (NAT64 and what came before it)."""


class OutboundRefused(Exception):
    """The address is none that we call; nothing was sent."""


class OutboundFailed(Exception):
    """No response. `is_certificate`: the server answers, but its certificate is not valid for the name."""

    def __init__(self, message: str, *, is_certificate: bool = False) -> None:
        super().__init__(message)
        self.is_certificate = is_certificate


class OutboundTooLarge(OutboundFailed):
    """The response has more bytes than may be read."""


@dataclass(frozen=True, slots=True)
class OutboundResponse:
    """A complete answer. `body` is as it was received; a content coding is not decoded."""

    status: int
    headers: httpx.Headers
    body: bytes


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    headers: Mapping[str, str]
    form: Mapping[str, str] | None
    content: bytes | None
    max_bytes: int


class Outbound:
    """Calls outward. Thread-safe; keeps no connection."""

    def __init__(
        self,
        resolvers: Resolvers,
        *,
        also: Sequence[Network] = (),
        ports: Mapping[str, int] = PORTS,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        """`also`: networks that may be called beside public ones. `ports`: the one port of each scheme."""
        self._resolvers = resolvers
        self._also = tuple(also)
        self._ports = ports
        self._trust = trust or ssl.create_default_context()

    async def get(self, url: str, *, deadline_s: float = DEADLINE_S) -> OutboundResponse:
        """Returns whatever is answered, redirects and errors included. Raises `OutboundRefused` or `OutboundFailed`."""
        return await self.call("GET", url, deadline_s=deadline_s)

    async def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
        content: bytes | None = None,
        configured_origin: str | None = None,
        deadline_s: float = DEADLINE_S,
        max_bytes: int = MAX_BYTES,
    ) -> OutboundResponse:
        """Calls a server as `get` does. `configured_origin`: an origin (`origin_of`) from the operator's settings,
        which may have a private address and is called by name."""
        request = _Request(method, headers or {}, form, content, max_bytes)
        try:
            async with asyncio.timeout(deadline_s):
                if configured_origin is not None and origin_of(url) == configured_origin:
                    return await self._send(request, url)
                return await self._call(request, _checked(url, self._ports))
        except TimeoutError as error:
            raise OutboundFailed("There was no answer in time.") from error
        except httpx.InvalidURL as error:
            raise OutboundRefused("This is not a web address.") from error
        except httpx.HTTPError as error:
            raise _failure(error) from error

    async def _call(self, request: _Request, url: httpx.URL) -> OutboundResponse:
        failure = OutboundFailed("The host has no address.")
        for address in (await self._addresses(url.host))[:2]:
            place = f"[{address}]" if address.version == 6 else str(address)
            there = f"{url.scheme}://{place}:{self._ports[url.scheme]}{url.raw_path.decode()}"
            try:
                return await self._send(request, there, url.host)
            except httpx.HTTPError as error:
                failure = _failure(error)
                may_be_done = request.method != "GET" and not isinstance(error, httpx.ConnectError)
                if failure.is_certificate or may_be_done:
                    break
        raise failure

    async def _addresses(self, host: str) -> Sequence[Address]:
        try:
            addresses: Sequence[Address] = [ip_address(host)]
        except ValueError:
            try:
                addresses = await self._resolvers.addresses(host)
            except LookupFailed as error:
                raise OutboundFailed(f"The host's address could not be found ({error}).") from error
        for address in addresses:
            if not may_call(address, self._also):
                raise OutboundRefused("The host is not on the open internet.")
        return addresses

    async def _send(self, request: _Request, url: str, host: str | None = None) -> OutboundResponse:
        """`host`: the name that an address is called for."""
        headers = {"Accept-Encoding": "identity", "User-Agent": "althing", "Connection": "close", **request.headers}
        async with (
            httpx.AsyncClient(verify=self._trust, trust_env=False, timeout=None) as client,  # noqa: S113 - the deadline
            client.stream(
                request.method,
                url,
                headers=headers if host is None else {**headers, "Host": host},
                data=request.form,
                content=request.content,
                extensions={} if host is None else {"sni_hostname": host},
                follow_redirects=False,
            ) as answer,
        ):
            body = bytearray()
            async for part in answer.aiter_raw():
                body += part
                if len(body) > request.max_bytes:
                    raise OutboundTooLarge("The answer is too large.")
            return OutboundResponse(answer.status_code, answer.headers, bytes(body))


def origin_of(url: str) -> str:
    """Scheme, host and port of an address; empty for what is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower()


def may_call(address: Address, also: Sequence[Network]) -> bool:
    """Returns whether the address is public, or of one of these networks."""
    return is_public(address) or any(address in network for network in also)


def is_public(address: Address) -> bool:
    """Returns whether the address is of the open internet, also where one address hides in another."""
    if isinstance(address, IPv6Address):
        hidden: list[IPv4Address | None] = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if any(address in network for network in _EMBEDDING):
            hidden.append(IPv4Address(int(address) & 0xFFFF_FFFF))
        embedded = [inner for inner in hidden if inner is not None]
        if embedded:
            return all(is_public(inner) for inner in embedded)
        if address.is_site_local:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def _checked(text: str, ports: Mapping[str, int]) -> httpx.URL:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as error:
        raise OutboundRefused("This is not a web address.") from error
    if url.scheme not in ports or not url.host or url.userinfo:
        raise OutboundRefused("An address to call has https:// or http:// and a host, and no user name.")
    if url.port is not None and url.port != ports[url.scheme]:
        raise OutboundRefused("An address to call has its scheme's own port.")
    return url


def _failure(error: httpx.HTTPError) -> OutboundFailed:
    if not isinstance(error, httpx.ConnectError):
        return OutboundFailed(f"The connection failed ({type(error).__name__}).")
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return OutboundFailed(f"Its certificate is not valid: {cause.verify_message}.", is_certificate=True)
        if isinstance(cause, ssl.SSLError):
            return OutboundFailed("It does not speak TLS as it should.", is_certificate=True)
        cause = cause.__cause__ or cause.__context__
    return OutboundFailed("Nothing answers there.")
