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
from schemas.http.domains import CustomDomain


class AddDomain(RequestModel):
    """A host name, and the website whose links it serves."""

    domain: Annotated[str, Field(max_length=300)]
    website_id: Annotated[UUID, Field(strict=False)]


def to_response(domain: Domain, record: CheckRecord, at: datetime) -> CustomDomain:
    return CustomDomain.of(
        domain,
        ssl_enabled=domain.ssl,
        verification_token=domain.token,
        verification_name=record_name(domain.domain),
        state=domain.state(at),
        last_checked_at=record.checked_at,
        expires_at=None if domain.is_verified else domain.expires_at,
        problem=record.problem,
    )
