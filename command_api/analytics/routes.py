"""`/api/platform/annotations`: add, change and remove notes on a website's charts."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.analytics import commands
from command_api.analytics.schemas import AddAnnotation, AnnotationState, ChangeAnnotation
from command_api.kernel.http import Id, Runs
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/annotations", tags=["analytics"])


@router.post("", status_code=201, response_model=AnnotationState)
def add_annotation(body: AddAnnotation, run: Runs) -> Response:
    """Puts a note on a moment of a website's charts."""
    return run(commands.AddAnnotation(uuid7(), body), body, status=201)


@router.patch("/{id}", response_model=AnnotationState)
def change_annotation(annotation_id: Id, body: ChangeAnnotation, run: Runs) -> Response:
    """Changes the text or the moment."""
    return run(commands.ChangeAnnotation(annotation_id, body), body)


@router.delete("/{id}", status_code=204)
def remove_annotation(annotation_id: Id, run: Runs) -> Response:
    """Removes the note."""
    return run(commands.RemoveAnnotation(annotation_id), status=204)
