"""Commands of custom domains."""

from __future__ import annotations

from uuid import UUID

from command_api.domains import schemas
from command_api.domains.dns_check import DnsResult
from command_api.kernel.command_handlers import Command
from schemas.http.domains import CustomDomain


class AddDomain(Command[CustomDomain]):
    """Adds a domain for a website of the sender. It works once its TXT record is found."""

    fields: schemas.AddDomain


class RemoveDomain(Command[None]):
    """Removes a domain: links stop working under it, and another website can add it."""

    domain_id: UUID


class RecordDomainCheck(Command[CustomDomain]):
    """Evaluates a check and stores its outcome: events, check record and notice to the owner."""

    domain_id: UUID
    result: DnsResult
