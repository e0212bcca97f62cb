"""`GET /track/conversions/{id}`: what became of a conversion."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from infra.http_guard import Receive, Scope, Send
from ingest.answers import send_json, send_problem
from ingest.decisions import DECIDED, shown
from ingest.edge import Edge
from ingest.postgres import Postgres
from ingest.refused import Refused, Unavailable
from ingest.steps.identify_site import MAY_READ, bearer, identify
from ingest.tolls import vouch
from schemas.tracking import NO_ID, Outcome

ENDPOINT: Final = "/track/conversions"
_REPORTED: Final = "SELECT website_id FROM ingest.conversion_key WHERE conversion_id = %s"
_REFUSED: Final = "SELECT code, message FROM policy.refused_report WHERE conversion_id = %s ORDER BY at DESC LIMIT 1"
_STATUS: Final = "SELECT status FROM read.conversions WHERE id = %s"


async def conversion(edge: Edge, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the conversion, to the website that it belongs to; 404 for everybody else."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    check = edge.tolls.checking(scope, edge.settings.trusted_proxies)
    try:
        key = await identify(edge.directory, bearer(headers), headers, MAY_READ, before_lookup=check)
        vouch(scope, key)
        try:
            identity = UUID(scope["path"].rpartition("/")[2])
        except ValueError:
            raise _not_found() from None
        found = await read_conversion(edge.postgres, key.website.id, identity)
        if found is None:
            raise _not_found()
    except Refused as error:
        if error.status != 404:
            edge.refusals.add(error, ENDPOINT, website_id=NO_ID)
        await send_problem(send, error)
        return
    except Unavailable as error:
        await send_problem(send, error)
        return
    await send_json(send, 200, found)


async def read_conversion(postgres: Postgres, website_id: UUID, identity: UUID) -> dict[str, Any] | None:
    """The conversion of that website, or none. One that is reported and not yet decided is pending."""
    rows = await postgres.rows(DECIDED, ([identity],))
    if rows and rows[0][0] == website_id:
        return shown(rows[0])
    reported = await postgres.rows(_REPORTED, (identity,))
    if reported and reported[0][0] == website_id:
        refused = await postgres.rows(_REFUSED, (identity,))
        if refused:
            return {"id": str(identity), "status": "rejected", "reason": refused[0][0], "message": refused[0][1]}
        return {"id": str(identity), "status": "pending"}
    return None


async def current_status(postgres: Postgres, identity: UUID) -> str:
    """The status as far as it is known now."""
    try:
        rows = await postgres.rows(_STATUS, (identity,))
    except Unavailable:
        return "pending"
    return str(rows[0][0]) if rows else "pending"


def _not_found() -> Refused:
    return Refused(Outcome.INVALID, "not_found", "There is no such conversion.", status=404)
