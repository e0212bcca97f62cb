"""Inquiries and signups as both APIs answer them."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from schemas.events.leads import InquiryStatus
from schemas.http.responses import ResponseModel


class InquiryState(ResponseModel):
    """How an inquiry stands."""

    id: UUID
    status: InquiryStatus
    assigned_to: UUID | None


class SignupState(ResponseModel):
    """How a signup for early access stands."""

    id: UUID
    place: int | None = Field(description="1 to 10; null while it is on the waiting list")
