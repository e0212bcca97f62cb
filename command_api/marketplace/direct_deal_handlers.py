"""Command handlers of direct deals, and of the switch that allows them."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import require_found
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace import commands, direct_deals, offers, timeouts
from command_api.marketplace.direct_deals import DirectDeal
from command_api.marketplace.schemas import DirectDealsState, EscrowState, escrow_state
from schemas.identity import direct_deals_id

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.SwitchDirectDeals, senders="admins")
def switch_direct_deals(command: commands.SwitchDirectDeals, uow: UnitOfWork) -> DirectDealsState:
    switch = uow.load(direct_deals_id(), direct_deals.evolve_switch)
    uow.append(*direct_deals.switch(switch, uow.context, allow=command.allow))
    return DirectDealsState(direct_deals=command.allow)


@HANDLERS.on(commands.ConfirmDirectDeal, senders="accounts")
def confirm_direct_deal(command: commands.ConfirmDirectDeal, uow: UnitOfWork) -> EscrowState:
    deal = _deal(uow, command.offer_id)
    return escrow_state(uow.advance(direct_deals.evolve, deal, direct_deals.confirm(deal, uow.context)))


@HANDLERS.on(commands.DisputeDirectDeal, senders="accounts")
def dispute_direct_deal(command: commands.DisputeDirectDeal, uow: UnitOfWork) -> EscrowState:
    deal = _deal(uow, command.offer_id)
    return escrow_state(uow.advance(direct_deals.evolve, deal, direct_deals.dispute(deal, command.text, uow.context)))


@HANDLERS.on(commands.CancelDirectDeal, senders="accounts")
def cancel_direct_deal(command: commands.CancelDirectDeal, uow: UnitOfWork) -> EscrowState:
    deal = _deal(uow, command.offer_id)
    return escrow_state(uow.advance(direct_deals.evolve, deal, direct_deals.cancel(deal, uow.context)))


@HANDLERS.on(commands.CloseDirectDeal, senders="admins")
def close_direct_deal(command: commands.CloseDirectDeal, uow: UnitOfWork) -> EscrowState:
    deal, fields = _deal(uow, command.offer_id), command.fields
    closed = direct_deals.close(deal, fields.reason, uow.context, is_sold=fields.is_sold)
    return escrow_state(uow.advance(direct_deals.evolve, deal, closed))


@HANDLERS.on(commands.ExpireDirectDeal, senders="system")
def expire_direct_deal(command: commands.ExpireDirectDeal, uow: UnitOfWork) -> None:
    deal = require_found(uow.load(command.deal_id, direct_deals.evolve), "offer")
    events = direct_deals.after_time(deal, uow.context)
    if events:
        uow.append(*events)
    else:  # the timeout is outdated
        uow.set_timeout(timeouts.DIRECT_DEAL_DEADLINE, deal.id, deal.due_at)


def _deal(uow: UnitOfWork, offer_id: UUID) -> DirectDeal:
    """Returns the direct deal of an offer. Raises `CommandRejected` (missing)."""
    offer = require_found(uow.load(offer_id, offers.evolve), "offer")
    if not uow.context.is_admin:
        offers.require_party(offer, uow.context)
    if offer.escrow_id is None or not offer.is_direct:
        raise conflict("no_direct_deal", "This offer has no direct deal.")
    return require_found(uow.load(offer.escrow_id, direct_deals.evolve), "offer")
