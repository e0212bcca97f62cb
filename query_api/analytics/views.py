"""`GET /api/platform/views`: the views and segments that a person may apply to a website."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from schemas.http.analytics import SavedView

router = APIRouter(tags=["analytics"])


class ListedView(SavedView):
    """A view or segment that the caller may apply."""

    is_default: bool = Field(description="Whether the website opens with it for the caller")


_COLUMNS: Final = "SELECT id, kind, name, website_id, state FROM read.saved_views WHERE removed_at IS NULL AND "
_ORDER: Final = " ORDER BY lower(name), id"
_PERSONAL: Final = f"{_COLUMNS} website_id IS NULL AND account_id = %s{_ORDER}"
_SHARED: Final = f"{_COLUMNS} website_id = %s{_ORDER}"
_DEFAULT: Final = "SELECT view_id FROM read.default_views WHERE account_id = %s AND website_id = %s"


@router.get("/api/platform/views", dependencies=[READS_OWN_WRITES])
def get_views(website_id: Annotated[UUID, Query(alias="websiteId")], scope: CallerScope) -> list[ListedView]:
    """The caller's own, which fit every website, then those of the website; each by name."""
    website, me = scope.website(website_id), scope.principal.account_id
    default = scope.reader.row(_DEFAULT, (me, website.id))
    rows = [*scope.reader.rows(_PERSONAL, (me,)), *scope.reader.rows(_SHARED, (website.id,))]
    chosen = default["view_id"] if default else None
    return [ListedView.of_row(row, is_default=row["id"] == chosen) for row in rows]
