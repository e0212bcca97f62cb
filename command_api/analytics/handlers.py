"""Command handlers of annotations and imports."""

from __future__ import annotations

from typing import Final

from command_api.analytics import commands, model
from command_api.analytics.schemas import AnnotationState
from command_api.kernel.aggregates import first_event, require_found, shared_fields
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.websites import model as websites
from schemas.events.analytics import EventsImported

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.AddAnnotation, senders="accounts")
def add_annotation(command: commands.AddAnnotation, uow: UnitOfWork) -> AnnotationState:
    fields = command.fields
    website = uow.load(fields.website_id, websites.evolve)
    added = model.add(command.annotation_id, website, at=fields.at, text=fields.text, context=uow.context)
    return _to_response(uow.advance(model.evolve, None, [added]))


@HANDLERS.on(commands.ChangeAnnotation, senders="accounts")
def change_annotation(command: commands.ChangeAnnotation, uow: UnitOfWork) -> AnnotationState:
    annotation = require_found(uow.load(command.annotation_id, model.evolve), "annotation")
    website = uow.load(annotation.website_id, websites.evolve)
    fields = command.fields
    events = model.change(annotation, website, at=fields.at, text=fields.text, context=uow.context)
    return _to_response(uow.advance(model.evolve, annotation, events))


@HANDLERS.on(commands.RemoveAnnotation, senders="accounts")
def remove_annotation(command: commands.RemoveAnnotation, uow: UnitOfWork) -> None:
    annotation = require_found(uow.load(command.annotation_id, model.evolve), "annotation")
    uow.append(model.remove(annotation, uow.load(annotation.website_id, websites.evolve), uow.context))


@HANDLERS.on(commands.RecordImport, senders="system")
def record_import(command: commands.RecordImport, uow: UnitOfWork) -> None:
    website = websites.require_owned(uow.load(command.website_id, websites.evolve), uow.context)
    uow.append(
        EventsImported(
            **first_event(command.import_id, uow.context),
            website_id=website.id,
            events=command.events,
            first_at=command.first_at,
            last_at=command.last_at,
        )
    )


def _to_response(annotation: model.AnnotationAggregate) -> AnnotationState:
    return AnnotationState(**shared_fields(annotation, AnnotationState))
