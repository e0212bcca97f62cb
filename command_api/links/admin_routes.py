"""`/api/admin/links`: what admins do with tracked links of others, with a reason."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter, Response

from command_api.kernel.decision import not_found
from command_api.kernel.http import AdminRuns, CommandRunner, Id, StatedReason
from command_api.links import commands, model
from command_api.links.schemas import UpdateLink
from command_api.websites import model as websites
from schemas.http.links import Link

router = APIRouter(prefix="/api/admin/links", tags=["admin"])


@router.post("/{id}/pause", response_model=Link)
def admin_pause_link(link_id: Id, body: StatedReason, run: AdminRuns) -> Response:
    """Switches a link off for its owner, who can switch it on again: visitors go to its fallback."""
    command = commands.UpdateLink(link_id, UpdateLink.model_validate({"isActive": False}))
    return _on_behalf(run, link_id, body.reason)(command, body, is_consistent=True)


@router.post("/{id}/resume", response_model=Link)
def admin_resume_link(link_id: Id, body: StatedReason, run: AdminRuns) -> Response:
    """Switches a link on again."""
    command = commands.UpdateLink(link_id, UpdateLink.model_validate({"isActive": True}))
    return _on_behalf(run, link_id, body.reason)(command, body, is_consistent=True)


@router.post("/{id}/delete", status_code=204)
def admin_delete_link(link_id: Id, body: StatedReason, run: AdminRuns) -> Response:
    """Deletes a link for its owner, permanently: its slug stays reserved, its clicks still count."""
    command = commands.DeleteLink(link_id)
    return _on_behalf(run, link_id, body.reason)(command, body, status=204, is_consistent=True)


def _on_behalf(run: CommandRunner, link_id: UUID, reason: str) -> CommandRunner:
    """Raises `CommandRejected` (missing)."""
    link = run.container.load(link_id, model.evolve)
    website = run.container.load(link.website_id, websites.evolve) if link is not None else None
    if link is None or website is None:
        raise not_found("link")
    return run.on_behalf(website.account_id, reason, link_id, f"/{link.slug}")
