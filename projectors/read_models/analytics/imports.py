"""`read.imports`: events of the past that were imported from files, for the notes on a website's charts."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.analytics import EventsImported
from schemas.events.websites import WebsiteDisconnected

IMPORTS: Final = ReadModel(
    name="imports",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "events bigint not null",
        "first_at timestamptz not null",
        "last_at timestamptz not null",
        "imported_at timestamptz not null",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, first_at",),
)


IMPORTS.begins(EventsImported, at="imported_at")
IMPORTS.ends(WebsiteDisconnected, by="website_id")
