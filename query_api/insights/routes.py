"""`GET /api/analytics/{websiteId}/insights`: what is told of a website now; and how one is mailed what is new."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, Field

from query_api.context import Context, Reads, Theirs
from query_api.reader import Reader
from schemas.events.insights import DigestMail, Insight
from schemas.insights import ShownInsight, shown

router = APIRouter(tags=["insights"])


class InsightsDigest(BaseModel):
    every: DigestMail = Field(description="How often new insights are mailed")


_OPEN: Final = "SELECT insight FROM read.insights WHERE website_id = %s AND is_open ORDER BY rank LIMIT 50"
_DIGEST: Final = "SELECT every FROM read.insight_digests WHERE account_id = %s"


@router.get("/api/analytics/{websiteId}/insights", dependencies=[Depends(Reads("insights", "websites"))])
def get_insights(website_id: Annotated[UUID, Path(alias="websiteId")], theirs: Theirs) -> list[ShownInsight]:
    """The weightiest first. Those that no longer hold are not among them."""
    website = theirs.website(website_id)
    rows = theirs.reader.rows(_OPEN, (website.id,))
    return [shown(website.id, Insight.model_validate(row["insight"])) for row in rows]


@router.get("/api/platform/insights/digest", dependencies=[Depends(Reads("insight_digests"))])
def get_insights_digest(context: Context, theirs: Theirs) -> InsightsDigest:
    """One's own choice."""
    mine = theirs.principal.account_id
    row = Reader(context.pool, mine).row(_DIGEST, (mine,))
    return InsightsDigest(every=row["every"] if row is not None else "off")
