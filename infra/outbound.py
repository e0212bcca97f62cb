"""The one way to call an address that somebody else chose: https or http on its own port, to the open internet alone.

The host is resolved once, by our own resolvers; if any of its addresses is not public, nothing is called. The
connection goes to the address that was looked at, with the name of the host in SNI and certificate, so that an answer
that changes in between (rebinding) changes nothing. No redirect is followed; one deadline holds from the first question
to the last byte; an answer is read up to a limit, as it is.

`ALTHING_OUTBOUND_NETWORKS` names what may be called beside the open internet.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

import httpx

from infra.resolvers import Address, LookupFailed, Resolvers
from infra.settings import Network

DEADLINE_S: Final = 3.0
MOST_BYTES: Final = 64 * 1024
PORTS: Final[Mapping[str, int]] = {"https": 443, "http": 80}

_EMBEDDING: Final = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"), ip_network("::/96"))
"""IPv6 networks whose last 32 bits are an IPv4 address (NAT64 and what came before it)."""


class OutboundRefused(Exception):
    """Nothing was sent: the address is none that we call."""


class OutboundFailed(Exception):
    """No answer. `is_certificate`: the other side is there, but its certificate is not valid for the name."""

    def __init__(self, message: str, *, is_certificate: bool = False) -> None:
        super().__init__(message)
        self.is_certificate = is_certificate


@dataclass(frozen=True, slots=True)
class Answered:
    status: int
    headers: httpx.Headers
    body: bytes


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

    async def get(self, url: str, *, deadline_s: float = DEADLINE_S, most_bytes: int = MOST_BYTES) -> Answered:
        """Whatever is answered, redirects and errors included. Raises `OutboundRefused` or `OutboundFailed`."""
        try:
            async with asyncio.timeout(deadline_s):
                return await self._get(_checked(url, self._ports), most_bytes)
        except TimeoutError as error:
            raise OutboundFailed("There was no answer in time.") from error

    async def _get(self, url: httpx.URL, most_bytes: int) -> Answered:
        addresses = await self._addresses(url.host)
        failure = OutboundFailed("The host has no address.")
        for address in addresses[:2]:
            try:
                return await self._ask(url, address, most_bytes)
            except httpx.ConnectError as error:
                failure = _told(error)
                if failure.is_certificate:
                    break
            except httpx.HTTPError as error:
                failure = OutboundFailed(f"The connection failed ({type(error).__name__}).")
        raise failure

    async def _addresses(self, host: str) -> Sequence[Address]:
        try:
            found: Sequence[Address] = [ip_address(host)]
        except ValueError:
            try:
                found = await self._resolvers.addresses(host)
            except LookupFailed as error:
                raise OutboundFailed(f"The host's address could not be found ({error}).") from error
        for address in found:
            if not is_public(address) and not any(address in network for network in self._also):
                raise OutboundRefused("The host is not on the open internet.")
        return found

    async def _ask(self, url: httpx.URL, address: Address, most_bytes: int) -> Answered:
        port = self._ports[url.scheme]
        place = f"[{address}]" if address.version == 6 else str(address)
        async with (
            httpx.AsyncClient(verify=self._trust, trust_env=False, timeout=DEADLINE_S) as client,
            client.stream(
                "GET",
                f"{url.scheme}://{place}:{port}{url.raw_path.decode()}",
                headers={
                    "Host": url.host,
                    "Accept-Encoding": "identity",
                    "User-Agent": "althing",
                    "Connection": "close",
                },
                extensions={"sni_hostname": url.host},
                follow_redirects=False,
            ) as answer,
        ):
            body = bytearray()
            async for part in answer.aiter_raw():
                body += part
                if len(body) > most_bytes:
                    raise OutboundFailed("The answer is too large.")
            return Answered(answer.status_code, answer.headers, bytes(body))


def is_public(address: Address) -> bool:
    """Whether it is of the open internet, also where one address hides in another."""
    if isinstance(address, IPv6Address):
        hidden: list[IPv4Address | None] = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        if any(address in network for network in _EMBEDDING):
            hidden.append(IPv4Address(int(address) & 0xFFFF_FFFF))
        found = [inner for inner in hidden if inner is not None]
        if found:
            return all(is_public(inner) for inner in found)
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


def _told(error: httpx.ConnectError) -> OutboundFailed:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return OutboundFailed(f"Its certificate is not valid: {cause.verify_message}.", is_certificate=True)
        if isinstance(cause, ssl.SSLError):
            return OutboundFailed("It does not speak TLS as it should.", is_certificate=True)
        cause = cause.__cause__ or cause.__context__
    return OutboundFailed("Nothing answers there.")
