"""`read.conversion_decisions`: decisions about many conversions, and whether they are final."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.conversions import (
    ConversionDecisionApplied,
    ConversionDecisionScheduled,
    ConversionDecisionUndone,
)

CONVERSION_DECISIONS: Final = ReadModel(
    name="conversion_decisions",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        # approve or reject.
        "decision text not null",
        "reason text not null",
        "conversion_ids uuid[] not null",
        "commission bigint not null",
        "currency text not null",
        "decided_by uuid",
        "scheduled_at timestamptz not null",
        "due_at timestamptz not null",
        # scheduled, undone or applied.
        "state text not null",
        "changed int not null default 0",
        "failed int not null default 0",
        "ended_at timestamptz",
    ),
    key=("id",),
    fixed=("website_id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, state",),
)


@CONVERSION_DECISIONS.on(ConversionDecisionScheduled)
def scheduled(rows: Rows, event: ConversionDecisionScheduled) -> None:
    rows.put(
        id=event.originator_id,
        website_id=event.website_id,
        decision=event.decision,
        reason=event.reason,
        conversion_ids=list(event.conversion_ids),
        commission=event.commission.amount,
        currency=event.commission.currency,
        decided_by=event.actor_id,
        scheduled_at=event.timestamp,
        due_at=event.due_at,
        state="scheduled",
    )


CONVERSION_DECISIONS.follows(ConversionDecisionUndone, at="ended_at", state="undone")
CONVERSION_DECISIONS.follows(
    ConversionDecisionApplied, lambda event: {"failed": len(event.failures)}, at="ended_at", state="applied"
)
