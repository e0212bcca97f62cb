"""Stores events of escrows with their consequences: the listing, mails, timeouts, calls to the provider."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from command_api.kernel.aggregates import require_found, state_after
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace import timeouts
from command_api.marketplace.consequences import deal_news, update_listing
from command_api.marketplace.escrow import model as escrows
from command_api.marketplace.escrow.model import Call, Escrow
from schemas.base import DomainEvent

STATUS_CHECK_INTERVAL: Final = timedelta(minutes=10)
"""Interval of status checks of an escrow that awaits the provider (`reconciliation`)."""


def after_escrow(
    uow: UnitOfWork, before: Escrow | None, events: Sequence[DomainEvent], call: Call | None = None
) -> Escrow:
    """Stores events of an escrow, updates its listing, queues the call to the provider and notifies both sides;
    returns the escrow after them."""
    after = require_found(state_after(escrows.evolve, before, events), "offer")
    if not events:
        return after
    news = [mail for event in events for mail in deal_news(uow, after, event)]
    appended = uow.append(*events)
    if before is None or not before.is_over:
        for event in events:
            update_listing(appended, after, event)
    if after.is_over and not (after.money_came_late and after.status == "cancelled"):
        uow.set_timeout(timeouts.ESCROW_DEADLINE, after.id, None)
        uow.set_timeout(timeouts.ESCROW_STATUS, after.id, None)
        if after.status != "cancelled":  # also removes inconsistent status checks
            uow.cursor.execute("DELETE FROM ops.escrow_call WHERE escrow_id = %s AND step = 'look'", (after.id,))
    else:
        ask_at = uow.context.at + STATUS_CHECK_INTERVAL if after.awaits_provider else None
        uow.set_timeout(timeouts.ESCROW_DEADLINE, after.id, after.due_at)
        uow.set_timeout(timeouts.ESCROW_STATUS, after.id, ask_at)
    if call is not None:
        uow.cursor.execute(_SAVE_CALL, (after.id, call.step, call.to_seller, call.to_buyer))
        uow.set_timeout(timeouts.ESCROW_CALLS, after.id, uow.context.at)
    for mail in news:
        uow.send(mail)
    return after


_SAVE_CALL: Final = "INSERT INTO ops.escrow_call (escrow_id, step, to_seller, to_buyer) VALUES (%s, %s, %s, %s)"
