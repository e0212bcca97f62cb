"""`read.costs`: what traffic of websites cost, as it was entered."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.costs import CostAdded, CostChanged, CostRemoved, CostRestored
from schemas.events.websites import WebsiteDisconnected

COSTS: Final = ReadModel(
    name="costs",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "first date not null",
        "last date not null",
        "entry jsonb not null",
        "added_at timestamptz not null",
        "removed_at timestamptz",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, added_at",),
)
_DAYS: Final = {"first": "entry.first", "last": "entry.last"}


COSTS.begins(CostAdded, at="added_at", takes=_DAYS, removed_at=None)
COSTS.follows(CostChanged, but="website_id", takes=_DAYS)
COSTS.follows(CostRemoved, but=("website_id", "entry"), at="removed_at")
COSTS.follows(CostRestored, but=("website_id", "entry"), removed_at=None)
COSTS.ends(WebsiteDisconnected, by="website_id")
