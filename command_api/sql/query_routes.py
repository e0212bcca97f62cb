"""`/api/platform/sql/queries` and `/pins`: saved queries, their versions, and their charts on dashboards."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from command_api.kernel.http import Id
from command_api.sql import commands
from command_api.sql.routes import AnalystRuns
from command_api.sql.schemas import ChangeQuery, PinChart, SaveQuery
from infra.kernel.http.route_costs import DOCUMENT, costs
from schemas.http.sql import PinnedChart, SavedQuery
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/sql", tags=["sql"])
Number = Annotated[int, Path(ge=1, le=1_000_000)]


@router.post("/queries", status_code=201, response_model=SavedQuery, openapi_extra=costs(DOCUMENT))
def save_query(body: SaveQuery, run: AnalystRuns) -> Response:
    """Saves a query under a title. `ifTitleExists` says what happens if the author has a query with the same title."""
    return run(commands.SaveQuery(uuid7(), body), body, status=201, is_consistent=True)


@router.patch("/queries/{id}", response_model=SavedQuery, openapi_extra=costs(DOCUMENT))
def change_query(query_id: Id, body: ChangeQuery, run: AnalystRuns) -> Response:
    """Changes title or text, which creates a new version, or who may see it. For its author and, once it is shared, for
    admins.
    """
    return run(commands.ChangeQuery(query_id, body), body, is_consistent=True)


@router.post("/queries/{id}/versions/{number}/restore", response_model=SavedQuery)
def restore_query_version(query_id: Id, number: Number, run: AnalystRuns) -> Response:
    """Creates a new version with the title and text of an earlier one."""
    return run(commands.RestoreQueryVersion(query_id, number), is_consistent=True)


@router.delete("/queries/{id}", status_code=204)
def delete_saved_query(query_id: Id, run: AnalystRuns) -> Response:
    """Deletes a query. It can be restored."""
    return run(commands.DeleteSavedQuery(query_id), status=204, is_consistent=True)


@router.post("/queries/{id}/restore", response_model=SavedQuery)
def restore_saved_query(query_id: Id, run: AnalystRuns) -> Response:
    """Undoes the deletion."""
    return run(commands.RestoreSavedQuery(query_id), is_consistent=True)


@router.post("/pins", status_code=201, response_model=PinnedChart)
def pin_chart(body: PinChart, run: AnalystRuns) -> Response:
    """Puts a chart of a saved query on the caller's dashboard."""
    return run(commands.PinChart(uuid7(), body), body, status=201, is_consistent=True)


@router.delete("/pins/{id}", status_code=204)
def unpin_chart(pin_id: Id, run: AnalystRuns) -> Response:
    """Takes a chart off the dashboard."""
    return run(commands.UnpinChart(pin_id), status=204, is_consistent=True)
