"""`read.annotations`: what people noted on the charts of their websites."""

from __future__ import annotations

from typing import Final

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


ANNOTATIONS.begins(AnnotationAdded)
ANNOTATIONS.follows(AnnotationChanged)
ANNOTATIONS.ends(AnnotationRemoved)
ANNOTATIONS.ends(WebsiteDisconnected, by="website_id")
