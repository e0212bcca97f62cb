"""Bodies and answers of the calls for annotations."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import Moment, RequestModel
from schemas.http.responses import ResponseModel

Id = Annotated[UUID, Field(strict=False)]
Text = Annotated[str, Field(max_length=2048)]


class AddAnnotation(RequestModel):
    """A note on a moment of the website's charts."""

    website_id: Id
    at: Moment
    text: Text


class ChangeAnnotation(RequestModel):
    """Omitted fields stay unchanged."""

    at: Moment | None = None
    text: Text | None = None


class AnnotationState(ResponseModel):
    """The note."""

    id: UUID
    website_id: UUID
    at: datetime
    text: str
