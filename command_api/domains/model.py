"""Custom domains: host names of a publisher's own, proved by a DNS record, one website each. Pure."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from command_api.decision import AnotherKind, Asked, begun, conflict, invalid, missing, step
from command_api.hosts import website_domain
from command_api.websites.model import Website, owned
from schemas.base import DomainEvent
from schemas.custom_domains import record_name
from schemas.events.domains import (
    DomainAdded,
    DomainRemoved,
    DomainTlsLost,
    DomainTlsSeen,
    DomainVerificationLost,
    DomainVerified,
    HostClaimed,
    HostReleased,
)
from schemas.identity import host_id

PROVE_WITHIN: Final = timedelta(days=7)
MOST_PER_ACCOUNT: Final = 50
_LONGEST: Final = 253 - len(record_name(""))


@dataclass(frozen=True, slots=True)
class Domain:
    id: UUID
    version: int
    account_id: UUID
    website_id: UUID
    domain: str
    token: str
    added_at: datetime
    expires_at: datetime
    verified_at: datetime | None = None
    lost_at: datetime | None = None
    ssl: bool = False
    removed: bool = False

    @property
    def is_verified(self) -> bool:
        return self.verified_at is not None

    def is_over(self, at: datetime) -> bool:
        """Nobody looks for its record any more."""
        return self.removed or (not self.is_verified and at >= self.expires_at)

    def state(self, at: datetime) -> str:
        """`pending`, `verified`, `lost` (it was verified; its record is still looked for) or `expired`."""
        if self.is_verified:
            return "verified"
        if at >= self.expires_at:
            return "expired"
        return "pending" if self.lost_at is None else "lost"


@dataclass(frozen=True, slots=True)
class Host:
    """The guard of one host name."""

    version: int
    domain_id: UUID | None


def checked_name(text: str, own_hosts: Collection[str]) -> str:
    """The host name in what a person typed. Raises `Refused` for one that cannot be anybody's, or is ours."""
    name = website_domain(text)
    if len(name) > _LONGEST:
        raise invalid("bad_host", f"A domain has at most {_LONGEST} characters.", "domain")
    if any(name == own or name.endswith(f".{own}") for own in own_hosts):
        raise invalid("own_host", f"{name} belongs to this installation.", "domain")
    return name


def add(
    domain_id: UUID, before: Domain | None, website: Website | None, *, domain: str, token: str, asked: Asked
) -> DomainAdded:
    """`before`: what this account had under that name; a removed or expired one begins anew, with a new token."""
    website = owned(website, asked)
    if before is not None and not before.is_over(asked.at):
        raise conflict("domain_exists", f"{domain} has been added already.", "domain")
    return DomainAdded(
        **step(domain_id, before.version if before else 0, asked),
        account_id=website.account_id,
        website_id=website.id,
        domain=domain,
        token=token,
        expires_at=asked.at + PROVE_WITHIN,
    )


def verify(domain: Domain, host: Host | None, asked: Asked) -> list[DomainEvent]:
    """Its record was found. Raises `Refused` `domain_taken` while another website has the name."""
    if domain.is_verified or domain.is_over(asked.at):
        return []
    if host is not None and host.domain_id not in (None, domain.id):
        raise conflict("domain_taken", f"{domain.domain} is in use by another website.")
    claimed = HostClaimed(
        **step(host_id(domain.domain), host.version if host else 0, asked),
        account_id=domain.account_id,
        host=domain.domain,
        domain_id=domain.id,
    )
    return [DomainVerified(**step(domain.id, domain.version, asked)), claimed]


def lose(domain: Domain, host: Host | None, missing_since: datetime, asked: Asked) -> list[DomainEvent]:
    """Its record has been missing for too long."""
    if not domain.is_verified:
        return []
    lost = DomainVerificationLost(
        **step(domain.id, domain.version, asked), missing_since=missing_since, expires_at=asked.at + PROVE_WITHIN
    )
    return [lost, *_released(domain, host, asked)]


def tls_seen(domain: Domain, asked: Asked) -> list[DomainEvent]:
    return [] if domain.ssl or not domain.is_verified else [DomainTlsSeen(**step(domain.id, domain.version, asked))]


def tls_lost(domain: Domain, problem: str, asked: Asked) -> list[DomainEvent]:
    if not domain.ssl:
        return []
    return [DomainTlsLost(**step(domain.id, domain.version, asked), account_id=domain.account_id, problem=problem)]


def remove(domain: Domain | None, host: Host | None, asked: Asked) -> list[DomainEvent]:
    domain = owned_domain(domain, asked)
    removed = DomainRemoved(**step(domain.id, domain.version, asked))
    return [removed, *_released(domain, host, asked)]


def owned_domain(domain: Domain | None, asked: Asked) -> Domain:
    """The domain, if it is there and the asker may act for its owner. Raises `Refused` (missing)."""
    if domain is None or domain.removed or not asked.may_act_for(domain.account_id):
        raise missing("domain")
    return domain


def new_token() -> str:
    """160 random bits. No secret: it shows who wrote the record, not who may read it."""
    return secrets.token_hex(20)


def evolve(domain: Domain | None, event: DomainEvent) -> Domain:
    if isinstance(event, DomainAdded):
        return Domain(
            id=event.originator_id,
            version=event.originator_version,
            account_id=event.account_id,
            website_id=event.website_id,
            domain=event.domain,
            token=event.token,
            added_at=event.timestamp,
            expires_at=event.expires_at,
        )
    domain = replace(begun(domain, event), version=event.originator_version)
    match event:
        case DomainVerified():
            return replace(domain, verified_at=event.timestamp, lost_at=None)
        case DomainVerificationLost():
            return replace(domain, verified_at=None, lost_at=event.timestamp, expires_at=event.expires_at, ssl=False)
        case DomainTlsSeen():
            return replace(domain, ssl=True)
        case DomainTlsLost():
            return replace(domain, ssl=False)
        case DomainRemoved():
            return replace(domain, removed=True, verified_at=None, ssl=False)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to domains")


def evolve_host(_: Host | None, event: DomainEvent) -> Host:
    match event:
        case HostClaimed(domain_id=domain_id):
            return Host(event.originator_version, domain_id)
        case HostReleased():
            return Host(event.originator_version, None)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to host names")


def _released(domain: Domain, host: Host | None, asked: Asked) -> list[DomainEvent]:
    if host is None or host.domain_id != domain.id:
        return []
    return [HostReleased(**step(host_id(domain.domain), host.version, asked))]
