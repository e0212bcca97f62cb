"""`POST /track/sale` and `POST /track/lead`: a website reports a conversion (amounts in minor units)."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from infra.kernel.http.request_limits import Receive, Scope, Send
from ingest.context import IngestContext
from ingest.directory.directory import KeyEntry
from ingest.endpoints.conversion_reports import accept_report
from ingest.endpoints.conversion_status import current_status, first_status
from ingest.endpoints.report_fields import Number, Sender, read_report
from ingest.errors import EventRejected, Unavailable, invalid
from ingest.event import ConversionReport, ReportedEvent
from ingest.pipeline import NO_STEP, REPORT
from ingest.query_strings import parameters
from ingest.request_cost import exempt_server_key
from ingest.responses import send_json, send_problem
from ingest.steps.decode import MAX_EVENT_BYTES, finite, inflate, is_json, too_large
from ingest.steps.identify_site import MAY_READ, MAY_REPORT, bearer, identify
from ingest.steps.report import identity_of
from ingest.visitors.request_context import client_address, client_of, request_context
from schemas.tracking import NO_ID


class SentConversion(msgspec.Struct):
    """The body; unknown fields are ignored. Every value is read by `ingest.endpoints.report_fields`."""

    site: str | None = None
    click_id: Any = None
    visitor_id: Any = None
    coupon: Any = None
    txid: Any = None
    amount: Any = None
    currency: Any = None
    payout: Any = None
    status: Any = None
    event: Any = None
    occurred_at: Any = None
    customer_id: Any = None
    props: msgspec.Raw = msgspec.Raw(b"null")


_FIELDS: Final = tuple(name for name in SentConversion.__struct_fields__ if name not in ("site", "props"))
_decode: Final = msgspec.json.Decoder(SentConversion, float_hook=Number).decode
_decode_props: Final = msgspec.json.Decoder(Any, float_hook=finite).decode


async def sale(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers one reported sale."""
    await _report(context, scope, receive, send, "sale")


async def lead(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers one reported lead; amount and txid may be left out where there is a click id."""
    await _report(context, scope, receive, send, "lead")


async def _report(context: IngestContext, scope: Scope, receive: Receive, send: Send, kind: str) -> None:
    headers: dict[bytes, bytes] = dict(scope["headers"])
    body: bytes = (await receive()).get("body", b"")
    key: KeyEntry | None = None
    lookups = context.lookups(scope, receive)
    runner = REPORT.runner(context)
    try:
        query = parameters(scope["query_string"])
        text = bearer(headers) or query.get("site", "")
        if text:
            key = await identify(context.directory, text, headers, MAY_REPORT, lookups=lookups)
        runner.current = "decode"
        await context.scheduler.wait_if_large(
            body, key.website.id if key else client_address(scope, context.settings.trusted_proxies)
        )
        sent = _read(inflate(body, headers.get(b"content-encoding", b"")), headers.get(b"content-type", b""))
        runner.current = "identify_site"
        if key is None:
            key = await identify(context.directory, sent.site or "", headers, MAY_REPORT, lookups=lookups)
        exempt_server_key(scope, key)
        client = client_of(scope, headers, context.settings.trusted_proxies, context.places)
        runner.current = "decode"
        report = report_of(context, key, sent, kind)
        waits = query.get("wait", "").lower() in ("true", "1")
        earlier = await context.conversion_outcomes.current(identity_of(key, report)) if waits else None
        event = ReportedEvent(key, request_context(key, client, "server", headers), report)
        accepted = await accept_report(context, runner, event)
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
            await context.conversion_outcomes.wait_for(accepted.id, earlier)
            if accepted.adds or earlier is None
            else earlier
        )
        if decided is not None:
            # A key that may only report gets no more than the response to a report.
            answer = decided if key.kind in MAY_READ else {name: decided[name] for name in ("id", "status", "reason")}
            await send_json(send, 200, answer)
            runner.current = NO_STEP
            return
    pending_status = (
        first_status(context.postgres, event) if accepted.is_new else current_status(context.postgres, accepted.id)
    )
    status = await pending_status
    await send_json(send, 202 if accepted.is_new else 200, accepted.answer(status))
    runner.current = NO_STEP


def _read(body: bytes, content_type: bytes) -> SentConversion:
    is_json(content_type)
    if len(body) > MAX_EVENT_BYTES:
        raise too_large("A report may have 32 KB.")
    try:
        return _decode(body)
    except msgspec.ValidationError:
        raise invalid("not_a_report", "A report is one JSON object, and site a text.") from None
    except (ValueError, RecursionError):
        raise invalid("bad_json", "The body is not JSON in UTF-8.") from None


def report_of(context: IngestContext, key: KeyEntry, sent: SentConversion, kind: str) -> ConversionReport:
    """The report that was sent. Raises `EventRejected`."""
    fields = {name: getattr(sent, name) for name in _FIELDS}
    try:
        fields["props"] = _decode_props(sent.props)
    except (ValueError, RecursionError):
        fields["props"] = str(bytes(sent.props), "utf-8", "replace")
    sender = Sender(key, context.click_key, kind, txid_scope=key.website.txid_scope)
    return read_report(sender, fields)
