"""Custom domain aggregate: host names verified by a DNS record, each of one website. Pure."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import next_event
from command_api.kernel.decision import CommandContext, conflict, event_metadata, invalid, not_found
from command_api.kernel.hostnames import website_domain
from command_api.websites.model import Website, require_owned
from schemas.base import DomainEvent
from schemas.custom_domains import record_name
from schemas.events import domains
from schemas.evolution import Evolution
from schemas.identity import domain_id, host_id

VERIFY_WITHIN: Final = timedelta(days=7)
MAX_PER_ACCOUNT: Final = 50
_MAX_NAME_LENGTH: Final = 253 - len(record_name(""))


@dataclass(frozen=True, slots=True)
class Domain:
    """State of a custom domain. `token`: the expected TXT record."""

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
        """Returns whether verification has expired or the domain was removed."""
        return self.removed or (not self.is_verified and at >= self.expires_at)

    def state(self, at: datetime) -> str:
        """Returns `pending`, `verified`, `lost` (it was verified; its record is still looked for) or `expired`."""
        if self.is_verified:
            return "verified"
        if at >= self.expires_at:
            return "expired"
        return "pending" if self.lost_at is None else "lost"


@dataclass(frozen=True, slots=True)
class Host:
    """Reservation of a host name."""

    version: int
    domain_id: UUID | None


def checked_name(text: str, own_hosts: Collection[str]) -> str:
    """Returns the host name of typed text. Raises `CommandRejected` for invalid and own host names."""
    name = website_domain(text)
    if len(name) > _MAX_NAME_LENGTH:
        raise invalid("bad_host", f"A domain has at most {_MAX_NAME_LENGTH} characters.", "domain")
    if any(name == own or name.endswith(f".{own}") for own in own_hosts):
        raise invalid("own_host", f"{name} belongs to this installation.", "domain")
    return name


def add(
    domain_id: UUID, former: Domain | None, website: Website | None, *, domain: str, token: str, context: CommandContext
) -> domains.DomainAdded:
    """Adds a domain. `former`: the account's earlier domain of that name, which restarts with a new token."""
    website = require_owned(website, context)
    if former is not None and not former.is_over(context.at):
        raise conflict("domain_exists", f"{domain} is already added.", "domain")
    return domains.DomainAdded(
        **event_metadata(domain_id, former.version if former else 0, context),
        account_id=website.account_id,
        website_id=website.id,
        domain=domain,
        token=token,
        expires_at=context.at + VERIFY_WITHIN,
    )


def verify(domain: Domain, host: Host | None, context: CommandContext) -> list[DomainEvent]:
    """Verifies the domain. Raises `CommandRejected` `domain_taken` while another website has it."""
    if domain.is_verified or domain.is_over(context.at):
        return []
    if host is not None and host.domain_id not in (None, domain.id):
        raise conflict("domain_taken", f"{domain.domain} is in use by another website.")
    reserved = domains.HostClaimed(
        **event_metadata(host_id(domain.domain), host.version if host else 0, context),
        account_id=domain.account_id,
        host=domain.domain,
        domain_id=domain.id,
    )
    return [domains.DomainVerified(**next_event(domain, context)), reserved]


def lose(domain: Domain, host: Host | None, missing_since: datetime, context: CommandContext) -> list[DomainEvent]:
    """Marks the domain as lost."""
    if not domain.is_verified:
        return []
    until = context.at + VERIFY_WITHIN
    lost = domains.DomainVerificationLost(**next_event(domain, context), missing_since=missing_since, expires_at=until)
    return [lost, *_released(domain, host, context)]


def tls_seen(domain: Domain, context: CommandContext) -> list[DomainEvent]:
    if domain.ssl or not domain.is_verified:
        return []
    return [domains.DomainTlsSeen(**next_event(domain, context))]


def tls_lost(domain: Domain, problem: str, context: CommandContext) -> list[DomainEvent]:
    if not domain.ssl:
        return []
    return [domains.DomainTlsLost(**next_event(domain, context), account_id=domain.account_id, problem=problem)]


def remove(domain: Domain, host: Host | None, context: CommandContext) -> list[DomainEvent]:
    """Removes the domain for an actor who may: the owner, or the one who disconnects its website."""
    removed = domains.DomainRemoved(**next_event(domain, context))
    return [removed, *_released(domain, host, context)]


def transfer(
    domain: Domain, current: Domain | None, host: Host | None, account_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    """Moves a verified domain to the account that gets its website, with the same record, so that its links go on.
    `current`: that account's earlier domain of this name."""
    id_, version = domain_id(account_id, domain.domain), current.version if current is not None else 0
    added = domains.DomainAdded(
        **event_metadata(id_, version, context),
        account_id=account_id,
        website_id=domain.website_id,
        domain=domain.domain,
        token=domain.token,
        expires_at=context.at + VERIFY_WITHIN,
    )
    reserved = domains.HostClaimed(
        **event_metadata(host_id(domain.domain), host.version if host is not None else 0, context),
        account_id=account_id,
        host=domain.domain,
        domain_id=id_,
    )
    events: list[DomainEvent] = [added, domains.DomainVerified(**event_metadata(id_, version + 1, context)), reserved]
    if domain.ssl:
        events.append(domains.DomainTlsSeen(**event_metadata(id_, version + 2, context)))
    return [*events, domains.DomainRemoved(**next_event(domain, context))]


def require_owned_domain(domain: Domain | None, context: CommandContext) -> Domain:
    """Returns the domain. Raises `CommandRejected` (missing) unless the actor may act for its owner."""
    if domain is None or domain.removed or not context.may_act_for(domain.account_id):
        raise not_found("domain")
    return domain


def new_token() -> str:
    """Returns 160 random bits. The token is public: it proves who wrote the record."""
    return secrets.token_hex(20)


evolve: Final = (
    Evolution(Domain)
    .begins(domains.DomainAdded, at="added_at")
    .follows(domains.DomainVerified, at="verified_at", lost_at=None)
    .follows(domains.DomainVerificationLost, at="lost_at", verified_at=None, ssl=False)
    .follows(domains.DomainTlsSeen, ssl=True)
    .follows(domains.DomainTlsLost, but="account_id", ssl=False)
    .follows(domains.DomainRemoved, removed=True, verified_at=None, ssl=False)
)


evolve_host: Final = Evolution(Host).begins(domains.HostClaimed).begins(domains.HostReleased, domain_id=None)


def _released(domain: Domain, host: Host | None, context: CommandContext) -> list[DomainEvent]:
    if host is None or host.domain_id != domain.id:
        return []
    return [domains.HostReleased(**event_metadata(host_id(domain.domain), host.version, context))]
