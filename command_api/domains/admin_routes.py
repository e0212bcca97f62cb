"""`/api/admin/domains`: what admins do with custom domains of others, with a reason."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.domains import commands, model
from command_api.kernel.decision import not_found
from command_api.kernel.http import AdminRuns, Id, StatedReason

router = APIRouter(prefix="/api/admin/domains", tags=["admin"])


@router.post("/{id}/remove", status_code=204)
def admin_remove_domain(domain_id: Id, body: StatedReason, run: AdminRuns) -> Response:
    """Removes a domain for its owner: links stop working under it."""
    domain = run.container.load(domain_id, model.evolve)
    if domain is None:
        raise not_found("domain")
    runner = run.on_behalf(domain.account_id, body.reason, domain_id, domain.domain)
    return runner(commands.RemoveDomain(domain_id), body, status=204, is_consistent=True)
