"""What people note on the charts of their websites."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent

MAX_ANNOTATION: int = 280


class AnnotationAdded(DomainEvent):
    """A note was put on a moment of a website's charts."""

    NAME: ClassVar[str] = "annotation.added"
    website_id: UUID
    at: datetime = Field(description="The moment that it is about")
    text: str = Field(max_length=MAX_ANNOTATION)


class AnnotationChanged(DomainEvent):
    """The note says something else, or is about another moment."""

    NAME: ClassVar[str] = "annotation.changed"
    at: datetime
    text: str = Field(max_length=MAX_ANNOTATION)


class AnnotationRemoved(DomainEvent):
    """The note is no longer shown."""

    NAME: ClassVar[str] = "annotation.removed"
