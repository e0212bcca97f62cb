"""Responses have attributes with the names of Python and JSON with those of the APIs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import Field

from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

AT = datetime(2026, 5, 17, tzinfo=UTC)


@dataclass(frozen=True)
class State:
    created_at: datetime
    version: int


class Thing(ResponseModel):
    created_at: datetime
    from_: str = Field(alias="from")
    price: Amount


def test_names_are_camel_case_in_json_only() -> None:
    thing = Thing(created_at=AT, from_="here", price=Amount(amount=5, currency="EUR"))
    assert thing.created_at == AT
    assert thing.model_dump(mode="json", by_alias=True) == {
        "createdAt": "2026-05-17T00:00:00Z",
        "from": "here",
        "price": {"amount": 5, "currency": "EUR"},
    }


def test_state_and_row_give_the_same_response() -> None:
    price = {"amount": 5, "currency": "EUR"}
    of_state = Thing.of(State(AT, 3), from_="here", price=price)
    of_row = Thing.of_row({"created_at": AT, "version": 3, "price": None}, from_="here", price=price)
    assert of_state == of_row
