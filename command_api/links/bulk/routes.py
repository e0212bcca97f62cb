"""`/api/platform/links/changes`: change many links at once, see what that would do, stop it and undo it."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.kernel.http import Id, Runs
from command_api.links.bulk import commands
from command_api.links.bulk.schemas import ChangeManyLinks, LinkBulkState, LinkChangePlan
from infra.kernel.http.route_costs import DOCUMENT, costs
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/links/changes", tags=["links"])


@router.post("/plan", response_model=LinkChangePlan, openapi_extra=costs(DOCUMENT))
def plan_link_changes(body: ChangeManyLinks, run: Runs) -> Response:
    """Says what a change of many links would do: each new destination, and why a link would not change."""
    return run(commands.PlanLinkBulk(body), body)


@router.post("", status_code=201, response_model=LinkBulkState, openapi_extra=costs(DOCUMENT))
def start_link_changes(body: ChangeManyLinks, run: Runs) -> Response:
    """Changes up to 10,000 links of a website, batch after batch, each on its own."""
    return run(commands.StartLinkBulk(uuid7(), body), body, status=201, is_consistent=True)


@router.post("/{id}/cancel", response_model=LinkBulkState)
def cancel_link_changes(bulk_id: Id, run: Runs) -> Response:
    """Stops a change: the links that were not decided yet stay as they are."""
    return run(commands.CancelLinkBulk(bulk_id), is_consistent=True)


@router.post("/{id}/undo", status_code=201, response_model=LinkBulkState)
def undo_link_changes(bulk_id: Id, run: Runs) -> Response:
    """Restores the links that a change changed, but for those that have changed since: a change of its own."""
    return run(commands.UndoLinkBulk(uuid7(), bulk_id), status=201, is_consistent=True)
