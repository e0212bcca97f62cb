"""`GET /api/platform/views`: the views and segments that a person may apply to a website."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from query_api.analytics.filters import Bots
from query_api.analytics.ranges import Compare
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from schemas.events.analytics import ViewKind
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["analytics"])


class SavedViewContent(ResponseModel):
    """What is shown, in the terms of the analytics calls; of a segment only filters and bots."""

    filters: list[str]
    bots: Bots
    time_range: str
    from_date: date | None
    to_date: date | None
    compare: Compare
    compare_from: date | None
    compare_to: date | None
    match_weekdays: bool
    metric: str
    bar_metric: str
    tabs: dict[str, str]
    columns: list[str]
    details: list[str]


class SavedView(ResponseModel):
    """A view or segment."""

    id: UUID
    kind: ViewKind
    name: str
    website_id: UUID | None = Field(description="Shared with everyone who may see this website; null: personal")
    is_default: bool = Field(description="Whether the website opens with it for the caller")
    state: SavedViewContent


_COLUMNS: Final = "SELECT id, kind, name, website_id, state FROM read.saved_views WHERE removed_at IS NULL AND "
_ORDER: Final = " ORDER BY lower(name), id"
_PERSONAL: Final = f"{_COLUMNS} website_id IS NULL AND account_id = %s{_ORDER}"
_SHARED: Final = f"{_COLUMNS} website_id = %s{_ORDER}"
_DEFAULT: Final = "SELECT view_id FROM read.default_views WHERE account_id = %s AND website_id = %s"


@router.get("/api/platform/views", dependencies=[READS_OWN_WRITES])
def get_views(website_id: Annotated[UUID, Query(alias="websiteId")], scope: CallerScope) -> list[SavedView]:
    """The caller's own, which fit every website, then those of the website; each by name."""
    website, me = scope.website(website_id), scope.principal.account_id
    default = scope.reader.row(_DEFAULT, (me, website.id))
    rows = [*scope.reader.rows(_PERSONAL, (me,)), *scope.reader.rows(_SHARED, (website.id,))]
    chosen = default["view_id"] if default else None
    return [SavedView.of_row(row, is_default=row["id"] == chosen) for row in rows]
