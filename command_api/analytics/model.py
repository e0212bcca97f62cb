"""Annotations: which notes may be put on a website's charts. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, invalid, not_found
from command_api.websites.model import Website, require_owned
from schemas.events.analytics import MAX_ANNOTATION, AnnotationAdded, AnnotationChanged, AnnotationRemoved
from schemas.evolution import Evolution


@dataclass(frozen=True, slots=True)
class AnnotationAggregate:
    """A note and what it is about."""

    id: UUID
    version: int
    website_id: UUID
    at: datetime
    text: str
    removed: bool = False


def add(
    annotation_id: UUID, website: Website | None, *, at: datetime, text: str, context: CommandContext
) -> AnnotationAdded:
    """Raises `CommandRejected` for a website of another account, and for a text that is empty or too long."""
    website = require_owned(website, context)
    return AnnotationAdded(**first_event(annotation_id, context), website_id=website.id, at=at, text=checked_text(text))


def change(
    annotation: AnnotationAggregate | None,
    website: Website | None,
    *,
    at: datetime | None,
    text: str | None,
    context: CommandContext,
) -> list[AnnotationChanged]:
    """Changes the annotation; returns no events if nothing is different."""
    annotation = require_active(annotation, website, context)
    at = annotation.at if at is None else at
    text = annotation.text if text is None else checked_text(text)
    if (at, text) == (annotation.at, annotation.text):
        return []
    return [AnnotationChanged(**next_event(annotation, context), at=at, text=text)]


def remove(
    annotation: AnnotationAggregate | None, website: Website | None, context: CommandContext
) -> AnnotationRemoved:
    annotation = require_active(annotation, website, context)
    return AnnotationRemoved(**next_event(annotation, context))


def require_active(
    annotation: AnnotationAggregate | None, website: Website | None, context: CommandContext
) -> AnnotationAggregate:
    """Returns the annotation. Raises `CommandRejected` (missing) unless the actor may act for the website's owner."""
    if annotation is None or annotation.removed:
        raise not_found("annotation")
    require_owned(website, context, "annotation")
    return annotation


def checked_text(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        raise invalid("bad_annotation", "Enter a text.", "text")
    if len(text) > MAX_ANNOTATION:
        raise invalid("bad_annotation", f"An annotation has at most {MAX_ANNOTATION} characters.", "text")
    return text


evolve: Final = (
    Evolution(AnnotationAggregate)
    .begins(AnnotationAdded)
    .follows(AnnotationChanged)
    .follows(AnnotationRemoved, removed=True)
)
