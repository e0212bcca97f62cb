"""`/api/admin/websites`: what admins do with websites of others, with a reason. Reading them is the query service's."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.kernel.decision import not_found
from command_api.kernel.http import AdminRuns, Id, StatedReason
from command_api.websites import commands, model

router = APIRouter(prefix="/api/admin/websites", tags=["admin"])


@router.post("/{id}/disconnect", status_code=204)
def admin_disconnect_website(website_id: Id, body: StatedReason, run: AdminRuns) -> Response:
    """Removes a website for its owner: its keys and custom domains stop working; its events stay in the log."""
    website = run.container.load(website_id, model.evolve)
    if website is None:
        raise not_found("website")
    command = commands.DisconnectWebsite(website_id)
    runner = run.on_behalf(website.account_id, body.reason, website_id, website.domain)
    return runner(command, body, status=204, is_consistent=True)
