"""`POST /api/platform/websites/{id}/visitor-data/erase`: erases what is stored of one of a website's visitors."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from command_api.accounts.routes import AccountRequestDep
from command_api.analytics.caught_up import wait_until_caught_up
from command_api.analytics.erasure import commands, handlers
from command_api.analytics.erasure.schemas import ErasedVisitor, EraseVisitor
from command_api.kernel.http import Id, Runs
from command_api.websites import model as websites
from infra.domain.visitor_data.person import Identifier
from infra.kernel.http.worker_slots import release_worker_slot
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/websites", tags=["analytics"])


@router.post("/{id}/visitor-data/erase", status_code=201, response_model=ErasedVisitor)
def erase_visitor(
    website_id: Id, body: EraseVisitor, run: Runs, account: AccountRequestDep, request: Request
) -> Response:
    """Erases what is stored of the person whom the id names, permanently. Amounts, orders and figures stay. 400
    `nothing_stored`; 422 `too_much_data` for an id of more than 10,000 events; 503 `tables_behind` while the tables
    do not have what was sent before the call. Reports follow when the projection `events` is built again."""
    websites.require_owned(run.container.load(website_id, websites.evolve), run.context)
    account.accounts.require_proof(run.person, body.proof, run.client)

    def prepared() -> commands.ForgetVisitor:
        identifier = Identifier(body.kind, body.value, body.event)
        with release_worker_slot():
            wait_until_caught_up(run.container, request.app.state.log)
            data = handlers.find(run.container, request.app.state.clickhouse, website_id, identifier)
        return commands.ForgetVisitor(website_id, uuid7(), body.kind, data)

    return run.prepared(prepared, status=201, is_consistent=True)
