"""The one way to call an address outside: https or http on its own port, to the open internet alone.

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
from urllib.parse import urlsplit

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
        return await self.call("GET", url, deadline_s=deadline_s, most_bytes=most_bytes)

    async def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        form: Mapping[str, str] | None = None,
        own_place: str | None = None,
        deadline_s: float = DEADLINE_S,
        most_bytes: int = MOST_BYTES,
    ) -> Answered:
        """As `get`. `own_place`: the one scheme, host and port (`place_of`) that the operator's settings name; it may
        be anywhere, and is called as it is written."""
        try:
            async with asyncio.timeout(deadline_s):
                if own_place is not None and place_of(url) == own_place:
                    return await self._call_by_name(method, url, headers or {}, form, most_bytes)
                return await self._call(method, _checked(url, self._ports), headers or {}, form, most_bytes)
        except TimeoutError as error:
            raise OutboundFailed("There was no answer in time.") from error

    async def _call(
        self, method: str, url: httpx.URL, headers: Mapping[str, str], form: Mapping[str, str] | None, most_bytes: int
    ) -> Answered:
        failure = OutboundFailed("The host has no address.")
        for address in (await self._addresses(url.host))[:2]:
            place = f"[{address}]" if address.version == 6 else str(address)
            there = f"{url.scheme}://{place}:{self._ports[url.scheme]}{url.raw_path.decode()}"
            try:
                return await self._send(
                    method, there, {**headers, "Host": url.host}, form, most_bytes, {"sni_hostname": url.host}
                )
            except httpx.ConnectError as error:
                failure = _told(error)
                if failure.is_certificate:
                    break
            except httpx.HTTPError as error:
                failure = OutboundFailed(f"The connection failed ({type(error).__name__}).")
                if method != "GET":
                    break  # it may have been done
        raise failure

    async def _call_by_name(
        self, method: str, url: str, headers: Mapping[str, str], form: Mapping[str, str] | None, most_bytes: int
    ) -> Answered:
        try:
            return await self._send(method, url, headers, form, most_bytes, {})
        except httpx.ConnectError as error:
            raise _told(error) from error
        except httpx.InvalidURL as error:
            raise OutboundRefused("This is not a web address.") from error
        except httpx.HTTPError as error:
            raise OutboundFailed(f"The connection failed ({type(error).__name__}).") from error

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

    async def _send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        form: Mapping[str, str] | None,
        most_bytes: int,
        extensions: Mapping[str, str],
    ) -> Answered:
        own = {"Accept-Encoding": "identity", "User-Agent": "althing", "Connection": "close"}
        async with (
            httpx.AsyncClient(verify=self._trust, trust_env=False, timeout=None) as client,  # noqa: S113 - the deadline
            client.stream(
                method,
                url,
                headers={**own, **headers},
                data=form,
                extensions=dict(extensions),
                follow_redirects=False,
            ) as answer,
        ):
            body = bytearray()
            async for part in answer.aiter_raw():
                body += part
                if len(body) > most_bytes:
                    raise OutboundFailed("The answer is too large.")
            return Answered(answer.status_code, answer.headers, bytes(body))


def place_of(url: str) -> str:
    """Scheme, host and port of an address; empty for what is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower()


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
