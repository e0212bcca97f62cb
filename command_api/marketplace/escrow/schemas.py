"""Request models of escrows, and the messages of their provider."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from command_api.kernel.http import RequestModel
from command_api.marketplace.fields import Dollars, Reason
from schemas.events.marketplace import (
    Outcome,
)


class Decide(RequestModel):
    """An admin's decision of a dispute. Amounts are whole US dollars."""

    outcome: Outcome
    to_seller: Dollars | None = Field(default=None, description="Of a split; the rest goes back")
    reason: Reason


class MessageType(BaseModel):
    """The field that every message of the escrow provider has."""

    model_config = ConfigDict(frozen=True)

    type: str


class TransactionData(BaseModel):
    """Status of a transaction; unknown fields are ignored."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    id: str = Field(max_length=200)
    reference: UUID
    amount: int = Field(ge=0, le=2**53)
    currency: str = Field(pattern="^[A-Z]{3}$")
    to_seller: int = 0
    to_buyer: int = 0


class TransactionMessage(MessageType):
    """A message that changes an escrow; every other type is acknowledged and ignored."""

    type: Literal["transaction.funded", "transaction.settled"]
    data: TransactionData
