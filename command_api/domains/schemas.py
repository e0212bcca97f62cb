"""Bodies and answers of the calls for custom domains."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.domains.model import Domain
from command_api.domains.verification import CheckRecord
from command_api.kernel.http import RequestModel
from schemas.custom_domains import record_name
from schemas.http.responses import ResponseModel


class AddDomain(RequestModel):
    """A host name, and the website whose links it serves."""

    domain: Annotated[str, Field(max_length=300)]
    website_id: Annotated[UUID, Field(strict=False)]


class CheckedDomain(ResponseModel):
    """A custom domain. The token is public: it belongs into a TXT record at `verificationName`."""

    id: UUID
    domain: str
    website_id: UUID
    is_verified: bool
    ssl_enabled: bool
    verification_token: str
    verification_name: str
    state: str = Field(description="pending, verified, lost or expired")
    added_at: datetime
    verified_at: datetime | None
    last_checked_at: datetime | None
    expires_at: datetime | None = Field(description="Deadline for the record; null once verified")
    problem: str | None = Field(description="Problem that the last check found")


def to_response(domain: Domain, record: CheckRecord, at: datetime) -> CheckedDomain:
    return CheckedDomain.of(
        domain,
        ssl_enabled=domain.ssl,
        verification_token=domain.token,
        verification_name=record_name(domain.domain),
        state=domain.state(at),
        last_checked_at=record.checked_at,
        expires_at=None if domain.is_verified else domain.expires_at,
        problem=record.problem,
    )
