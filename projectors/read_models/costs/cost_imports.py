"""`read.cost_imports`: files of costs that were uploaded, and where each import stands."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events import costs
from schemas.report_imports import ImportState

COST_IMPORTS: Final = ReadModel(
    name="cost_imports",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "platform text not null",
        "applies boolean not null",
        "file jsonb not null",
        "mapping jsonb not null",
        "state text not null",
        "uploaded_at timestamptz not null",
        "uploaded_by uuid",
        "changed_at timestamptz not null",
        "applied_at timestamptz",
        "counts jsonb",
        "delta jsonb",
        "questions jsonb",
        "code text not null default ''",
        "message text not null default ''",
    ),
    key=("id",),
    fixed=("website_id",),
    readers=OWN_WEBSITES,
    indexes=("website_id, uploaded_at desc, id",),
)

COST_IMPORTS.begins(
    costs.CostImportUploaded,
    at=("uploaded_at", "changed_at"),
    takes={"uploaded_by": "actor_id"},
    state=ImportState.READING.value,
)
COST_IMPORTS.follows(
    costs.CostImportRemapped, at="changed_at", state=ImportState.READING.value, questions=None, code="", message=""
)
COST_IMPORTS.follows(costs.CostImportQuestioned, at="changed_at", state=ImportState.ASKING.value)
COST_IMPORTS.follows(
    costs.CostImportRead,
    lambda event: {} if event.delta else {"delta": None},  # an empty list has no type of its own
    at="changed_at",
    state=ImportState.READY.value,
)
COST_IMPORTS.follows(costs.CostImportFailed, at="changed_at", state=ImportState.FAILED.value)
COST_IMPORTS.follows(costs.CostImportStarted, at="changed_at", state=ImportState.APPLYING.value)
COST_IMPORTS.follows(costs.CostImportApplied, at=("changed_at", "applied_at"), state=ImportState.APPLIED.value)
COST_IMPORTS.follows(costs.CostImportUndoStarted, at="changed_at", state=ImportState.UNDOING.value)
COST_IMPORTS.follows(costs.CostImportUndone, at="changed_at", state=ImportState.UNDONE.value)
COST_IMPORTS.follows(costs.CostImportCancelled, at="changed_at", state=ImportState.CANCELLED.value)
