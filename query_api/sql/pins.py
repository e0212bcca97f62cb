"""`GET /api/platform/sql/pins`: the charts of saved queries on an analyst's dashboard, and their results.

A result is the query's current text, run as the person whose dashboard it is, with the limits of every statement.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

import anyio.to_thread
from fastapi import APIRouter, Depends, Path, Query, Response
from pydantic import Field

from query_api.kernel.authorization import require_existing
from query_api.kernel.dependencies import READS_OWN_WRITES, Context, Services
from query_api.kernel.kept_from import kept_from_header
from query_api.kernel.postgres_reader import PostgresReader
from query_api.sql.pinned_results import AS_OF, PinnedResults, pinned_results
from query_api.sql.queries import require_query
from query_api.sql.statements import AnAnalyst, SqlResult, analyst
from schemas.http.sql import PinnedChart

router = APIRouter(prefix="/api/platform/sql/pins", tags=["sql"], dependencies=[Depends(analyst)])
Results = Annotated[PinnedResults, Depends(pinned_results)]
PinId = Annotated[UUID, Path(alias="id")]


class ListedChart(PinnedChart):
    """A chart on the dashboard, with title and version of its query."""

    title: str | None = Field(description="Of the query; null once it was deleted, or is no longer shared")
    version: int | None = Field(description="Of the query")
    pinned_at: datetime


@router.get("", dependencies=[READS_OWN_WRITES])
def get_pinned_charts(context: Context, person: AnAnalyst) -> list[ListedChart]:
    """The caller's charts, oldest first."""
    rows = PostgresReader.of_analyst(context.pool, person.account_id).rows(_PINS)
    return [ListedChart.of_row(row) for row in rows]


@router.get(
    "/{id}/result",
    response_class=Response,
    responses={200: {"model": SqlResult}},
    dependencies=[READS_OWN_WRITES],
)
async def get_pinned_result(
    pin_id: PinId,
    context: Context,
    person: AnAnalyst,
    results: Results,
    *,
    refresh: Annotated[
        bool, Query(description="Runs the query again if the stored result is older than seconds")
    ] = False,
) -> Response:
    """The rows of a chart, stored for some minutes; `X-As-Of` is the time at which they were read.
    `X-Events-Kept-From`: single events of earlier UTC days have expired."""
    pin, query = await anyio.to_thread.run_sync(_pin_and_query, context, person, pin_id)
    result = await results.get(context.pool, person, query["sql"], pin["parameters"], refresh=refresh)
    headers = {AS_OF: result.as_of.isoformat(), **kept_from_header(result.kept_from)}
    return Response(result.body, media_type="application/json", headers=headers)


def _pin_and_query(context: Services, person: AnAnalyst, pin_id: UUID) -> tuple[dict[str, Any], dict[str, Any]]:
    pin = require_existing(PostgresReader.of_analyst(context.pool, person.account_id).row(_PIN, (pin_id,)), "chart")
    return pin, require_query(context, person, pin["query_id"])


_PINS: Final = (
    "SELECT p.id, p.query_id, q.title, q.number AS version, p.kind, p.x, p.y, p.parameters, p.pinned_at"
    " FROM read.pinned_charts AS p LEFT JOIN read.saved_queries AS q ON q.id = p.query_id AND q.removed_at IS NULL"
    " ORDER BY p.pinned_at, p.id"
)
_PIN: Final = "SELECT query_id, parameters FROM read.pinned_charts WHERE id = %s"
