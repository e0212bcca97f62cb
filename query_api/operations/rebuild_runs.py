"""`GET /api/admin/rebuild-runs/latest`: progress of the last run that rebuilds several projections."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Final
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from query_api.kernel.clickhouse_reader import Row
from query_api.kernel.dependencies import AdminScope
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["admin"])

_LATEST: Final = (
    "SELECT s.run_id, s.projection, s.action, s.state, s.build_state, s.error, s.is_open, s.reason, s.requested_at,"
    " coalesce(a.name, '') AS actor FROM engine.rebuild_step AS s"
    " LEFT JOIN read.accounts AS a ON a.id = s.actor_id WHERE s.run_id = (SELECT run_id FROM engine.rebuild_step"
    " WHERE is_open OR finished_at > now() - interval '1 day' ORDER BY requested_at DESC LIMIT 1) ORDER BY s.run_step"
)


class RebuildOf(ResponseModel):
    """One projection of a run."""

    name: str
    state: str = Field(description="waiting, running, done, failed or cancelled")
    error: str = Field(description="Why the rebuild or the promotion failed")


class RebuildRunShown(ResponseModel):
    """A rebuild run."""

    id: UUID
    actor: str = Field(description="Name of the admin who started it")
    reason: str
    started_at: datetime
    promotes: bool
    is_open: bool
    rebuilds: list[RebuildOf] = Field(description="In the order in which they are rebuilt")


@router.get("/api/admin/rebuild-runs/latest")
def get_latest_rebuild_run(admin: AdminScope) -> RebuildRunShown | None:
    """The run in progress, or the last one if it ended within a day; else null."""
    return run_of(admin.reader.rows(_LATEST))


def run_of(rows: Sequence[Row]) -> RebuildRunShown | None:
    """The run that these steps are. Pure."""
    if not rows:
        return None
    first = rows[0]
    return RebuildRunShown(
        id=first["run_id"],
        actor=first["actor"],
        reason=first["reason"],
        started_at=first["requested_at"],
        promotes=any(row["action"] == "promote" for row in rows),
        is_open=any(row["is_open"] for row in rows),
        rebuilds=[_rebuild(name, list(steps)) for name, steps in groupby(rows, key=lambda row: str(row["projection"]))],
    )


def _rebuild(name: str, steps: Sequence[Row]) -> RebuildOf:
    error = next((step["error"] for step in steps if step["error"]), "")
    states = {step["state"] for step in steps}
    if any(step["is_open"] for step in steps):
        return RebuildOf(name=name, state="waiting" if states == {"waiting"} else "running", error=error)
    if "cancelled" in states or steps[0]["build_state"] == "cancelled":
        return RebuildOf(name=name, state="cancelled", error="")
    return RebuildOf(name=name, state="failed" if error else "done", error=error)
