"""DNS queries for proofs of ownership and before outbound calls: per resolver, with a deadline.

Never a system call, which would accept `127.1` or a decimal number as an address. `ALTHING_DNS_RESOLVERS` names the
resolvers; without it those of the system are used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, Final

import dns.asyncresolver
import dns.exception
import dns.message
import dns.name
import dns.rdatatype
import dns.resolver

from infra.kernel.config.settings import Server, Settings

Address = IPv4Address | IPv6Address

LIFETIME_S: Final = 3.0
"""For one question to one resolver, with all retries and aliases."""
_TRY_S: Final = 1.2
_MAX_ALIASES: Final = 4
MAX_RECORDS: Final = 50
_MAX_ADDRESSES: Final = 16


class LookupFailed(Exception):
    """No resolver had an answer. One word for logs and people."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The answer of one resolver. No `values`: there is no such record. `failure`: it said nothing of use."""

    server: str
    values: tuple[bytes, ...] = ()
    failure: str | None = None


class Resolvers:
    """The resolvers that the settings name. Stateless: nothing is remembered from one question to the next."""

    def __init__(self, settings: Settings) -> None:
        self._servers = settings.dns_resolvers

    async def texts(self, name: str) -> Sequence[Texts]:
        """The TXT records of a name from each resolver, all queried concurrently."""
        return await asyncio.gather(*(self._texts(server, name) for server in self._found()))

    async def addresses(self, host: str) -> Sequence[Address]:
        """Returns all addresses of a host, of both families, by the first resolver with an answer. Raises
        `LookupFailed`."""
        failure = "no resolver"
        for server in self._found():
            answers = await asyncio.gather(*(self._ask(server, host, kind) for kind in ("A", "AAAA")))
            failed = [answer for answer in answers if isinstance(answer, str)]
            if failed:  # half an answer would hide the address that must not be called
                failure = failed[0]
                continue
            addresses = [
                ip_address(record.address) for answer in answers if not isinstance(answer, str) for record in answer
            ]
            if len(addresses) > _MAX_ADDRESSES:
                raise LookupFailed("too many addresses")
            return addresses
        raise LookupFailed(failure)

    async def authority(self, name: str) -> tuple[dns.name.Name, Sequence[str]]:
        """The canonical name of `name` (itself unless it is an alias) and the name servers of its zone, by the
        first resolver with an answer. Raises `LookupFailed`."""
        failure = "no resolver"
        for server in self._found():
            answer = await self._resolved(server, name, "SOA")
            if isinstance(answer, str):
                failure = answer
                continue
            chain = answer.resolve_chaining()
            zone = _zone(answer, chain.canonical_name)
            servers = await self._ask(server, zone.to_text(), "NS") if zone is not None else "no zone"
            if not isinstance(servers, str):
                return chain.canonical_name, [record.target.to_text() for record in servers]
            failure = servers
        raise LookupFailed(failure)

    async def _texts(self, server: Server, name: str) -> Texts:
        label = f"{server[0]}:{server[1]}"
        answer = await self._ask(server, name, "TXT")
        if isinstance(answer, str):
            return Texts(label, failure=answer)
        return Texts(label, tuple(b"".join(record.strings) for record in answer[:MAX_RECORDS]))

    async def _ask(self, server: Server, name: str, kind: str) -> list[Any] | str:
        """The records, which may be none, or the reason of a failure in one word."""
        answer = await self._resolved(server, name, kind)
        if isinstance(answer, str):
            return answer
        return list(answer.resolve_chaining().answer or ())

    async def _resolved(self, server: Server, name: str, kind: str) -> dns.message.QueryMessage | str:
        """The resolver's answer, which may be that the name does not exist, or the reason of a failure in one word."""
        resolver = dns.asyncresolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = [server[0]], server[1]
        resolver.timeout, resolver.lifetime = _TRY_S, LIFETIME_S
        resolver.use_edns(0, 0, 1232)
        try:
            async with asyncio.timeout(LIFETIME_S):
                resolution = await resolver.resolve(_absolute(name), kind, search=False, raise_on_no_answer=False)
                answer = resolution.response
        except dns.resolver.NXDOMAIN as error:
            answer = error.response(_absolute(name))  # type: ignore[no-untyped-call]  # dnspython has no types there
        except (TimeoutError, dns.exception.Timeout):
            return "timeout"
        except (dns.exception.DNSException, OSError) as error:
            return type(error).__name__
        if len(answer.resolve_chaining().cnames) > _MAX_ALIASES:
            return "too many aliases"
        return answer

    def _found(self) -> Sequence[Server]:
        if self._servers:
            return self._servers
        try:
            resolver = dns.resolver.Resolver()
        except dns.resolver.NoResolverConfiguration:
            return ()
        return [(str(server), resolver.port) for server in resolver.nameservers]


def _zone(answer: dns.message.QueryMessage, name: dns.name.Name) -> dns.name.Name | None:
    """The zone of a name, from the answer to the question for its SOA: the name itself, or whose SOA came instead."""
    for rrset in (*answer.answer, *answer.authority):
        if rrset.rdtype == dns.rdatatype.SOA and name.is_subdomain(rrset.name):
            zone: dns.name.Name = rrset.name
            return zone
    return None


def _absolute(name: str) -> dns.name.Name:
    return dns.name.from_text(name if name.endswith(".") else f"{name}.")
