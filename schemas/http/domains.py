"""Custom domains as both APIs answer them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from schemas.http.responses import ResponseModel

State = Literal["pending", "verified", "lost", "expired"]


class CustomDomain(ResponseModel):
    """A custom domain. The token is public: it belongs into a TXT record at `verificationName`."""

    id: UUID
    domain: str
    website_id: UUID
    is_verified: bool
    ssl_enabled: bool
    verification_token: str
    verification_name: str
    state: State
    added_at: datetime
    verified_at: datetime | None
    last_checked_at: datetime | None
    expires_at: datetime | None = Field(description="When the search for the record ends; null once verified")
    problem: str | None = Field(description="Problem that the last check found, as text")
