"""Command handlers of partners."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import require_found
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.partners import commands, lookups, model, requests, schemas, slug_reservation
from command_api.partners.schemas import MadeRequest, to_response
from schemas.base import DomainEvent
from schemas.events.accounts import AccountErased
from schemas.events.partners import Terms
from schemas.http.partners import Partner
from schemas.identity import slug_id

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.AddPartner, senders="admins")
def add_partner(command: commands.AddPartner, uow: UnitOfWork) -> Partner:
    events = _registered(command.partner_id, command.fields, _slug(command.fields), uow)
    uow.append(*events)
    return to_response(model.evolve(None, events[0]), uow.context.at)


@HANDLERS.on(commands.UpdatePartner, senders="admins")
def update_partner(command: commands.UpdatePartner, uow: UnitOfWork) -> Partner:
    partner = model.require_active(uow.load(command.partner_id, model.evolve))
    return _update(partner, command.fields, uow)


@HANDLERS.on(commands.RemovePartner, senders="admins")
def remove_partner(command: commands.RemovePartner, uow: UnitOfWork) -> None:
    uow.append(*model.remove(uow.load(command.partner_id, model.evolve), uow.context))


@HANDLERS.on(commands.AddPrivatePartner, senders="accounts")
def add_private_partner(command: commands.AddPrivatePartner, uow: UnitOfWork) -> Partner:
    account_id = uow.context.require_account()
    fields, slug = command.fields, model.private_slug(command.fields.name)
    events = _registered(command.partner_id, fields, slug, uow, account_id)
    lookups.require_partner_limit(uow.append(*events), account_id)
    return to_response(model.evolve(None, events[0]), uow.context.at)


@HANDLERS.on(commands.UpdatePrivatePartner, senders="accounts")
def update_private_partner(command: commands.UpdatePrivatePartner, uow: UnitOfWork) -> Partner:
    partner = model.require_private(uow.load(command.partner_id, model.evolve), uow.context)
    return _update(partner, command.fields, uow)


@HANDLERS.on(commands.RemovePrivatePartner, senders="accounts")
def remove_private_partner(command: commands.RemovePrivatePartner, uow: UnitOfWork) -> None:
    partner = model.require_private(uow.load(command.partner_id, model.evolve), uow.context)
    uow.append(*model.remove(partner, uow.context))


@HANDLERS.on(commands.RequestPartner, senders="accounts")
def request_partner(command: commands.RequestPartner, uow: UnitOfWork) -> MadeRequest:
    fields = command.fields
    if fields.partner_id is not None:
        model.require_private(uow.load(fields.partner_id, model.evolve), uow.context)
    made = requests.make(command.request_id, **fields.model_dump(), context=uow.context)
    existing_id = lookups.partner_at(uow, made.website)
    if existing_id is not None:
        partner = require_found(uow.load(existing_id, model.evolve), "partner")
        return MadeRequest(id=None, partner_id=existing_id, partner_name=partner.name)
    lookups.require_request_limit(uow.append(made), made.account_id)
    return MadeRequest(id=command.request_id, partner_id=None, partner_name=None)


@HANDLERS.on(commands.WithdrawPartnerRequest, senders="accounts")
def withdraw_partner_request(command: commands.WithdrawPartnerRequest, uow: UnitOfWork) -> None:
    uow.append(requests.withdraw(uow.load(command.request_id, requests.evolve), uow.context))


@HANDLERS.on(commands.AcceptPartnerRequest, senders="admins")
def accept_partner_request(command: commands.AcceptPartnerRequest, uow: UnitOfWork) -> Partner:
    request = requests.require_open(uow.load(command.request_id, requests.evolve))
    events = _registered(command.partner_id, command.fields, _slug(command.fields), uow)
    uow.append(*events, requests.accept(request, command.partner_id, uow.context))
    return to_response(model.evolve(None, events[0]), uow.context.at)


@HANDLERS.on(commands.DeclinePartnerRequest, senders="admins")
def decline_partner_request(command: commands.DeclinePartnerRequest, uow: UnitOfWork) -> None:
    uow.append(requests.decline(uow.load(command.request_id, requests.evolve), command.reason, uow.context))


@HANDLERS.before(AccountErased)
def remove_private_partners(event: AccountErased, uow: UnitOfWork) -> None:
    """Removes the account's private partners, and withdraws its open requests."""
    for partner_id in lookups.private_partners(uow, event.originator_id):
        uow.append(*model.remove(uow.load(partner_id, model.evolve), uow.context, owner_erased=True))
    for request_id in lookups.open_requests(uow, event.originator_id):
        uow.append(requests.withdraw(uow.load(request_id, requests.evolve), uow.context))


def _slug(fields: schemas.AddPartner) -> str:
    return fields.slug if fields.slug is not None else model.slug_of(fields.name)


def _registered(
    partner_id: UUID, fields: schemas.AddPrivatePartner, slug: str, uow: UnitOfWork, account_id: UUID | None = None
) -> list[DomainEvent]:
    values = {**fields.model_dump(exclude={"terms"}), "slug": slug, "terms": _terms(fields)}
    reservation = uow.load(slug_id("partner", slug), slug_reservation.evolve)
    return model.register(partner_id, reservation, **values, account_id=account_id, context=uow.context)


def _update(partner: model.Partner, fields: schemas.UpdatePartner, uow: UnitOfWork) -> Partner:
    values = fields.model_dump(exclude={"terms"})
    events = model.update(partner, **values, terms=_terms(fields), context=uow.context)
    return to_response(uow.advance(model.evolve, partner, events), uow.context.at)


def _terms(fields: schemas.AddPrivatePartner | schemas.UpdatePartner) -> Terms | None:
    return fields.terms.terms() if fields.terms is not None else None
