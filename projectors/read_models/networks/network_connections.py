"""`read.network_connections`: connections of websites to networks' APIs, and what the last pull brought."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events import networks

NETWORK_CONNECTIONS: Final = ReadModel(
    name="network_connections",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "network text not null",
        "schedule text not null",
        "currency text",
        "partner_id uuid",
        "is_refused boolean not null default false",
        "problem text not null default ''",
        "added_at timestamptz not null",
        "changed_at timestamptz not null",
        "pulled_at timestamptz",
        "pulled_until timestamptz",
        "rows int not null default 0",
        "import_id uuid",
    ),
    key=("id",),
    fixed=("website_id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, added_at, id",),
)

NETWORK_CONNECTIONS.begins(networks.NetworkConnectionAdded, at=("added_at", "changed_at"), is_refused=False)
NETWORK_CONNECTIONS.follows(
    networks.NetworkConnectionChanged,
    lambda event: {"is_refused": False, "problem": ""} if event.has_new_credentials else {},
    at="changed_at",
)
NETWORK_CONNECTIONS.follows(networks.NetworkConnectionRefused, at="changed_at", is_refused=True)
NETWORK_CONNECTIONS.follows(networks.NetworkReportPulled, at="pulled_at", keeps=True)
NETWORK_CONNECTIONS.ends(networks.NetworkConnectionRemoved)
