"""`GET /api/analytics/{websiteId}/insights`: a website's current insights, and the account's digest setting."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Path
from pydantic import Field

from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from schemas.events.insights import DigestMail, Insight
from schemas.http.insights import ShownInsight, to_response
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["insights"])


class InsightsDigest(ResponseModel):
    """The account's email digest of insights."""

    every: DigestMail = Field(description="How often new insights are emailed")


_OPEN: Final = "SELECT insight FROM read.insights WHERE website_id = %s AND is_open ORDER BY rank LIMIT 50"
_DIGEST: Final = "SELECT every FROM read.insight_digests WHERE account_id = %s"


@router.get("/api/analytics/{websiteId}/insights", dependencies=[READS_OWN_WRITES])
def get_insights(website_id: Annotated[UUID, Path(alias="websiteId")], scope: CallerScope) -> list[ShownInsight]:
    """Most important first. Those that no longer apply are left out."""
    website = scope.website(website_id)
    rows = scope.reader.rows(_OPEN, (website.id,))
    return [to_response(website.id, Insight.model_validate(row["insight"])) for row in rows]


@router.get("/api/platform/insights/digest", dependencies=[READS_OWN_WRITES])
def get_insights_digest(scope: CallerScope) -> InsightsDigest:
    """Your own choice."""
    row = scope.reader.row(_DIGEST, (scope.principal.account_id,))
    return InsightsDigest(every=row["every"] if row is not None else "off")
