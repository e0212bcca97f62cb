"""`read.network_imports`: reports of networks that were uploaded, and where each stands."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events import networks
from schemas.report_imports import ImportState

NETWORK_IMPORTS: Final = ReadModel(
    name="network_imports",
    version=1,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "network text not null",
        "partner_id uuid",
        "as_of timestamptz",
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

NETWORK_IMPORTS.begins(
    networks.NetworkImportUploaded,
    at=("uploaded_at", "changed_at"),
    takes={"uploaded_by": "actor_id"},
    state=ImportState.READING.value,
)
NETWORK_IMPORTS.follows(
    networks.NetworkImportRemapped,
    at="changed_at",
    state=ImportState.READING.value,
    questions=None,
    code="",
    message="",
)
NETWORK_IMPORTS.follows(networks.NetworkImportQuestioned, at="changed_at", state=ImportState.ASKING.value)
NETWORK_IMPORTS.follows(
    networks.NetworkImportRead,
    lambda event: {} if event.delta else {"delta": None},  # an empty list has no type of its own
    at="changed_at",
    state=ImportState.READY.value,
)
NETWORK_IMPORTS.follows(networks.NetworkImportFailed, at="changed_at", state=ImportState.FAILED.value)
NETWORK_IMPORTS.follows(networks.NetworkImportStarted, at="changed_at", state=ImportState.APPLYING.value)
NETWORK_IMPORTS.follows(networks.NetworkImportApplied, at=("changed_at", "applied_at"), state=ImportState.APPLIED.value)
NETWORK_IMPORTS.follows(networks.NetworkImportUndoStarted, at="changed_at", state=ImportState.UNDOING.value)
NETWORK_IMPORTS.follows(networks.NetworkImportUndone, at="changed_at", state=ImportState.UNDONE.value)
NETWORK_IMPORTS.follows(networks.NetworkImportCancelled, at="changed_at", state=ImportState.CANCELLED.value)
