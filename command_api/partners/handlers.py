"""Command handlers of partners."""

from __future__ import annotations

from typing import Final

from command_api.kernel import slug_reservation
from command_api.kernel.aggregates import state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.partners import commands, model, schemas
from command_api.partners.schemas import Partner, to_response
from schemas.events.partners import Terms
from schemas.identity import slug_id

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.AddPartner, senders="admins")
def add_partner(command: commands.AddPartner, uow: UnitOfWork) -> Partner:
    fields = command.fields
    given = fields.model_dump(exclude={"terms"})
    given["slug"] = fields.slug if fields.slug is not None else model.slug_of(fields.name)
    claim = uow.load(slug_id("partner", given["slug"]), slug_reservation.evolve)
    events = model.register(command.partner_id, claim, **given, terms=_terms(fields), context=uow.context)
    uow.append(*events)
    return to_response(model.evolve(None, events[0]), uow.context.at)


@HANDLERS.on(commands.UpdatePartner, senders="admins")
def update_partner(command: commands.UpdatePartner, uow: UnitOfWork) -> Partner:
    fields = command.fields
    partner = model.require_active(uow.load(command.partner_id, model.evolve))
    given = fields.model_dump(exclude={"terms"})
    events = model.update(partner, **given, terms=_terms(fields), context=uow.context)
    uow.append(*events)
    return to_response(state_after(model.evolve, partner, events), uow.context.at)


@HANDLERS.on(commands.RemovePartner, senders="admins")
def remove_partner(command: commands.RemovePartner, uow: UnitOfWork) -> None:
    uow.append(*model.remove(uow.load(command.partner_id, model.evolve), uow.context))


def _terms(fields: schemas.AddPartner | schemas.UpdatePartner) -> Terms | None:
    return fields.terms.terms() if fields.terms is not None else None
