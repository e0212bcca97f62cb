"""`GET /api/platform/conversions/awaiting-rate`: a website's sales that wait for an exchange rate."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.operations.awaiting_rate import AwaitingRate, awaiting_rate

router = APIRouter(tags=["conversions"])


@router.get(
    "/api/platform/conversions/awaiting-rate",
    dependencies=[READS_OWN_WRITES],
)
def get_conversions_awaiting_rate(
    scope: CallerScope, website_id: Annotated[UUID, Query(alias="websiteId")]
) -> list[AwaitingRate]:
    """By pair of currencies, the oldest first. They are in no list and no number until a rate comes."""
    return awaiting_rate(scope.reader, scope.website(website_id).id)
