"""`POST /api/platform/websites/{id}/refused-reports/{refusalId}/replay`: reads a refused postback again."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Path, Request

from command_api.conversions import replay, schemas
from command_api.kernel.bulkhead import Bulkhead
from command_api.kernel.decision import conflict
from command_api.kernel.http import From, Id, SignedIn, container_of, context_for
from command_api.kernel.rate_limits import Limit, consume
from command_api.websites import model as websites
from command_api.websites import postback_tokens
from infra.kernel.security.audit_log import Entry, record

router = APIRouter(prefix="/api/platform/websites", tags=["websites"])

REPLAYS: Final = Limit("replayed-reports", timedelta(seconds=1), 60)
BULKHEAD: Final = Bulkhead(limit=4, limit_per_account=1, subject="Reports are", done="replayed")
MAX_WAIT_S: Final = 10.0


@router.post("/{id}/refused-reports/{refusalId}/replay")
def replay_refused_report(
    website_id: Id,
    refusal_id: Annotated[UUID, Path(alias="refusalId")],
    request: Request,
    person: SignedIn,
    client: From,
    body: schemas.ReplayReport | None = None,
) -> schemas.ReplayedReport:
    """Sends a postback that was refused for its partner, preset or fields through `/postback` again. A replay of what
    was counted already counts nothing twice. 409: it would be refused again."""
    container, context = container_of(request), context_for(person)
    website = websites.require_owned(container.load(website_id, websites.evolve), context)
    token = postback_tokens.newest(container, website.id)
    if token is None:
        raise conflict("no_postback_token", "The website has no postback token. Create one first.")
    consume(container.pool, REPLAYS, str(person.account_id))
    named = body or schemas.ReplayReport()
    with BULKHEAD.acquire(person.account_id, MAX_WAIT_S):
        kept = request.app.state.refused_reports.find(website.id, refusal_id)
        replayed = replay.send(
            container.settings.tracking_base_url, token, kept.again(partner=named.partner, preset=named.preset)
        )
    with container.pool.connection() as connection:
        details = {"refusal_id": str(refusal_id), "conversion_id": str(replayed.conversion_id)}
        who = person.account_id
        record(connection, Entry("report.replayed", "done", who, website.account_id, website.id, details), client)
    return replayed
