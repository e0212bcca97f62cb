"""Given a state, when events follow it or fields are copied from it, then each value is where its name says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

from command_api.kernel.aggregates import advanced, first_event, next_event, require_found, shared_fields, state_after
from command_api.kernel.decision import CommandContext
from schemas.base import Money
from schemas.events.marketplace import EscrowAgreed, EscrowInspectionBegan
from schemas.evolution import UnexpectedEvent
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 23, tzinfo=UTC)
CONTEXT = CommandContext(NOW, uuid4())


@dataclass(frozen=True)
class Deal:
    id: UUID
    version: int
    offer_id: UUID | None = None
    price: Money | None = None


DEAL = Deal(uuid4(), 4)
BEGAN = EscrowInspectionBegan(**next_event(DEAL, CONTEXT), until=NOW)


def test_the_next_event_follows_the_state_and_the_events_before_it() -> None:
    assert (BEGAN.originator_id, BEGAN.originator_version, BEGAN.actor_id) == (DEAL.id, 5, CONTEXT.account_id)
    assert next_event(DEAL, CONTEXT, after=2)["originator_version"] == 7
    assert first_event(DEAL.id, CONTEXT)["originator_version"] == 1


def test_a_state_advances_with_its_events_and_never_begins_with_a_later_one() -> None:
    assert state_after(advanced, DEAL, [BEGAN]).version == 5
    with pytest.raises(UnexpectedEvent):
        advanced(None, BEGAN)


def test_what_is_missing_is_not_found() -> None:
    assert require_found(DEAL, "deal") is DEAL
    given().when(require_found, None, "deal").then(rejected(says="Deal not found"))


def test_fields_are_copied_by_name_alone() -> None:
    price = Money(amount=7, currency="USD")
    sides = {name: uuid4() for name in ("offer_id", "listing_id", "seller_id", "buyer_id")}
    agreed = EscrowAgreed(**first_event(uuid4(), CONTEXT), **sides, price=price, pay_until=NOW)
    assert shared_fields(agreed, Deal) == {"offer_id": sides["offer_id"], "price": price}
    assert shared_fields(agreed, Deal, but=("price",)) == {"offer_id": sides["offer_id"]}
    assert shared_fields(Deal(uuid4(), 1, None, price), EscrowAgreed) == {"offer_id": None, "price": price}
