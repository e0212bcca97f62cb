"""`read.pinned_charts`: charts of saved queries on the dashboards of analysts."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
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


@PINNED_CHARTS.on(ChartPinned)
def pinned(rows: Rows, event: ChartPinned) -> None:
    rows.put(
        id=event.originator_id,
        account_id=event.account_id,
        query_id=event.query_id,
        kind=event.kind,
        x=event.x,
        y=list(event.y),
        parameters=dict(event.parameters),
        pinned_at=event.timestamp,
    )


@PINNED_CHARTS.on(ChartUnpinned)
def unpinned(rows: Rows, event: ChartUnpinned) -> None:
    rows.delete(id=event.originator_id)


@PINNED_CHARTS.on(AccountErased)
def account_erased(rows: Rows, event: AccountErased) -> None:
    rows.delete(account_id=event.originator_id)
