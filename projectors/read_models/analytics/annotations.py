"""`read.annotations`: what people noted on the charts of their websites."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.analytics import AnnotationAdded, AnnotationChanged, AnnotationRemoved
from schemas.events.websites import WebsiteDisconnected

ANNOTATIONS: Final = ReadModel(
    name="annotations",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "at timestamptz not null",
        "text text not null",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, at",),
)


@ANNOTATIONS.on(AnnotationAdded)
def added(rows: Rows, event: AnnotationAdded) -> None:
    rows.put(id=event.originator_id, website_id=event.website_id, at=event.at, text=event.text)


@ANNOTATIONS.on(AnnotationChanged)
def changed(rows: Rows, event: AnnotationChanged) -> None:
    rows.update({"id": event.originator_id}, at=event.at, text=event.text)


@ANNOTATIONS.on(AnnotationRemoved)
def removed(rows: Rows, event: AnnotationRemoved) -> None:
    rows.delete(id=event.originator_id)


@ANNOTATIONS.on(WebsiteDisconnected)
def website_disconnected(rows: Rows, event: WebsiteDisconnected) -> None:
    rows.delete(website_id=event.originator_id)
