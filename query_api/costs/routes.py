"""`GET /api/platform/costs`: what the traffic of a website cost, as it was entered."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query

from query_api.analytics.request import Day
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.pagination import Page50
from schemas.events.costs import CostEntry
from schemas.http.costs import Cost, cost_of

router = APIRouter(tags=["costs"])


WebsiteId = Annotated[UUID, Query(alias="websiteId")]
From = Annotated[Day, Query(alias="from", description="Those with a day from here on: YYYY-MM-DD")]
To = Annotated[Day, Query(description="Those with a day until here, inclusive")]
_COSTS: Final = (
    "SELECT id, website_id, entry, added_at FROM read.costs WHERE website_id = %(website)s AND removed_at IS NULL"
    " AND (%(from)s::date IS NULL OR last >= %(from)s) AND (%(to)s::date IS NULL OR first <= %(to)s)"
    " AND (%(at)s::timestamptz IS NULL OR (added_at, id) < (%(at)s, %(last)s))"
    " ORDER BY added_at DESC, id DESC LIMIT %(limit)s"
)


@router.get("/api/platform/costs", dependencies=[READS_OWN_WRITES])
def get_costs(website_id: WebsiteId, scope: CallerScope, page: Page50, from_: From = None, to: To = None) -> list[Cost]:
    """The last entered first; removed ones are left out."""
    website = scope.website(website_id)
    bound = {"website": website.id, "from": from_, "to": to}
    rows = page.rows(scope.reader, _COSTS, "added_at", bound)
    return [cost_of(row["id"], row["website_id"], CostEntry.model_validate(row["entry"])) for row in rows]
