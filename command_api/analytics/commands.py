"""Commands of annotations and imports."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from command_api.analytics import schemas
from command_api.analytics.schemas import AnnotationState
from command_api.kernel.command_handlers import Command


class AddAnnotation(Command[AnnotationState]):
    """Puts a note on a moment of a website's charts."""

    annotation_id: UUID
    fields: schemas.AddAnnotation


class ChangeAnnotation(Command[AnnotationState]):
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
