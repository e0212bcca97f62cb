"""Exchange rates and dead letters as both APIs answer them."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal
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
