"""Amounts of money as both APIs answer them."""

from __future__ import annotations

from pydantic import Field

from schemas.http.responses import ResponseModel


class Amount(ResponseModel):
    """An amount in integer minor units of an ISO 4217 currency (1099 USD = $10.99)."""

    amount: int = Field(description="Minor units")
    currency: str
