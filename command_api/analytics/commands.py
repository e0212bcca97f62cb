"""Commands of annotations, imports and saved views."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from command_api.analytics import schemas, view_schemas
from command_api.analytics.schemas import Annotation
from command_api.analytics.view_schemas import ViewAnswer
from command_api.kernel.command_handlers import Command


class AddAnnotation(Command[Annotation]):
    """Puts a note on a moment of a website's charts."""

    annotation_id: UUID
    fields: schemas.AddAnnotation


class ChangeAnnotation(Command[Annotation]):
    """Changes the text or the moment."""

    annotation_id: UUID
    fields: schemas.ChangeAnnotation


class RemoveAnnotation(Command[None]):
    """Removes the note."""

    annotation_id: UUID


class RecordImport(Command[None]):
    """Records that so many events of the past, from `first_at` to `last_at`, were imported."""

    import_id: UUID
    website_id: UUID
    events: int
    first_at: datetime
    last_at: datetime


class SaveView(Command[ViewAnswer]):
    """Saves what the analytics page shows, or its filters, under a name."""

    view_id: UUID
    fields: view_schemas.SaveView


class ChangeView(Command[ViewAnswer]):
    """Changes name, content or whom a view is for."""

    view_id: UUID
    fields: view_schemas.ChangeView


class RemoveView(Command[None]):
    """Removes the view; it can be restored."""

    view_id: UUID


class RestoreView(Command[ViewAnswer]):
    """Undoes the removal."""

    view_id: UUID


class ChooseDefaultView(Command[None]):
    """A website opens with the view for the sender. `is_default`: whether it shall, or no longer."""

    view_id: UUID
    website_id: UUID
    is_default: bool
