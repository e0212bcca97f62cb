"""Checks the DNS record and TLS of custom domains. Makes no decision."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from command_api.domains.model import Domain
from infra.kernel.config.settings import Settings
from infra.kernel.net.authoritative_dns import AuthoritativeServers
from infra.kernel.net.dns_resolvers import Resolvers, Texts
from infra.kernel.net.outbound_http import Outbound, OutboundFailed, OutboundRefused
from schemas.custom_domains import PROBE, record_name

BATCH_SIZE: Final = 20


class DnsVerdict(StrEnum):
    """Combined result of the resolvers."""

    PROVEN = "proven"
    MISSING = "missing"
    DISPUTED = "disputed"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class DnsResult:
    """Result of a check for `token`. Without `tls_problem` TLS works, unless it was not checked because the domain was
    unverified."""

    token: str
    verdict: DnsVerdict
    problem: str | None
    tls_problem: str | None
    tls_checked: bool = True


class DnsChecker:
    """Checks domains. Thread-safe."""

    def __init__(self, resolvers: Resolvers, authorities: AuthoritativeServers, outbound: Outbound) -> None:
        self._resolvers = resolvers
        self._authorities = authorities
        self._outbound = outbound

    def check(self, *domains: Domain) -> Sequence[DnsResult]:
        """Checks all domains concurrently; takes at most about three seconds."""
        return asyncio.run(self._check_all(domains))

    async def _check_all(self, domains: Sequence[Domain]) -> Sequence[DnsResult]:
        return await asyncio.gather(*(self._check_one(domain) for domain in domains))

    async def _check_one(self, domain: Domain) -> DnsResult:
        name = record_name(domain.domain)
        if not domain.is_verified:
            verdict, problem = judge(name, domain.token, await self._texts(name))
            return DnsResult(domain.token, verdict, problem, None, tls_checked=False)
        said, tls_problem = await asyncio.gather(self._texts(name), self._tls_problem(domain))
        verdict, problem = judge(name, domain.token, said)
        return DnsResult(domain.token, verdict, problem, tls_problem)

    async def _texts(self, name: str) -> Sequence[Texts]:
        by_resolvers, by_authorities = await asyncio.gather(self._resolvers.texts(name), self._authorities.texts(name))
        return [*by_resolvers, *by_authorities]

    async def _tls_problem(self, domain: Domain) -> str | None:
        try:
            answered = await self._outbound.get(f"https://{domain.domain}{PROBE}")
        except (OutboundFailed, OutboundRefused) as error:
            return f"https://{domain.domain} does not work yet. {error}"
        if answered.status == 200 and answered.body.strip() == str(domain.id).encode():
            return None
        return f"https://{domain.domain} has a certificate, but does not lead to the tracking API."


def open_dns_checker(settings: Settings) -> DnsChecker:
    """Creates a checker from the settings."""
    resolvers, also = Resolvers(settings), settings.outbound_networks
    return DnsChecker(resolvers, AuthoritativeServers(resolvers, also), Outbound(resolvers, also=also))


def judge(name: str, token: str, said: Sequence[Texts]) -> tuple[DnsVerdict, str | None]:
    """Returns the verdict, and the problem if there is one. All answering servers, including the authoritative ones,
    must return the token; other records are ignored."""
    answers = [texts.values for texts in said if texts.failure is None]
    holding = sum(token.encode() in values for values in answers)
    if not answers:
        return DnsVerdict.UNANSWERED, "DNS did not respond. We will try again."
    if holding == len(answers):
        return DnsVerdict.PROVEN, None
    if holding:
        return DnsVerdict.DISPUTED, f"Not all DNS servers show the record at {name} yet. That can take some hours."
    if any(answers):
        return DnsVerdict.MISSING, f"The TXT record at {name} does not contain the token."
    return DnsVerdict.MISSING, f"There is no TXT record at {name} yet."
