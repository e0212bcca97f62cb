"""A look at a custom domain from outside: is its record there, does it lead here by TLS? Decides nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from command_api.domains.model import Domain
from infra.authorities import Authorities
from infra.outbound import Outbound, OutboundFailed, OutboundRefused
from infra.resolvers import Resolvers, Texts
from infra.settings import Settings
from schemas.custom_domains import PROBE, record_name

AT_ONCE: Final = 20


class Verdict(StrEnum):
    """What the resolvers say together."""

    PROVEN = "proven"
    MISSING = "missing"
    DISPUTED = "disputed"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look found. `token` is the one that was looked for. No `tls_problem`: it leads here by TLS, unless TLS was
    not looked at, because the domain was not verified at that moment."""

    token: str
    verdict: Verdict
    problem: str | None
    tls_problem: str | None
    tls_looked: bool = True


class Looking:
    """Looks at domains. Thread-safe."""

    def __init__(self, resolvers: Resolvers, authorities: Authorities, outbound: Outbound) -> None:
        self._resolvers = resolvers
        self._authorities = authorities
        self._outbound = outbound

    def look(self, *domains: Domain) -> Sequence[Seen]:
        """At all of them at the same time; at most about three seconds."""
        return asyncio.run(self._look(domains))

    async def _look(self, domains: Sequence[Domain]) -> Sequence[Seen]:
        return await asyncio.gather(*(self._look_at(domain) for domain in domains))

    async def _look_at(self, domain: Domain) -> Seen:
        name = record_name(domain.domain)
        if not domain.is_verified:
            verdict, problem = judge(name, domain.token, await self._texts(name))
            return Seen(domain.token, verdict, problem, None, tls_looked=False)
        said, tls_problem = await asyncio.gather(self._texts(name), self._tls_problem(domain))
        verdict, problem = judge(name, domain.token, said)
        return Seen(domain.token, verdict, problem, tls_problem)

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


def looking(settings: Settings) -> Looking:
    """As the settings have it."""
    resolvers, also = Resolvers(settings), settings.outbound_networks
    return Looking(resolvers, Authorities(resolvers, also), Outbound(resolvers, also=also))


def judge(name: str, token: str, said: Sequence[Texts]) -> tuple[Verdict, str | None]:
    """All that answer, the zone's own servers too, must see exactly the token, among whatever else stands there."""
    answers = [texts.values for texts in said if texts.failure is None]
    holding = sum(token.encode() in values for values in answers)
    if not answers:
        return Verdict.UNANSWERED, "The DNS did not answer. We will try again."
    if holding == len(answers):
        return Verdict.PROVEN, None
    if holding:
        return Verdict.DISPUTED, f"Not all DNS servers show the record at {name} yet. That can take some hours."
    if any(answers):
        return Verdict.MISSING, f"The TXT record at {name} does not hold the token."
    return Verdict.MISSING, f"There is no TXT record at {name} yet."
