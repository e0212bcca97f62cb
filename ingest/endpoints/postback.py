"""`GET|POST /postback`: a partner or network reports a conversion in the trackers' format (decimal amounts).

With `dry_run=1` the report takes every step of the pipeline and is answered, but not recorded.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final
from uuid import UUID

import msgspec

from infra.kernel.http.request_limits import Receive, Scope, Send
from ingest.context import IngestContext
from ingest.conversion_reports import accept_report, check_event, check_report, check_status, check_txid
from ingest.directory.directory import Directory, Key, Partner
from ingest.directory.request_lookups import RequestLookups
from ingest.endpoints.conversion_status import current_status
from ingest.errors import EventRejected, Unavailable, invalid
from ingest.event import Report, ReportedEvent
from ingest.money import minor_units
from ingest.pipeline import NO_STEP, POSTBACK
from ingest.presets import TOKEN_NAMES, Preset, preset_of, translate
from ingest.query_strings import parameters
from ingest.referrers import MAX_TEXT, clean
from ingest.request_context import Headers, client_address, client_of, request_context
from ingest.request_cost import exempt_server_key
from ingest.responses import send_json, send_problem
from ingest.steps.decode import MAX_EVENT_BYTES, inflate, too_large
from ingest.steps.identify_site import MAY_POSTBACK, bearer, identify
from schemas.tracking import NO_ID, SUBS, Outcome

ENDPOINT: Final = "/postback"
DRY_RUN: Final = "dry_run"
_scalars = msgspec.json.Decoder(dict[str, str | int | None])


async def postback(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers one postback: 202 the first time, 200 for a repeat, problem+json else."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    key: Key | None = None
    sent: dict[str, str] = {}
    lookups = context.lookups(scope, receive)
    runner = POSTBACK.runner(context.counters)
    try:
        sent = await _read(context, scope, receive, headers)
        runner.current = "look_up"
        preset, partner = await _preset(context.directory, sent, lookups)
        runner.current = "identify_site"
        fields = translate(preset, sent)
        token = bearer(headers) or fields.get("token", "")
        key = await identify(context.directory, token, headers, MAY_POSTBACK, lookups=lookups)
        exempt_server_key(scope, key)
        runner.current = "decode"
        client = client_of(scope, headers, context.settings.trusted_proxies, context.places)
        request = request_context(key, client, "server", headers)
        event = ReportedEvent(context, key, request, _report(key, preset, fields, _partner_id(partner, key)))
        if _is_dry_run(sent):
            await send_json(send, 200, {"id": str(check_report(runner, event)), "status": DRY_RUN})
            runner.current = NO_STEP
            return
        accepted = await accept_report(runner, event)
    except EventRejected as error:
        runner.drop(error.code)
        if not _is_dry_run(sent):
            key = key or await _sender(context, error, sent or parameters(scope["query_string"]), headers, lookups)
            shown = {name: value for name, value in sent.items() if "token" not in name.lower()}
            context.rejections.add(
                error,
                ENDPOINT,
                website_id=key.website.id if key is not None else NO_ID,
                key_kind=key.kind if key is not None else "",
                sample=msgspec.json.encode(shown),
                partner=sent.get("partner", ""),
            )
        await send_problem(send, error)
        return
    except Unavailable as error:
        await send_problem(send, error)
        return
    status = "pending" if accepted.is_new else await current_status(context.postgres, accepted.id)
    await send_json(send, 202 if accepted.is_new else 200, {"id": str(accepted.id), "status": status})
    runner.current = NO_STEP


def _is_dry_run(sent: dict[str, str]) -> bool:
    """Whether the postback is only checked: nothing of it is recorded, so that no number counts it."""
    return sent.get(DRY_RUN) == "1"


async def _sender(
    context: IngestContext, error: EventRejected, sent: dict[str, str], headers: Headers, lookups: RequestLookups
) -> Key | None:
    """The key of a postback that was rejected before its key was read, so that the website's owner sees it: a wrong
    partner, preset or body."""
    if error.outcome is Outcome.UNKNOWN_SITE or error.website_id != NO_ID:
        return None
    with suppress(EventRejected, Unavailable):
        text = bearer(headers) or next((sent[name] for name in TOKEN_NAMES if name in sent), "")
        return await identify(context.directory, text, headers, MAY_POSTBACK, lookups=lookups)
    return None


async def _read(context: IngestContext, scope: Scope, receive: Receive, headers: dict[bytes, bytes]) -> dict[str, str]:
    sent = parameters(scope["query_string"])
    if scope["method"] != "POST":
        return sent
    packed: bytes = (await receive()).get("body", b"")
    await context.scheduler.before(packed, client_address(scope, context.settings.trusted_proxies))
    body = inflate(packed, headers.get(b"content-encoding", b""))
    if not body:
        return sent
    if len(body) > MAX_EVENT_BYTES:
        raise too_large("A postback may have 32 KB.")
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind in (b"application/x-www-form-urlencoded", b""):
        return parameters(body) | sent
    if kind != b"application/json":
        raise EventRejected(
            Outcome.INVALID, "unsupported_media_type", "Send a form, JSON, or everything in the query.", status=415
        )
    try:
        found = _scalars.decode(body)
    except (ValueError, RecursionError):
        raise invalid("bad_json", 'The body is not a JSON object of texts; write amounts as text: "12.50".') from None
    return {name: str(value) for name, value in found.items() if value is not None} | sent


async def _preset(directory: Directory, sent: dict[str, str], lookups: RequestLookups) -> tuple[Preset, Partner | None]:
    """The preset of the request, otherwise the partner's; and that partner. Raises `Unavailable` when the look-up of
    the partner fails."""
    name, slug = sent.get("preset", ""), sent.get("partner", "")
    if not slug:
        return preset_of(name), None
    partner = await directory.partner(slug, lookups)
    if partner is None:
        raise _unknown_partner()
    return preset_of(name or partner.preset), partner


def _partner_id(partner: Partner | None, key: Key) -> UUID:
    """Of the partner that the postback names. Raises `EventRejected` for a private partner of another account."""
    if partner is None:
        return NO_ID
    if not partner.is_open_to(key.website):
        raise _unknown_partner()
    return partner.id


def _unknown_partner() -> EventRejected:
    return invalid("unknown_partner", "partner is not the slug of a partner")


def _report(key: Key, preset: Preset, fields: dict[str, str], partner_id: UUID) -> Report:
    event = check_event(fields.get("event", "sale"))
    currency = fields.get("currency", key.website.currency).upper()
    amount, payout = fields.get("amount"), fields.get("payout")
    click = fields.get("click_id", "")
    return Report(
        kind="lead" if event in preset.leads else "sale",
        reported_by="postback",
        event=event,
        txid=check_txid(fields.get("txid") or click),
        click_id=click,
        coupon=fields.get("coupon", ""),
        amount=None if amount is None else minor_units(amount, currency),
        payout=None if payout is None else minor_units(payout, currency),
        currency=currency,
        status=check_status(fields.get("status", "")),
        occurred_at=fields.get("occurred_at"),
        customer_id=fields.get("customer_id", ""),
        partner_id=partner_id,
        subs={name: clean(fields[name])[:MAX_TEXT] for name in SUBS if name in fields},
    )
