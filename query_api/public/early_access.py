"""`GET /api/public/early-access`: how many of the ten places are left. For everybody."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from query_api.context import Context
from query_api.reader import Reader

router = APIRouter(prefix="/api/public", tags=["public"])

PLACES: Final = 10
_TAKEN: Final = (
    "SELECT count(*) FILTER (WHERE place IS NOT NULL) AS taken, count(*) FILTER (WHERE place IS NULL) AS waiting"
    " FROM read.early_access WHERE left_at IS NULL"
)


class EarlyAccessPlaces(BaseModel):
    places: int
    left: int = Field(description="None while somebody waits: a place that became free is theirs")


@router.get("/early-access")
def get_early_access_places(context: Context, response: Response) -> EarlyAccessPlaces:
    """Read model `early_access`."""
    row = Reader.of_service(context.pool).row(_TAKEN)
    taken, waiting = (row["taken"], row["waiting"]) if row is not None else (0, 0)
    response.headers["Cache-Control"] = "public, max-age=5"
    return EarlyAccessPlaces(places=PLACES, left=0 if waiting else max(0, PLACES - taken))
