"""`read.destinations`: ad platforms that get the decided conversions of websites."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events import destinations

DESTINATIONS: Final = ReadModel(
    name="destinations",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "platform text not null",
        "mapping jsonb not null",
        "is_automatic boolean not null",
        "is_refused boolean not null default false",
        "problem text not null default ''",
        "added_at timestamptz not null",
        "changed_at timestamptz not null",
    ),
    key=("id",),
    fixed=("website_id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, added_at, id",),
)

DESTINATIONS.begins(destinations.DestinationAdded, at=("added_at", "changed_at"), is_refused=False)
DESTINATIONS.follows(
    destinations.DestinationChanged,
    lambda event: {"is_refused": False, "problem": ""} if event.has_new_credentials else {},
    at="changed_at",
)
DESTINATIONS.follows(destinations.DestinationRefused, at="changed_at", is_refused=True)
DESTINATIONS.ends(destinations.DestinationRemoved)
