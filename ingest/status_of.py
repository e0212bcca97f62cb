"""`GET /track/conversions/{id}`: what became of a conversion; also the waiting behind `/track/sale?wait=true`."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from time import monotonic
from typing import Any, Final
from uuid import UUID

from infra.http_guard import Receive, Scope, Send
from ingest.answers import send_json, send_problem
from ingest.edge import Edge
from ingest.postgres import Postgres
from ingest.refused import Refused, Unavailable
from ingest.steps.identify_site import MAY_READ, bearer, identify
from schemas.tracking import NO_ID, Outcome

ENDPOINT: Final = "/track/conversions"
WAIT_S: Final = 2.0
LOOK_EVERY_S: Final = 0.04
_DECIDED: Final = """
SELECT c.website_id, c.status, c.reason, c.kind, c.event, c.txid, c.amount, c.currency, c.commission,
       c.commission_currency, c.click_id, c.attributed_by, c.occurred_at, c.recorded_at, c.decided_at,
       c.partner_id, p.slug, p.name, c.link_id, l.slug
FROM read.conversions c LEFT JOIN read.partners p ON p.id = c.partner_id LEFT JOIN read.links l ON l.id = c.link_id
WHERE c.id = %s
"""
_REPORTED: Final = "SELECT website_id FROM ingest.conversion_key WHERE conversion_id = %s"
_REFUSED: Final = "SELECT code, message FROM policy.refused_report WHERE conversion_id = %s ORDER BY at DESC LIMIT 1"
_STATUS: Final = "SELECT status FROM read.conversions WHERE id = %s"


async def conversion(edge: Edge, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the conversion, to the website that it belongs to; 404 for everybody else."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    try:
        key = await identify(edge.directory, bearer(headers), headers, MAY_READ)
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
    rows = await postgres.rows(_DECIDED, (identity,))
    if rows and rows[0][0] == website_id:
        return _shown(identity, rows[0])
    reported = await postgres.rows(_REPORTED, (identity,))
    if reported and reported[0][0] == website_id:
        refused = await postgres.rows(_REFUSED, (identity,))
        if refused:
            return {"id": str(identity), "status": "rejected", "reason": refused[0][0], "message": refused[0][1]}
        return {"id": str(identity), "status": "pending"}
    return None


async def wait_for_decision(postgres: Postgres, identity: UUID) -> dict[str, Any] | None:
    """The conversion as soon as it is recorded, at most `WAIT_S` from now; none when it is not by then."""
    deadline = monotonic() + WAIT_S
    while True:
        try:
            rows = await postgres.rows(_DECIDED, (identity,))
        except Unavailable:
            return None
        if rows:
            return _shown(identity, rows[0])
        if monotonic() + LOOK_EVERY_S > deadline:
            return None
        await asyncio.sleep(LOOK_EVERY_S)


async def current_status(postgres: Postgres, identity: UUID) -> str:
    """The status as far as it is known now."""
    try:
        rows = await postgres.rows(_STATUS, (identity,))
    except Unavailable:
        return "pending"
    return str(rows[0][0]) if rows else "pending"


def _shown(identity: UUID, row: tuple[Any, ...]) -> dict[str, Any]:
    partner = {"id": str(row[15]), "slug": row[16], "name": row[17]} if row[15] and row[15] != NO_ID else None
    link = {"id": str(row[18]), "slug": row[19]} if row[18] and row[18] != NO_ID else None
    return {
        "id": str(identity),
        "status": row[1],
        "reason": row[2] or None,
        "kind": row[3],
        "event": row[4],
        "txid": row[5],
        "amount": row[6],
        "currency": row[7],
        "commission": None if row[8] is None else {"amount": row[8], "currency": row[9]},
        "click_id": row[10] or None,
        "attributed_by": row[11] or None,
        "partner": partner,
        "link": link,
        "occurred_at": _time(row[12]),
        "recorded_at": _time(row[13]),
        "decided_at": _time(row[14]),
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _not_found() -> Refused:
    return Refused(Outcome.INVALID, "not_found", "There is no such conversion.", status=404)
