"""Queries the authoritative name servers of a zone directly: resolvers cache what these say.

The resolvers name them. The owner of the zone chooses their addresses, so only public ones are queried
(`ALTHING_OUTBOUND_NETWORKS` names others), few of them, and one deadline covers everything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import dns.asyncquery
import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype

from infra.kernel.config.settings import Network
from infra.kernel.net.dns_resolvers import LIFETIME_S, MAX_RECORDS, Address, LookupFailed, Resolvers, Texts
from infra.kernel.net.outbound_http import may_call

MAX_SERVERS: Final = 4
PORT: Final = 53
_TRY_S: Final = 1.0


class AuthoritativeServers:
    """A stateless client of authoritative name servers."""

    def __init__(self, resolvers: Resolvers, also: Sequence[Network] = (), port: int = PORT) -> None:
        """`also`: networks that may be queried beside public ones."""
        self._resolvers = resolvers
        self._also = tuple(also)
        self._port = port

    async def texts(self, name: str) -> Sequence[Texts]:
        """The TXT records of a name as each of its zone's servers has them; empty when they cannot be found out."""
        try:
            async with asyncio.timeout(LIFETIME_S) as limit:
                real_name, servers = await self._resolvers.authority(name)
                answers = await asyncio.gather(*(self._texts(server, real_name) for server in servers[:MAX_SERVERS]))
        except (LookupFailed, TimeoutError):
            return ()
        # An end that falls together with an answer may pass unnoticed inside.
        return () if limit.expired() else answers

    async def _texts(self, server: str, name: dns.name.Name) -> Texts:
        try:
            address = self._chosen(await self._resolvers.addresses(server))
            answer = await self._ask(address, name)
        except (LookupFailed, dns.exception.DNSException, OSError, EOFError) as error:
            return Texts(server, failure=str(error) if isinstance(error, LookupFailed) else type(error).__name__)
        if answer.rcode() not in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN) or not answer.flags & dns.flags.AA:
            return Texts(server, failure="no authority")
        rrset = answer.get_rrset(dns.message.ANSWER, name, dns.rdataclass.IN, dns.rdatatype.TXT)
        if rrset is None and answer.answer:
            return Texts(server, failure="an alias")  # the resolvers know where it leads
        return Texts(server, tuple(b"".join(record.strings) for record in list(rrset or ())[:MAX_RECORDS]))

    def _chosen(self, addresses: Sequence[Address]) -> Address:
        for address in addresses:
            if may_call(address, self._also):
                return address
        raise LookupFailed("no public address")

    async def _ask(self, address: Address, name: dns.name.Name) -> dns.message.Message:
        query = dns.message.make_query(name, dns.rdatatype.TXT, use_edns=0, payload=1232)
        query.flags &= ~dns.flags.RD
        for _ in range(2):
            try:
                answer, _by_tcp = await dns.asyncquery.udp_with_fallback(
                    query, str(address), timeout=_TRY_S, port=self._port, ignore_unexpected=True, ignore_errors=True
                )
            except dns.exception.Timeout:
                continue
            return answer
        raise LookupFailed("timeout")
