"""Command handlers of escrows: what the two sides, admins, time and the provider do."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import structlog

from command_api.kernel.aggregates import require_found
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext, conflict, not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace import offers, timeouts
from command_api.marketplace.escrow import commands
from command_api.marketplace.escrow import model as escrows
from command_api.marketplace.escrow.model import Escrow
from command_api.marketplace.listings.schemas import money
from command_api.marketplace.schemas import EscrowState, escrow_state
from infra.domain.escrow_provider import TransactionState
from schemas.base import DomainEvent, Money

HANDLERS: Final = CommandHandlers()

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@HANDLERS.on(commands.Deliver, senders="accounts")
def deliver(command: commands.Deliver, uow: UnitOfWork) -> EscrowState:
    escrow = _deal(uow, command.offer_id)
    return escrow_state(uow.advance(escrows.evolve, escrow, escrows.deliver(escrow, uow.context)))


@HANDLERS.on(commands.ConfirmReceipt, senders="accounts")
def confirm_receipt(command: commands.ConfirmReceipt, uow: UnitOfWork) -> EscrowState:
    escrow = _deal(uow, command.offer_id)
    return escrow_state(uow.advance(escrows.evolve, escrow, escrows.confirm_receipt(escrow, uow.context)))


@HANDLERS.on(commands.AcceptDelivery, senders="accounts")
def accept_delivery(command: commands.AcceptDelivery, uow: UnitOfWork) -> EscrowState:
    escrow = _deal(uow, command.offer_id)
    return escrow_state(uow.advance(escrows.evolve, escrow, escrows.accept(escrow, uow.context)))


@HANDLERS.on(commands.DisputeDeal, senders="accounts")
def dispute_deal(command: commands.DisputeDeal, uow: UnitOfWork) -> EscrowState:
    escrow = _deal(uow, command.offer_id)
    return escrow_state(uow.advance(escrows.evolve, escrow, escrows.dispute(escrow, command.text, uow.context)))


@HANDLERS.on(commands.CancelDeal, senders="accounts")
def cancel_deal(command: commands.CancelDeal, uow: UnitOfWork) -> EscrowState:
    escrow = _deal(uow, command.offer_id)
    return escrow_state(uow.advance(escrows.evolve, escrow, escrows.cancel(escrow, uow.context)))


@HANDLERS.on(commands.DecideDispute, senders="admins")
def decide_dispute(command: commands.DecideDispute, uow: UnitOfWork) -> EscrowState:
    escrow, fields = _deal(uow, command.offer_id), command.fields
    to_seller = money(fields.to_seller).amount if fields.to_seller is not None else None
    decided = escrows.decide(escrow, fields.outcome, to_seller, fields.reason, uow.context)
    return escrow_state(uow.advance(escrows.evolve, escrow, decided))


@HANDLERS.on(commands.AdvanceEscrow, senders="system")
def advance_escrow(command: commands.AdvanceEscrow, uow: UnitOfWork) -> None:
    escrow = uow.load(command.escrow_id, escrows.evolve)
    events = escrows.after_time(escrow, uow.context) if escrow is not None else []
    if events:
        uow.append(*events)
    elif escrow is not None:  # the timeout is outdated
        uow.set_timeout(timeouts.ESCROW_DEADLINE, escrow.id, escrow.due_at)


@HANDLERS.on(commands.RecordEscrowCall, senders="system")
def record_escrow_call(command: commands.RecordEscrowCall, uow: UnitOfWork) -> None:
    escrow, opened = require_found(uow.load(command.escrow_id, escrows.evolve), "offer"), command.opened
    if opened is not None:
        reference, url = opened.reference, opened.payment_url
        uow.append(*escrows.opened(escrow, reference, url, uow.context, is_trial=opened.is_trial))
    uow.cursor.execute("DELETE FROM marketplace.escrow_call WHERE number = %s", (command.number,))
    if uow.select("SELECT FROM marketplace.escrow_call WHERE escrow_id = %s AND state = 'waiting' LIMIT 1", escrow.id):
        uow.set_timeout(timeouts.ESCROW_CALLS, escrow.id, uow.context.at)


@HANDLERS.on(commands.RecordEscrowStatus, senders="system")
def record_escrow_status(command: commands.RecordEscrowStatus, uow: UnitOfWork) -> None:
    """Records the provider's status. A payout that it has not executed is requested again; the call is idempotent."""
    escrow, state = require_found(uow.load(command.escrow_id, escrows.evolve), "offer"), command.state
    events = _after_status(escrow, state, uow.context)
    if events:
        log.warning("escrow_webhook_missing", escrow_id=escrow.id, status=state.status)
        uow.append(*events)
    elif state.status == "funded" and escrow.awaits_payout:
        uow.cursor.execute(_SETTLE_AGAIN, (escrow.id, escrow.to_seller, escrow.to_buyer))
        uow.set_timeout(timeouts.ESCROW_CALLS, escrow.id, uow.context.at)


@HANDLERS.on(commands.RecordEscrowMessage, senders="system")
def record_escrow_message(command: commands.RecordEscrowMessage, uow: UnitOfWork) -> None:
    if uow.select("SELECT FROM marketplace.escrow_message WHERE id = %s", command.message_id):
        return
    data = command.message.data
    escrow = uow.load(data.reference, escrows.evolve)
    if escrow is None:
        raise not_found("transaction")
    if Money(amount=data.amount, currency=data.currency) != escrow.price:
        raise conflict("wrong_amount", "This is not the amount that was agreed on.", "amount")
    if command.message.type == "transaction.funded":
        events = escrows.funded(escrow, data.id, escrow.price, uow.context)
    else:
        events = escrows.settled(escrow, data.id, data.to_seller, data.to_buyer, uow.context)
    uow.append(*events)
    # Of two concurrent copies one fails here and finds on its retry that the message was processed.
    uow.cursor.execute("INSERT INTO marketplace.escrow_message (id) VALUES (%s)", (command.message_id,))


@HANDLERS.on(commands.RetryEscrowCalls, senders="admins")
def retry_escrow_calls(command: commands.RetryEscrowCalls, uow: UnitOfWork) -> None:
    if uow.cursor.execute(_RETRY, (command.escrow_id,)).rowcount == 0:
        raise not_found("call")
    uow.set_timeout(timeouts.ESCROW_CALLS, command.escrow_id, uow.context.at)


def _deal(uow: UnitOfWork, offer_id: UUID) -> Escrow:
    """Returns the escrow of an offer. Raises `CommandRejected` (missing)."""
    offer = uow.load(offer_id, offers.evolve)
    escrow_id = offer.escrow_id if offer is not None and not offer.is_direct else None
    return require_found(uow.load(escrow_id, escrows.evolve) if escrow_id is not None else None, "offer")


def _after_status(escrow: Escrow, state: TransactionState, context: CommandContext) -> list[DomainEvent]:
    match state.status:
        case "funded":
            price = Money(amount=state.amount, currency=state.currency)
            return escrows.funded(escrow, state.reference, price, context)
        case "settled":
            return escrows.settled(escrow, state.reference, state.to_seller, state.to_buyer, context)
        case _:
            return []


_SETTLE_AGAIN: Final = (
    "INSERT INTO marketplace.escrow_call (escrow_id, step, to_seller, to_buyer) VALUES (%s, 'settle', %s, %s)"
    " ON CONFLICT (escrow_id, step) DO NOTHING"
)
_RETRY: Final = (
    "UPDATE marketplace.escrow_call SET state = 'waiting', next_at = now(), attempts = 0 WHERE escrow_id = %s"
)
