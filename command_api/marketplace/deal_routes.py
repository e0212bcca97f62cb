"""`/api/marketplace/listings/{id}/offers` and `/api/marketplace/offers/*`: offers, their thread, and the escrow."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Response

from command_api.accounts.limits import Limit, charge
from command_api.commands import Decided
from command_api.decision import conflict
from command_api.http import Id, Run, Runs
from command_api.marketplace import escrow as escrows
from command_api.marketplace import offers
from command_api.marketplace.desk import Desk
from command_api.marketplace.escrow import Decision, Escrow
from command_api.marketplace.listing_routes import money
from command_api.marketplace.offers import Offer
from command_api.marketplace.shapes import AcceptOffer, EscrowState, MakeOffer, OfferState, Write
from schemas.base import DomainEvent, Money
from schemas.identity import escrow_id
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/marketplace", tags=["marketplace"])

SEEN_BY: Final = ("offers", "offer_messages", "escrows", "listings", "market_steps")
OFFERS: Final = Limit("offer", timedelta(minutes=3), 20)
MESSAGES: Final = Limit("offer-message", timedelta(seconds=10), 30)

OfferDecision = Callable[[Offer | None], DomainEvent]
EscrowDecision = Callable[[Escrow | None], Decision]


@router.post("/listings/{id}/offers", status_code=201, response_model=OfferState)
def send_offer(id_: Id, body: MakeOffer, run: Runs) -> Response:
    """Offers a price; one open offer of a buyer for a listing."""
    charge(run.core.pool, OFFERS, str(run.person.account_id))
    offer_id = uuid7()

    def decide() -> Decided[OfferState]:
        desk = Desk(run.core)
        sent = offers.send(offer_id, desk.listing(id_), _price(body.price), body.text.strip(), run.asked)
        offer = offers.evolve(None, sent)
        if _has_open(run, offer):
            raise conflict("offer_open", "You have an open offer for this website already.")
        return Decided([sent], _state(offer), desk.send_offer(offer, [sent]).also)

    return run(decide, body, status=201, seen_by=SEEN_BY)


@router.post("/offers/{id}/counter", response_model=OfferState)
def counter_offer(id_: Id, body: MakeOffer, run: Runs) -> Response:
    """Names another price; then it is the other side's turn."""
    charge(run.core.pool, OFFERS, str(run.person.account_id))
    text = body.text.strip()
    return _change(run, id_, lambda offer: offers.counter(offer, _price(body.price), text, run.asked), body)


@router.post("/offers/{id}/accept", response_model=OfferState)
def accept_offer(id_: Id, body: AcceptOffer, run: Runs) -> Response:
    """Agrees on the price and begins the escrow. Of all offers for a listing one can be accepted."""
    offers.party(Desk(run.core).offer(id_), run.asked)  # nobody else learns anything
    if run.core.settings.escrow_url is None:
        raise conflict("no_escrow", "No escrow provider is set up here, so no offer can be accepted yet.")

    def decide() -> Decided[OfferState]:
        desk = Desk(run.core)
        offer = desk.offer(id_)
        escrow = escrow_id(id_)
        found = desk.accept(offer, _price(body.price).amount, escrow, run.asked)
        return Decided(found.events, OfferState(id=id_, status="accepted", escrow_id=escrow), found.also)

    return run(decide, body, seen_by=SEEN_BY)


@router.post("/offers/{id}/decline", response_model=OfferState)
def decline_offer(id_: Id, run: Runs) -> Response:
    return _change(run, id_, lambda offer: offers.decline(offer, run.asked))


@router.post("/offers/{id}/withdraw", response_model=OfferState)
def withdraw_offer(id_: Id, run: Runs) -> Response:
    """The buyer takes the offer back."""
    return _change(run, id_, lambda offer: offers.withdraw(offer, run.asked))


@router.post("/offers/{id}/messages", status_code=201, response_model=OfferState)
def write_message(id_: Id, body: Write, run: Runs) -> Response:
    """Into the thread that the two sides see; admins only once the deal is disputed."""
    charge(run.core.pool, MESSAGES, str(run.person.account_id))

    def decide() -> Decided[OfferState]:
        desk = Desk(run.core)
        offer = desk.offer(id_)
        escrow = desk.escrow(offer.escrow_id) if offer is not None else None
        is_disputed = escrow is not None and escrow.was_disputed
        written = offers.write(offer, body.text, run.asked, is_disputed=is_disputed)
        after = offers.evolve(offer, written)
        return Decided([written], _state(after))

    return run(decide, body, status=201, seen_by=SEEN_BY)


@router.post("/offers/{id}/escrow/deliver", response_model=EscrowState)
def deliver(id_: Id, run: Runs) -> Response:
    """The seller: the website is handed over."""
    return _move(run, id_, lambda escrow: escrows.deliver(escrow, run.asked))


@router.post("/offers/{id}/escrow/confirm-receipt", response_model=EscrowState)
def confirm_receipt(id_: Id, run: Runs) -> Response:
    """The buyer: I have it; the inspection begins."""
    return _move(run, id_, lambda escrow: escrows.confirm_receipt(escrow, run.asked))


@router.post("/offers/{id}/escrow/accept", response_model=EscrowState)
def accept_delivery(id_: Id, run: Runs) -> Response:
    """The buyer: it is as agreed; the provider is asked to pay the seller."""
    return _move(run, id_, lambda escrow: escrows.accept(escrow, run.asked))


@router.post("/offers/{id}/escrow/dispute", response_model=EscrowState)
def dispute(id_: Id, body: Write, run: Runs) -> Response:
    """Either side: something is wrong. An admin reads the thread and decides."""
    return _move(run, id_, lambda escrow: escrows.dispute(escrow, body.text, run.asked), body)


@router.post("/offers/{id}/escrow/cancel", response_model=EscrowState)
def cancel_deal(id_: Id, run: Runs) -> Response:
    """Either side, while nobody has paid."""
    return _move(run, id_, lambda escrow: escrows.cancel(escrow, run.asked))


def move_escrow(run: Run, offer_id: UUID, decision: EscrowDecision, body: Any = None) -> Response:
    """Runs one decision about an escrow."""

    def decide() -> Decided[EscrowState]:
        desk = Desk(run.core)
        escrow = desk.deal(offer_id)
        events, call = decision(escrow)
        found = desk.after_escrow(escrow, events, call, run.asked)
        for event in events:
            escrow = escrows.evolve(escrow, event)
        return Decided(found.events, EscrowState(id=escrow.id, status=escrow.status), found.also)

    return run(decide, body, seen_by=SEEN_BY)


def _move(run: Run, offer_id: UUID, decision: EscrowDecision, body: Any = None) -> Response:
    offers.party(Desk(run.core).offer(offer_id), run.asked)  # nobody else learns whether there is an escrow
    return move_escrow(run, offer_id, decision, body)


def _change(run: Run, offer_id: UUID, decision: OfferDecision, body: Any = None) -> Response:
    def decide() -> Decided[OfferState]:
        desk = Desk(run.core)
        offer = desk.offer(offer_id)
        event = decision(offer)
        after = offers.evolve(offer, event)
        other = after.seller_id if run.asked.account_id == after.buyer_id else after.buyer_id
        return Decided([event], _state(after), desk.after_offer(after, [event], other).also)

    return run(decide, body, seen_by=SEEN_BY)


def _has_open(run: Run, offer: Offer) -> bool:
    with run.core.pool.connection() as connection:
        row = connection.execute(
            "SELECT 1 FROM policy.offer WHERE listing_id = %s AND buyer_id = %s", (offer.listing_id, offer.buyer_id)
        ).fetchone()
    return row is not None


def _price(dollars: int) -> Money:
    found = money(dollars)
    assert found is not None  # noqa: S101 - money is none only for none
    return found


def _state(offer: Offer) -> OfferState:
    return OfferState(id=offer.id, status=offer.status, escrow_id=offer.escrow_id)
