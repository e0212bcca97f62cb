"""`/api/marketplace/listings/{id}/offers` and `/api/marketplace/offers/*`: offers, their thread, and the escrow."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Response

from command_api.kernel.http import Id, Runs
from command_api.kernel.rate_limits import Limit, consume
from command_api.marketplace import commands
from command_api.marketplace.escrow import commands as escrow_commands
from command_api.marketplace.schemas import AcceptOffer, EscrowState, MakeOffer, OfferState, TransferState, Write
from infra.kernel.http.route_costs import MONEY, routes_of
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/marketplace", tags=["marketplace"], route_class=routes_of(MONEY))

OFFERS: Final = Limit("offer", timedelta(minutes=3), 20)
MESSAGES: Final = Limit("offer-message", timedelta(seconds=10), 30)


@router.post("/listings/{id}/offers", status_code=201, response_model=OfferState)
def send_offer(id_: Id, body: MakeOffer, run: Runs) -> Response:
    """Offers a price; one open offer of a buyer for a listing."""
    consume(run.container.pool, OFFERS, str(run.person.account_id))
    return run(commands.SendOffer(uuid7(), id_, body), body, status=201, is_consistent=True)


@router.post("/offers/{id}/counter", response_model=OfferState)
def counter_offer(id_: Id, body: MakeOffer, run: Runs) -> Response:
    """Makes a counter-offer; the other side answers next."""
    consume(run.container.pool, OFFERS, str(run.person.account_id))
    return run(commands.CounterOffer(id_, body), body, is_consistent=True)


@router.post("/offers/{id}/accept", response_model=OfferState)
def accept_offer(id_: Id, body: AcceptOffer, run: Runs) -> Response:
    """Accepts the price and starts the escrow, or the direct deal. Only one offer for a listing can be accepted."""
    return run(commands.AcceptOffer(id_, body), body, is_consistent=True)


@router.post("/offers/{id}/decline", response_model=OfferState)
def decline_offer(id_: Id, run: Runs) -> Response:
    return run(commands.DeclineOffer(id_), is_consistent=True)


@router.post("/offers/{id}/withdraw", response_model=OfferState)
def withdraw_offer(id_: Id, run: Runs) -> Response:
    """Withdraws the buyer's offer."""
    return run(commands.WithdrawOffer(id_), is_consistent=True)


@router.post("/offers/{id}/messages", status_code=201, response_model=OfferState)
def write_message(id_: Id, body: Write, run: Runs) -> Response:
    """Adds a message to the thread. Visible to the two sides, and to admins once the deal is disputed."""
    consume(run.container.pool, MESSAGES, str(run.person.account_id))
    return run(commands.WriteMessage(id_, body.text), body, status=201, is_consistent=True)


@router.post("/offers/{id}/escrow/deliver", response_model=EscrowState)
def deliver(id_: Id, run: Runs) -> Response:
    """For the seller: confirms the transfer of the website."""
    return run(escrow_commands.Deliver(id_), is_consistent=True)


@router.post("/offers/{id}/escrow/confirm-receipt", response_model=EscrowState)
def confirm_receipt(id_: Id, run: Runs) -> Response:
    """For the buyer: confirms receipt; the inspection starts."""
    return run(escrow_commands.ConfirmReceipt(id_), is_consistent=True)


@router.post("/offers/{id}/escrow/accept", response_model=EscrowState)
def accept_delivery(id_: Id, run: Runs) -> Response:
    """For the buyer: accepts the website; the provider is instructed to pay the seller."""
    return run(escrow_commands.AcceptDelivery(id_), is_consistent=True)


@router.post("/offers/{id}/escrow/dispute", response_model=EscrowState)
def dispute(id_: Id, body: Write, run: Runs) -> Response:
    """For either side: opens a dispute. An admin reads the thread and decides."""
    return run(escrow_commands.DisputeDeal(id_, body.text), body, is_consistent=True)


@router.post("/offers/{id}/direct/confirm", response_model=EscrowState)
def confirm_direct_deal(id_: Id, run: Runs) -> Response:
    """For either side of a direct deal: money and website were handed over. With both, the website is sold."""
    return run(commands.ConfirmDirectDeal(id_), is_consistent=True)


@router.post("/offers/{id}/direct/dispute", response_model=EscrowState)
def dispute_direct_deal(id_: Id, body: Write, run: Runs) -> Response:
    """For either side of a direct deal. An admin reads the thread and records how the deal ended."""
    return run(commands.DisputeDirectDeal(id_, body.text), body, is_consistent=True)


@router.post("/offers/{id}/direct/cancel", response_model=EscrowState)
def cancel_direct_deal(id_: Id, run: Runs) -> Response:
    """For either side of a direct deal, before the first confirmation."""
    return run(commands.CancelDirectDeal(id_), is_consistent=True)


@router.post("/offers/{id}/transfer/propose", response_model=TransferState)
def propose_transfer(id_: Id, run: Runs) -> Response:
    """For the seller of a sold website: agrees that it moves to the buyer with its history."""
    consume(run.container.pool, OFFERS, str(run.person.account_id))
    return run(commands.ProposeTransfer(id_), is_consistent=True)


@router.post("/offers/{id}/transfer/withdraw", response_model=TransferState)
def withdraw_transfer(id_: Id, run: Runs) -> Response:
    """For the seller, until the buyer has agreed."""
    return run(commands.WithdrawTransfer(id_), is_consistent=True)


@router.post("/offers/{id}/transfer/decline", response_model=TransferState)
def decline_transfer(id_: Id, run: Runs) -> Response:
    """For the buyer: the website stays with the seller, who may propose the transfer again."""
    return run(commands.DeclineTransfer(id_), is_consistent=True)


@router.post("/offers/{id}/transfer/accept", response_model=TransferState)
def accept_transfer(id_: Id, run: Runs) -> Response:
    """For the buyer: the website moves now. This is final."""
    return run(commands.AcceptTransfer(id_), is_consistent=True)


@router.post("/offers/{id}/escrow/cancel", response_model=EscrowState)
def cancel_deal(id_: Id, run: Runs) -> Response:
    """For either side, before payment."""
    return run(escrow_commands.CancelDeal(id_), is_consistent=True)
