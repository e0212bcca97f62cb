"""Consequences of an escrow's events: the listing, timeouts, calls to the provider, mails."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import Appended, StateChange
from command_api.marketplace import timeouts
from command_api.marketplace.consequences import send_deal_news, update_listing
from command_api.marketplace.escrow import model as escrows
from command_api.marketplace.escrow.model import Escrow
from schemas.events.marketplace import EscrowAgreed

STATUS_CHECK_INTERVAL: Final = timedelta(minutes=10)
"""Interval of status checks of an escrow that awaits the provider (`reconciliation`)."""

HANDLERS: Final = CommandHandlers()


@HANDLERS.after_change(EscrowAgreed, escrows.evolve)
def follow_escrow(change: StateChange[Escrow], uow: Appended) -> None:
    """Updates the listing, sets the timeouts, queues the calls to the provider and notifies both sides."""
    earlier, escrow, events = change
    if earlier is None or not earlier.is_over:
        for event in events:
            update_listing(uow, escrow, event)
    _set_timeouts(uow, escrow)
    for call in (call for event in events if (call := escrows.call_after(escrow, event)) is not None):
        uow.cursor.execute(_SAVE_CALL, (escrow.id, call.step, call.to_seller, call.to_buyer))
        uow.set_timeout(timeouts.ESCROW_CALLS, escrow.id, uow.context.at)
    for event in events:
        send_deal_news(uow, escrow, event)


def _set_timeouts(uow: Appended, escrow: Escrow) -> None:
    if escrow.is_over and not (escrow.money_came_late and escrow.status == "cancelled"):
        uow.set_timeout(timeouts.ESCROW_DEADLINE, escrow.id, None)
        uow.set_timeout(timeouts.ESCROW_STATUS, escrow.id, None)
        if escrow.status != "cancelled":  # also removes inconsistent status checks
            uow.cursor.execute(
                "DELETE FROM marketplace.escrow_call WHERE escrow_id = %s AND step = 'look'", (escrow.id,)
            )
    else:
        ask_at = uow.context.at + STATUS_CHECK_INTERVAL if escrow.awaits_provider else None
        uow.set_timeout(timeouts.ESCROW_DEADLINE, escrow.id, escrow.due_at)
        uow.set_timeout(timeouts.ESCROW_STATUS, escrow.id, ask_at)


_SAVE_CALL: Final = "INSERT INTO marketplace.escrow_call (escrow_id, step, to_seller, to_buyer) VALUES (%s, %s, %s, %s)"
