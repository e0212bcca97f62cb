"""Commands of annotations."""

from __future__ import annotations

from uuid import UUID

from command_api.analytics import schemas
from command_api.analytics.schemas import Annotation
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
