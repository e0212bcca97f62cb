"""Commands of payouts."""

from __future__ import annotations

from uuid import UUID

from command_api.conversions.payouts import schemas
from command_api.kernel.command_handlers import Command


class PayoutCommand(Command[schemas.PayoutState]):
    """A command about one payout."""

    payout_id: UUID


class RecordPayout(PayoutCommand):
    """Records what a partner paid."""

    body: schemas.RecordPayout


class CorrectPayout(PayoutCommand):
    """Replaces what was recorded wrongly."""

    body: schemas.CorrectPayout


class VoidPayout(PayoutCommand):
    """Takes a payout out of every balance."""

    reason: str


class AttachPayoutFile(PayoutCommand):
    """Adds a file to a payout; it replaces the one before."""

    file_id: UUID
    content: bytes
