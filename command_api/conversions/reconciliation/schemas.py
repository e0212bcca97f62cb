"""Request and response models of accepted reconciliations."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from schemas.http.responses import ResponseModel

Id = Annotated[UUID, Field(strict=False)]


class MonthOfPartner(RequestModel):
    """A partner's month at a website."""

    website_id: Id
    partner_id: Id
    month: Annotated[str, Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$", description="YYYY-MM")]


class AcceptMonth(MonthOfPartner):
    """The month, and the figures that are accepted."""

    fingerprint: Annotated[str, Field(pattern="^[0-9a-f]{64}$", description="As the reconciliation answers it")]


class MonthAcceptance(ResponseModel):
    """Whether figures of the month are accepted."""

    website_id: UUID
    partner_id: UUID
    month: str
    fingerprint: str | None = Field(description="Of the accepted figures; null: none are")
