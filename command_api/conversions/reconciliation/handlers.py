"""Command handlers of accepted reconciliations."""

from __future__ import annotations

from typing import Final

from command_api.conversions.reconciliation import commands, model, schemas
from command_api.kernel.aggregates import require_found
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.partners import model as partners
from command_api.websites import model as websites

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.AcceptReconciliation, senders="accounts")
def accept_reconciliation(command: commands.AcceptReconciliation, uow: UnitOfWork) -> schemas.MonthAcceptance:
    body = command.body
    website, held = _owned(body, uow)
    uow.append(*model.accept(held, website, body.partner_id, body.month, body.fingerprint, uow.context))
    return _to_response(body, body.fingerprint)


@HANDLERS.on(commands.ReopenReconciliation, senders="accounts")
def reopen_reconciliation(command: commands.ReopenReconciliation, uow: UnitOfWork) -> schemas.MonthAcceptance:
    website, held = _owned(command.body, uow)
    uow.append(*model.reopen(held, website, uow.context))
    return _to_response(command.body, None)


def _owned(body: schemas.MonthOfPartner, uow: UnitOfWork) -> tuple[websites.Website, model.AcceptedMonth | None]:
    website = websites.require_owned(uow.load(body.website_id, websites.evolve), uow.context)
    # A removed program may still owe something.
    partner = require_found(uow.load(body.partner_id, partners.evolve), "partner")
    if not partner.is_for(website.account_id):
        raise not_found("partner")
    return website, uow.load(model.month_id(website.id, partner.id, body.month), model.evolve)


def _to_response(body: schemas.MonthOfPartner, fingerprint: str | None) -> schemas.MonthAcceptance:
    named = {"website_id": body.website_id, "partner_id": body.partner_id, "month": body.month}
    return schemas.MonthAcceptance(**named, fingerprint=fingerprint)
