"""Commands of escrows."""

from __future__ import annotations

from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.marketplace.commands import DealCommand
from command_api.marketplace.escrow import schemas
from infra.domain.escrow_provider import OpenedTransaction, TransactionState


class Deliver(DealCommand):
    """The seller has handed the website over."""


class ConfirmReceipt(DealCommand):
    """The buyer has the website; the inspection begins."""


class AcceptDelivery(DealCommand):
    """The buyer accepts the website; the provider is asked to pay the seller."""


class DisputeDeal(DealCommand):
    """One side disputes the deal; an admin decides."""

    text: str


class CancelDeal(DealCommand):
    """One side cancels the deal before the payment."""


class DecideDispute(DealCommand):
    """Ends a dispute: release, refund, or a split of the price."""

    fields: schemas.Decide


class AdvanceEscrow(Command[None]):
    """Takes the automatic step of an escrow that is due."""

    escrow_id: UUID


class RecordEscrowCall(Command[None]):
    """The provider has accepted a call. `opened`: its answer to the step `open`."""

    number: int
    escrow_id: UUID
    opened: OpenedTransaction | None


class RecordEscrowStatus(Command[None]):
    """The provider has answered a status check."""

    escrow_id: UUID
    state: TransactionState


class RecordEscrowMessage(Command[None]):
    """The provider has sent a message; a repeated one changes nothing."""

    message_id: str
    message: schemas.TransactionMessage


class RetryEscrowCalls(Command[None]):
    """Retries the calls of an escrow that the provider rejected."""

    escrow_id: UUID
