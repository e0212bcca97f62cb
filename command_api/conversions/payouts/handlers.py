"""Command handlers of payouts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from command_api.conversions.payouts import commands, files, model
from command_api.conversions.payouts.model import Payout
from command_api.conversions.payouts.schemas import PayoutInput, PayoutState, payout_state
from command_api.kernel.aggregates import require_found
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.partners import model as partners
from command_api.websites import model as websites
from schemas.base import DomainEvent
from schemas.events.conversions import PayoutAllocation, PayoutFacts
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.RecordPayout, senders="accounts")
def record_payout(command: commands.RecordPayout, uow: UnitOfWork) -> PayoutState:
    body = command.body
    website = websites.require_owned(uow.load(body.website_id, websites.evolve), uow.context)
    # A removed program may still pay what it owes.
    partner = require_found(uow.load(body.partner_id, partners.evolve), "partner")
    if not partner.is_for(website.account_id):
        raise not_found("partner")
    events = model.record(command.payout_id, website.id, partner.id, _facts(body, website, uow), uow.context)
    uow.append(*events)
    return payout_state(model.evolve(None, events[0]))


@HANDLERS.on(commands.CorrectPayout, senders="accounts")
def correct_payout(command: commands.CorrectPayout, uow: UnitOfWork) -> PayoutState:
    payout, website = _owned(command, uow)
    facts = _facts(command.body, website, uow)
    return _append(uow, payout, model.correct(payout, facts, command.body.reason, uow.context))


@HANDLERS.on(commands.VoidPayout, senders="accounts")
def void_payout(command: commands.VoidPayout, uow: UnitOfWork) -> PayoutState:
    payout, _ = _owned(command, uow)
    return _append(uow, payout, model.void(payout, command.reason, uow.context))


@HANDLERS.on(commands.AttachPayoutFile, senders="accounts")
def attach_payout_file(command: commands.AttachPayoutFile, uow: UnitOfWork) -> PayoutState:
    payout, website = _owned(command, uow)
    file = files.describe(command.file_id, command.content)
    events = model.attach(payout, file, uow.context)
    after = _append(uow, payout, events)
    if events:
        files.save(uow, payout.id, website.id, file, command.content)
    return after


@HANDLERS.before(WebsiteDisconnected)
def delete_files(event: WebsiteDisconnected, uow: UnitOfWork) -> None:
    """Deletes the payout files of an erased owner, because they name people."""
    if event.owner_erased:
        uow.cursor.execute("DELETE FROM conversions.payout_file WHERE website_id = %s", (event.originator_id,))


@HANDLERS.before(WebsiteTransferred)
def delete_files_of_seller(event: WebsiteTransferred, uow: UnitOfWork) -> None:
    """Deletes files of payouts, because they can name the seller and a bank account. The payouts themselves are figures
    of the website."""
    for (payout_id,) in uow.select(_WITH_FILE, event.originator_id):
        payout = uow.load(payout_id, model.evolve)
        if payout is not None:
            uow.append(*model.remove_file(payout, uow.context))
    uow.cursor.execute("DELETE FROM conversions.payout_file WHERE website_id = %s", (event.originator_id,))


def _owned(command: commands.PayoutCommand, uow: UnitOfWork) -> tuple[Payout, websites.Website]:
    loaded = uow.load(command.payout_id, model.evolve)
    website = uow.load(loaded.website_id, websites.evolve) if loaded else None
    payout = model.require_owned(loaded, website, uow.context)
    return payout, websites.require_owned(website, uow.context)


def _append(uow: UnitOfWork, payout: Payout, events: Sequence[DomainEvent]) -> PayoutState:
    return payout_state(uow.advance(model.evolve, payout, events))


def _facts(body: PayoutInput, website: websites.Website, uow: UnitOfWork) -> PayoutFacts:
    return model.facts_of(
        website,
        body.amount.amount,
        body.amount.currency,
        body.credited,
        body.paid_on,
        body.reference or "",
        [PayoutAllocation(month=one.month, amount=one.amount) for one in body.allocations or ()],
        uow.context,
    )


_WITH_FILE: Final = "SELECT payout_id FROM conversions.payout_file WHERE website_id = %s ORDER BY payout_id"
