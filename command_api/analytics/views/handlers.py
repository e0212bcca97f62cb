"""Command handlers of saved views."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.analytics.views import commands, model, schemas
from command_api.analytics.views.lookups import require_room
from command_api.kernel.aggregates import shared_fields, state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.websites import model as websites
from schemas.events.analytics import ViewState
from schemas.http.analytics import SavedView, SavedViewContent

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.SaveView, senders="accounts")
def save_view(command: commands.SaveView, uow: UnitOfWork) -> SavedView:
    fields = command.fields
    saved = model.save(
        command.view_id,
        _shared_with(fields.website_id, uow),
        kind=fields.kind,
        name=fields.name,
        state=_state(fields.state),
        context=uow.context,
    )
    view = model.evolve(None, saved)
    require_room(uow.append(saved), view)
    return _to_response(view)


@HANDLERS.on(commands.ChangeView, senders="accounts")
def change_view(command: commands.ChangeView, uow: UnitOfWork) -> SavedView:
    fields, view = command.fields, _active(command.view_id, uow)
    website = _shared_with(fields.website_id, uow)
    events = model.change(view, website, name=fields.name, state=_state(fields.state), context=uow.context)
    view = state_after(model.evolve, view, events)
    require_room(uow.append(*events), view)
    return _to_response(view)


@HANDLERS.on(commands.RemoveView, senders="accounts")
def remove_view(command: commands.RemoveView, uow: UnitOfWork) -> None:
    uow.append(model.remove(_active(command.view_id, uow), uow.context))


@HANDLERS.on(commands.RestoreView, senders="accounts")
def restore_view(command: commands.RestoreView, uow: UnitOfWork) -> SavedView:
    view = _visible(command.view_id, uow)
    events = model.restore(view, uow.context)
    view = state_after(model.evolve, view, events)
    require_room(uow.append(*events), view)
    return _to_response(view)


@HANDLERS.on(commands.ChooseDefaultView, senders="accounts")
def choose_default_view(command: commands.ChooseDefaultView, uow: UnitOfWork) -> None:
    view = _active(command.view_id, uow)
    website = uow.load(command.website_id, websites.evolve)
    default_id = model.default_view_id(command.website_id, uow.context.require_account())
    current = uow.load(default_id, model.evolve_default)
    if not command.is_default and (current is None or current.view_id != view.id):
        websites.require_owned(website, uow.context)
        return
    uow.append(*model.choose_default(current, website, view if command.is_default else None, uow.context))


def _active(view_id: UUID, uow: UnitOfWork) -> model.ViewAggregate:
    view = uow.load(view_id, model.evolve)
    return model.require_active(view, _website_of(view, uow), uow.context)


def _visible(view_id: UUID, uow: UnitOfWork) -> model.ViewAggregate:
    view = uow.load(view_id, model.evolve)
    return model.require_visible(view, _website_of(view, uow), uow.context)


def _website_of(view: model.ViewAggregate | None, uow: UnitOfWork) -> websites.Website | None:
    return uow.load(view.website_id, websites.evolve) if view and view.website_id else None


def _shared_with(website_id: UUID | None, uow: UnitOfWork) -> websites.Website | None:
    if website_id is None:
        return None
    return websites.require_owned(uow.load(website_id, websites.evolve), uow.context)


def _state(content: schemas.ViewContent) -> ViewState:
    return ViewState.model_validate(content.model_dump())


def _to_response(view: model.ViewAggregate) -> SavedView:
    content = SavedViewContent.model_validate(view.state.model_dump())
    return SavedView(**shared_fields(view, SavedView, but=("state",)), state=content)
