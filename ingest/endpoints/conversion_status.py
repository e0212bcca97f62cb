"""`GET /track/conversions/{id}`: the status of a conversion."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from infra.kernel.http.request_limits import Receive, Scope, Send
from ingest.context import IngestContext
from ingest.directory.postgres import Postgres
from ingest.errors import EventRejected, Unavailable
from ingest.event import ReportedEvent
from ingest.reports.conversion_outcomes import SELECT_CONVERSIONS, to_response
from ingest.request_cost import exempt_server_key
from ingest.responses import send_json, send_problem
from ingest.steps.identify_site import MAY_READ, bearer, identify
from schemas.tracking import NO_ID, Outcome

ENDPOINT: Final = "/track/conversions"
AWAITING_RATE: Final = "awaiting_rate"
"""The status of a sale that waits for an exchange rate: it is kept, and in no number yet."""
_WAITS: Final = "SELECT 1 FROM conversions.awaiting_exchange_rate WHERE conversion_id = %s LIMIT 1"
_HAS_RATE: Final = """
WITH known AS (SELECT DISTINCT base, quote FROM read.exchange_rates WHERE on_day <= %s),
linked AS (SELECT base AS one, quote AS other FROM known UNION SELECT quote, base FROM known)
SELECT EXISTS (SELECT FROM linked WHERE one = %s AND other = %s)
    OR EXISTS (SELECT FROM linked AS a JOIN linked AS b ON a.other = 'EUR' AND b.other = 'EUR'
               WHERE a.one = %s AND b.one = %s)
"""
"""Of the pair, its inverse, or of each currency against the euro, as `infra.domain.exchange_rates` derives rates."""
_REPORTED: Final = "SELECT website_id FROM ingest.conversion_key WHERE conversion_id = %s"
_REJECTED: Final = (
    "SELECT code, message FROM conversions.rejected_report WHERE conversion_id = %s ORDER BY at DESC LIMIT 1"
)
_STATUS: Final = "SELECT status FROM read.conversions WHERE id = %s"


async def conversion(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    """Returns the conversion to its website; 404 to all others."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    lookups = context.lookups(scope, receive)
    try:
        key = await identify(context.directory, bearer(headers), headers, MAY_READ, lookups=lookups)
        exempt_server_key(scope, key)
        try:
            identity = UUID(scope["path"].rpartition("/")[2])
        except ValueError:
            raise _not_found() from None
        answer = await read_conversion(context.postgres, key.website.id, identity)
        if answer is None:
            raise _not_found()
    except EventRejected as error:
        if error.status != 404:
            context.rejections.add(error, ENDPOINT, website_id=NO_ID)
        await send_problem(send, error)
        return
    except Unavailable as error:
        await send_problem(send, error)
        return
    await send_json(send, 200, answer)


async def read_conversion(postgres: Postgres, website_id: UUID, identity: UUID) -> dict[str, Any] | None:
    """The conversion of that website, or none. A reported conversion without a decision is pending."""
    rows = await postgres.rows(SELECT_CONVERSIONS, ([identity],))
    if rows and rows[0][0] == website_id:
        return to_response(rows[0])
    reported = await postgres.rows(_REPORTED, (identity,))
    if reported and reported[0][0] == website_id:
        refused = await postgres.rows(_REJECTED, (identity,))
        if refused and await postgres.rows(_WAITS, (identity,)):
            message = "The sale waits for an exchange rate to the website's currency; it counts once there is one."
            return {"id": str(identity), "status": AWAITING_RATE, "message": message}
        if refused:
            return {"id": str(identity), "status": "rejected", "reason": refused[0][0], "message": refused[0][1]}
        return {"id": str(identity), "status": "pending"}
    return None


async def current_status(postgres: Postgres, identity: UUID) -> str:
    """The current status; pending while it is unknown."""
    try:
        rows = await postgres.rows(_STATUS, (identity,))
        if rows:
            return str(rows[0][0])
        return AWAITING_RATE if await postgres.rows(_WAITS, (identity,)) else "pending"
    except Unavailable:
        return "pending"


async def first_status(postgres: Postgres, event: ReportedEvent) -> str:
    """The status of a sale that is reported for the first time, before anything is decided."""
    reported, own = event.reported, event.key.website.currency
    said = (reported.amount, reported.payout) if reported is not None else ()
    day = datetime.fromtimestamp(event.occurred / 1000, UTC).date()
    try:
        for currency in sorted({money.currency for money in said if money is not None} - {own}):
            ((has_rate,),) = await postgres.rows(_HAS_RATE, (day, currency, own, currency, own))
            if not has_rate:
                return AWAITING_RATE
    except Unavailable:
        return "pending"
    return "pending"


def _not_found() -> EventRejected:
    return EventRejected(Outcome.INVALID, "not_found", "Conversion not found.", status=404)
