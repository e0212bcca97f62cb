"""`/api/platform/conversions/{id}/approve|reject|reverse`: for the website's owner, or an admin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Response
from pydantic import Field

from command_api.commands import Decided
from command_api.conversions import model
from command_api.conversions.tally import counted
from command_api.http import Answer, Body, Id, Run, Runs
from command_api.partners import model as partners
from command_api.policies import decide as policy
from command_api.policies.clicks import NoClicks
from command_api.policies.reading import Reading
from command_api.websites import model as websites
from schemas.base import DomainEvent
from schemas.base import Money as MoneyValue

router = APIRouter(prefix="/api/platform/conversions", tags=["conversions"])

Text = Annotated[str, Field(max_length=1000)]


class Approve(Body):
    """Nothing more is needed."""


class Reject(Body):
    reason: Text


class Reverse(Body):
    reason: Text
    amount: Annotated[int | None, Field(description="Minor units of the sale; none: all that is left")] = None


class Money(Answer):
    """Integer minor units and an ISO 4217 code."""

    amount: int
    currency: str


class Conversion(Answer):
    id: UUID
    website_id: UUID
    partner_id: UUID | None
    partner_name: str | None
    link_id: UUID | None
    click_id: str | None
    event: str
    txid: str
    status: str
    amount: Money
    commission: Annotated[Money, Field(description="What is still earned, reversals taken off")]
    reversed: Annotated[Money, Field(description="The part of the sale that was taken back")]
    reason: str | None
    attribution: str | None
    occurred_at: datetime
    recorded_at: datetime
    decided_at: datetime | None
    approves_at: Annotated[datetime | None, Field(description="When it is approved by itself; null: never")]
    payable_at: Annotated[datetime | None, Field(description="From when on it may be paid out; null: not earned")]


Decide = Callable[[model.Conversion], Sequence[DomainEvent]]
DecideFor = Callable[[model.Conversion, websites.Website], Sequence[DomainEvent]]


@router.post("/{id}/approve", response_model=Conversion)
def approve_conversion(conversion_id: Id, run: Runs, body: Approve | None = None) -> Response:
    """The commission is earned."""
    return _change(conversion_id, body, run, lambda conversion: model.approve(conversion, run.asked))


@router.post("/{id}/reject", response_model=Conversion)
def reject_conversion(conversion_id: Id, body: Reject, run: Runs) -> Response:
    """The conversion earns nothing."""
    return _change(conversion_id, body, run, lambda conversion: model.reject(conversion, body.reason, run.asked))


@router.post("/{id}/reverse", response_model=Conversion)
def reverse_conversion(conversion_id: Id, body: Reverse, run: Runs) -> Response:
    """Takes the sale back, whole or in part; the commission follows in proportion."""
    return _change(
        conversion_id, body, run, lambda conversion: model.reverse(conversion, body.reason, body.amount, run.asked)
    )


@router.post("/{id}/adjustment/accept", response_model=Conversion)
def accept_adjustment(conversion_id: Id, run: Runs, body: Approve | None = None) -> Response:
    """The click that came after the approval earns the conversion."""
    reading = Reading(run.core, NoClicks(), b"")

    def decide(conversion: model.Conversion, website: websites.Website) -> Sequence[DomainEvent]:
        return policy.accept_adjustment(conversion, website, reading, run.asked)

    return _change_for(conversion_id, body, run, decide)


@router.post("/{id}/adjustment/dismiss", response_model=Conversion)
def dismiss_adjustment(conversion_id: Id, run: Runs, body: Approve | None = None) -> Response:
    """The conversion stays as it was approved; the same click is not proposed again."""
    return _change(conversion_id, body, run, lambda conversion: model.dismiss_adjustment(conversion, run.asked))


def _change(conversion_id: Id, body: Body | None, run: Run, decide: Decide) -> Response:
    return _change_for(conversion_id, body, run, lambda conversion, _: decide(conversion))


def _change_for(conversion_id: Id, body: Body | None, run: Run, decide: DecideFor) -> Response:
    def decided() -> Decided[Conversion]:
        store = run.core.store
        found = store.load(conversion_id, model.evolve)
        website = store.load(found.facts.website_id, websites.evolve) if found else None
        conversion = model.owned(found, website, run.asked)
        assert website is not None  # noqa: S101 - nobody owns a conversion without its website
        events = decide(conversion, website)
        for event in events:
            conversion = model.evolve(conversion, event)
        return Decided(events, _shown(conversion, run), counted(events))

    return run(decided, body)


def _shown(conversion: model.Conversion, run: Run) -> Conversion:
    facts = conversion.facts
    attribution = facts.attribution
    partner = run.core.store.load(attribution.partner_id, partners.evolve) if attribution else None
    sale = facts.amount
    return Conversion(
        id=conversion.id,
        website_id=facts.website_id,
        partner_id=attribution.partner_id if attribution else None,
        partner_name=partner.name if partner else None,
        link_id=attribution.link_id if attribution else None,
        click_id=(attribution.click_id or None) if attribution else None,
        event=facts.event,
        txid=facts.txid,
        status=conversion.status.value,
        amount=_money(sale),
        commission=Money(amount=conversion.net_commission, currency=conversion.currency),
        reversed=Money(amount=conversion.reversed_amount, currency=sale.currency),
        reason=conversion.reason,
        attribution=attribution.by.value if attribution else None,
        occurred_at=facts.occurred_at,
        recorded_at=conversion.recorded_at,
        decided_at=conversion.decided_at,
        approves_at=conversion.approves_at,
        payable_at=conversion.payable_at,
    )


def _money(money: MoneyValue) -> Money:
    return Money(amount=money.amount, currency=money.currency)
