"""`GET /api/public/early-access`: the number of free places of ten. Public."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Response
from pydantic import Field

from query_api.kernel.dependencies import Context
from query_api.kernel.postgres_reader import PostgresReader
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/public", tags=["public"])

PLACES: Final = 10
_TAKEN: Final = (
    "SELECT (SELECT count(*) FROM read.early_access WHERE place IS NOT NULL) AS taken,"
    " EXISTS (SELECT 1 FROM read.early_access WHERE place IS NULL AND left_at IS NULL AND held_until IS NULL) AS waits"
)


class EarlyAccessPlaces(ResponseModel):
    """The number of places, and of free ones."""

    places: int
    left: int = Field(description="0 while people are waiting: a released place goes to the first of them")


@router.get("/early-access")
def get_early_access_places(context: Context, response: Response) -> EarlyAccessPlaces:
    """Read model `early_access`."""
    row = PostgresReader.of_service(context.pool).row(_TAKEN)
    taken, waits = (row["taken"], row["waits"]) if row is not None else (0, False)
    response.headers["Cache-Control"] = "public, max-age=5"
    return EarlyAccessPlaces(places=PLACES, left=0 if waits else max(0, PLACES - taken))
