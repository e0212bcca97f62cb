"""`POST /track/sale` and `POST /track/lead`: a website reports a conversion (amounts in minor units)."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from infra.kernel.http.request_limits import Receive, Scope, Send
from ingest.context import IngestContext
from ingest.conversion_reports import accept_report, check_event, check_status, check_txid
from ingest.directory.directory import Key
from ingest.endpoints.conversion_status import current_status
from ingest.errors import EventRejected, Unavailable, invalid
from ingest.event import Report, ReportedEvent
from ingest.pipeline import NO_STEP, REPORT
from ingest.query_strings import parameters
from ingest.request_context import client_address, client_of, request_context
from ingest.request_cost import exempt_server_key
from ingest.responses import send_json, send_problem
from ingest.steps.decode import MAX_EVENT_BYTES, finite, inflate, is_json, too_large
from ingest.steps.identify_site import MAY_READ, MAY_REPORT, bearer, identify
from ingest.steps.report import identity_of
from schemas.tracking import NO_ID

Text = str | int | None


class SentConversion(msgspec.Struct):
    """The body; unknown fields are ignored."""

    site: str | None = None
    click_id: str | None = None
    visitor_id: Text = None
    coupon: str | None = None
    txid: Text = None
    amount: int | None = None
    currency: str | None = None
    payout: int | None = None
    status: Text = None
    event: str | None = None
    occurred_at: str | int | None = None
    customer_id: Text = None
    props: dict[str, Any] | None = None


_decode: Final = msgspec.json.Decoder(SentConversion, float_hook=finite).decode
_FIELD: Final = re.compile(r"at `\$\.(\w+)")


async def sale(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers one reported sale."""
    await _report(context, scope, receive, send, "sale")


async def lead(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers one reported lead; amount and txid may be left out where there is a click id."""
    await _report(context, scope, receive, send, "lead")


async def _report(context: IngestContext, scope: Scope, receive: Receive, send: Send, kind: str) -> None:
    headers: dict[bytes, bytes] = dict(scope["headers"])
    body: bytes = (await receive()).get("body", b"")
    key: Key | None = None
    lookups = context.lookups(scope, receive)
    runner = REPORT.runner(context.counters)
    try:
        query = parameters(scope["query_string"])
        text = bearer(headers) or query.get("site", "")
        if text:
            key = await identify(context.directory, text, headers, MAY_REPORT, lookups=lookups)
        runner.current = "decode"
        await context.scheduler.before(
            body, key.website.id if key else client_address(scope, context.settings.trusted_proxies)
        )
        sent = _read(inflate(body, headers.get(b"content-encoding", b"")), headers.get(b"content-type", b""))
        runner.current = "identify_site"
        if key is None:
            key = await identify(context.directory, sent.site or "", headers, MAY_REPORT, lookups=lookups)
        exempt_server_key(scope, key)
        client = client_of(scope, headers, context.settings.trusted_proxies, context.places)
        runner.current = "decode"
        report = report_of(sent, kind)
        waits = query.get("wait", "").lower() in ("true", "1")
        before = await context.conversion_outcomes.current(identity_of(key, report)) if waits else None
        event = ReportedEvent(context, key, request_context(key, client, "server", headers), report)
        accepted = await accept_report(runner, event)
    except EventRejected as error:
        runner.drop(error.code)
        context.rejections.add(
            error,
            f"/track/{kind}",
            website_id=key.website.id if key is not None else NO_ID,
            key_kind=key.kind if key is not None else "",
            sample=body,
        )
        await send_problem(send, error)
        return
    except Unavailable as error:
        await send_problem(send, error)
        return
    if waits:
        decided = (
            await context.conversion_outcomes.wait_for(accepted.id, before)
            if accepted.adds or before is None
            else before
        )
        if decided is not None:
            # A key that may only report gets no more than the response to a report.
            shown = decided if key.kind in MAY_READ else {name: decided[name] for name in ("id", "status", "reason")}
            await send_json(send, 200, shown)
            runner.current = NO_STEP
            return
    status = "pending" if accepted.is_new else await current_status(context.postgres, accepted.id)
    await send_json(send, 202 if accepted.is_new else 200, {"id": str(accepted.id), "status": status})
    runner.current = NO_STEP


def _read(body: bytes, content_type: bytes) -> SentConversion:
    is_json(content_type)
    if len(body) > MAX_EVENT_BYTES:
        raise too_large("A report may have 32 KB.")
    try:
        return _decode(body)
    except msgspec.ValidationError as error:
        field = _FIELD.search(str(error))
        if field is None:
            raise invalid("not_a_report", "A report is one JSON object.") from None
        name, found = field.group(1), str(error).partition(" - at ")[0]
        hint = "an integer in minor units (1099 = 10.99 USD)" if name in ("amount", "payout") else found
        raise invalid(f"bad_{name}", f"{name}: {hint}") from None
    except (ValueError, RecursionError):
        raise invalid("bad_json", "The body is not JSON in UTF-8.") from None


def report_of(sent: SentConversion, kind: str) -> Report:
    """The report that was sent. Raises `EventRejected`."""
    click = sent.click_id or ""
    txid = "" if sent.txid is None else str(sent.txid)
    if kind == "sale":
        if sent.amount is None:
            raise invalid("missing_amount", "amount is required: an integer in minor units (1099 = 10.99 USD)")
        if not sent.currency:
            raise invalid("missing_currency", "currency is required: an ISO 4217 code such as USD")
    return Report(
        kind=kind,
        reported_by=kind,
        event=check_event(sent.event or kind),
        txid=check_txid(txid or (click if kind == "lead" else "")),
        click_id=click,
        visitor_id="" if sent.visitor_id is None else str(sent.visitor_id),
        coupon=sent.coupon or "",
        amount=sent.amount,
        payout=sent.payout,
        currency=sent.currency or "",
        status=check_status("" if sent.status is None else str(sent.status)),
        occurred_at=sent.occurred_at,
        customer_id="" if sent.customer_id is None else str(sent.customer_id),
        props=sent.props or {},
    )
