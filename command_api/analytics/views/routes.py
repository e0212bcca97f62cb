"""`/api/platform/views`: save, change, remove and restore views and segments of the analytics page."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from command_api.analytics.views import commands
from command_api.analytics.views.schemas import ChangeView, SaveView
from command_api.kernel.http import Id, Runs
from infra.kernel.http.route_costs import DOCUMENT, costs
from schemas.http.analytics import SavedView
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/views", tags=["analytics"])
WebsiteId = Annotated[UUID, Query(alias="websiteId")]


@router.post("", status_code=201, response_model=SavedView, openapi_extra=costs(DOCUMENT))
def save_view(body: SaveView, run: Runs) -> Response:
    """Saves what the analytics page shows, or its filters (`segment`), under a name."""
    return run(commands.SaveView(uuid7(), body), body, status=201, is_consistent=True)


@router.patch("/{id}", response_model=SavedView, openapi_extra=costs(DOCUMENT))
def change_view(view_id: Id, body: ChangeView, run: Runs) -> Response:
    """Replaces name, content, and who can use it."""
    return run(commands.ChangeView(view_id, body), body, is_consistent=True)


@router.delete("/{id}", status_code=204)
def remove_view(view_id: Id, run: Runs) -> Response:
    """Removes the view. It can be restored."""
    return run(commands.RemoveView(view_id), status=204, is_consistent=True)


@router.post("/{id}/restore", response_model=SavedView)
def restore_view(view_id: Id, run: Runs) -> Response:
    """Undoes the removal."""
    return run(commands.RestoreView(view_id), is_consistent=True)


@router.put("/{id}/default", status_code=204)
def make_default_view(view_id: Id, website_id: WebsiteId, run: Runs) -> Response:
    """The website opens with this view, for the caller alone."""
    return run(commands.ChooseDefaultView(view_id, website_id, is_default=True), status=204, is_consistent=True)


@router.delete("/{id}/default", status_code=204)
def end_default_view(view_id: Id, website_id: WebsiteId, run: Runs) -> Response:
    """The website no longer opens with this view for the caller."""
    return run(commands.ChooseDefaultView(view_id, website_id, is_default=False), status=204, is_consistent=True)
