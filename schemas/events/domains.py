"""Events of custom domains: host names of a publisher's own under which a website's links are served.

A domain is one aggregate per account and host name. The name itself is guarded by an aggregate of its own (`host.*`),
so that at most one website has it, even if another account could prove it as well.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Personal


class DomainAdded(DomainEvent):
    """An account added a host name for a website's links; it must still prove that it owns the name.

    The token is stored in plain text: its owner publishes it in the DNS, where everybody can read it.
    """

    NAME: ClassVar[str] = "domain.added"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    website_id: UUID
    domain: Personal[str] = Field(description="Host name, lower case, IDNA-encoded")
    token: str = Field(min_length=32, description="Content of the TXT record")
    expires_at: datetime = Field(description="When an unproven one expires")


class DomainVerified(DomainEvent):
    """The record was found: the website's links are served under the name from now on."""

    NAME: ClassVar[str] = "domain.verified"


class DomainVerificationLost(DomainEvent):
    """The record was missing for a week: the name may have another owner now and is no longer served."""

    NAME: ClassVar[str] = "domain.verification_lost"
    missing_since: datetime
    expires_at: datetime = Field(description="Until when a restored record is detected")


class DomainTlsSeen(DomainEvent):
    """The tracking API answered under the name with a certificate that is valid for it."""

    NAME: ClassVar[str] = "domain.tls_seen"


class DomainTlsLost(DomainEvent):
    """The tracking API no longer answers under the name with a valid certificate."""

    NAME: ClassVar[str] = "domain.tls_lost"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID | None = Field(default=None, description="The owner; none: from before the problem was encrypted")
    problem: Personal[str]


class DomainRemoved(DomainEvent):
    """The owner removed the name, or the website or the account was removed."""

    NAME: ClassVar[str] = "domain.removed"


class HostClaimed(DomainEvent):
    """A host name belongs to one domain; no other can use it until it is released."""

    NAME: ClassVar[str] = "host.claimed"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID | None = Field(default=None, description="The owner; none: from before the host was encrypted")
    host: Personal[str]
    domain_id: UUID


class HostReleased(DomainEvent):
    """The host name is available again."""

    NAME: ClassVar[str] = "host.released"
