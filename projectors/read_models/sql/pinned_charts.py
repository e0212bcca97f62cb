"""`read.pinned_charts`: charts of saved queries on the dashboards of analysts."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_ALONE
from schemas.events.accounts import AccountErased
from schemas.events.sql import ChartPinned, ChartUnpinned

PINNED_CHARTS: Final = ReadModel(
    name="pinned_charts",
    version=1,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "query_id uuid not null",
        "kind text not null",
        "x text not null",
        "y text[] not null",
        "parameters jsonb not null",
        "pinned_at timestamptz not null",
    ),
    key=("id",),
    readers=OWN_ALONE,
    indexes=("account_id",),
)


PINNED_CHARTS.begins(ChartPinned, at="pinned_at")
PINNED_CHARTS.ends(ChartUnpinned)
PINNED_CHARTS.ends(AccountErased, by="account_id")
