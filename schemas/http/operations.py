"""Exchange rates, dead letters and audit entries as the APIs answer them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from schemas.http.responses import ResponseModel

State = Literal["open", "retried", "skipped", "superseded"]


class ExchangeRate(ResponseModel):
    """From `on` (UTC) on, one major unit of `base` is worth `rate` major units of `quote`."""

    base: str
    quote: str
    on: date
    rate: str = Field(description="Decimal number")


class LetterHead(ResponseModel):
    """What every view of a dead letter has."""

    id: UUID
    projection: str
    generation: int
    topic: str
    partition: int
    offset: int
    reason: str
    error: str
    bytes: int
    first_at: datetime
    attempts: int
    state: State


class AuditEntry(ResponseModel):
    """An action that was done or rejected. Names are empty for unknown or erased accounts."""

    seq: int
    at: datetime
    action: str
    outcome: str
    actor_id: UUID | None
    actor_name: str
    account_id: UUID | None = Field(description="The account that is affected")
    account_name: str
    subject_id: UUID | None = Field(description="What else is affected: a website, an invite, a partner")
    address: str = Field(description="Truncated to /24 or /48")
    device: str
    details: dict[str, Any]
