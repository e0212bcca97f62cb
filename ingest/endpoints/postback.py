"""`GET|POST /postback`: a partner or network reports a conversion in the trackers' format (decimal amounts).

With `dry_run=1` the report takes every step of the pipeline and is answered, but not recorded.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

import msgspec

from infra.kernel.http.request_limits import Receive, Scope, Send
from ingest.clock import now_ms, parse_moment
from ingest.context import IngestContext
from ingest.directory.directory import Directory, KeyEntry, PartnerRow
from ingest.directory.request_lookups import RequestLookups
from ingest.endpoints.conversion_reports import accept_report, check_report
from ingest.endpoints.conversion_status import current_status, first_status
from ingest.endpoints.report_fields import Sender, read_report
from ingest.errors import EventRejected, Unavailable, invalid
from ingest.event import ReportedEvent
from ingest.pipeline import NO_STEP, POSTBACK
from ingest.query_strings import parameters
from ingest.reports.presets import TOKEN_NAMES, Preset, preset_of, translate
from ingest.request_cost import exempt_server_key
from ingest.responses import send_json, send_problem
from ingest.steps.decode import MAX_EVENT_BYTES, inflate, too_large
from ingest.steps.identify_site import MAY_POSTBACK, bearer, identify
from ingest.steps.stamp import PAST_MS
from ingest.visitors.request_context import Headers, client_address, client_of, request_context
from schemas.networks import txid_scope_of
from schemas.tracking import NO_ID, Outcome

ENDPOINT: Final = "/postback"
DRY_RUN: Final = "dry_run"
REPAIRABLE: Final = frozenset({"unknown_partner", "unknown_preset", "missing_txid", "repeated_field"})
"""Codes of refusals that another mapping may end: a partner that is added, its network, another preset."""
AWIN_PUSH: Final = "AwinTransactionPush"
"""The one field of the form that Awin posts; it has JSON, in the names of preset `awin`."""
_AWIN_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_object = msgspec.json.Decoder(dict[str, Any], float_hook=str)


async def postback(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers one postback: 202 the first time, 200 for a repeat, problem+json else."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    key: KeyEntry | None = None
    sent: dict[str, str] = {}
    lookups = context.lookups(scope, receive)
    runner = POSTBACK.runner(context)
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
        event = ReportedEvent(key, request, read_report(_sender_of(context, key, preset, partner), fields))
        if _is_dry_run(sent):
            await send_json(send, 200, check_report(runner, event).answer(DRY_RUN))
            runner.current = NO_STEP
            return
        accepted = await accept_report(context, runner, event)
    except EventRejected as error:
        runner.drop(error.code)
        if not _is_dry_run(sent):
            key = key or await _sender(context, error, sent or parameters(scope["query_string"]), headers, lookups)
            public_fields = {name: value for name, value in sent.items() if "token" not in name.lower()}
            context.rejections.add(
                error,
                ENDPOINT,
                website_id=key.website.id if key is not None else NO_ID,
                key_kind=key.kind if key is not None else "",
                sample=msgspec.json.encode(public_fields),
                partner=sent.get("partner", ""),
                request=public_fields if error.code in REPAIRABLE else None,
            )
        await send_problem(send, error)
        return
    except Unavailable as error:
        await send_problem(send, error)
        return
    pending_status = (
        first_status(context.postgres, event) if accepted.is_new else current_status(context.postgres, accepted.id)
    )
    status = await pending_status
    await send_json(send, 202 if accepted.is_new else 200, accepted.answer(status))
    runner.current = NO_STEP


def _is_dry_run(sent: dict[str, str]) -> bool:
    """Returns whether the postback is only checked: nothing of it is recorded, so that no number counts it."""
    return sent.get(DRY_RUN) == "1"


async def _sender(
    context: IngestContext, error: EventRejected, sent: dict[str, str], headers: Headers, lookups: RequestLookups
) -> KeyEntry | None:
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
    await context.scheduler.wait_if_large(packed, client_address(scope, context.settings.trusted_proxies))
    body = inflate(packed, headers.get(b"content-encoding", b""))
    if not body:
        return sent
    if len(body) > MAX_EVENT_BYTES:
        raise too_large("A postback may have 32 KB.")
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind in (b"application/x-www-form-urlencoded", b""):
        form = parameters(body)
        pushed = form.pop(AWIN_PUSH, None)
        return form | sent if pushed is None else {"preset": "awin"} | _awin_push(pushed) | sent
    if kind != b"application/json":
        raise EventRejected(
            Outcome.INVALID, "unsupported_media_type", "Send a form, JSON, or everything in the query.", status=415
        )
    return _texts(body) | sent


def _awin_push(pushed: str) -> dict[str, str]:
    """The members of what Awin pushes. Its `transactionDate` is in UTC, unlike the one that a postback URL names: the
    time of the sale. One that reports may not be dated back to is left out: the push may be about the status of an
    old sale."""
    members = _texts(pushed)
    if _AWIN_TIME.fullmatch(members.get("transactionDate", "")):
        moment = f"{members['transactionDate'].replace(' ', 'T')}Z"
        with suppress(EventRejected):
            if parse_moment(moment) > now_ms() - PAST_MS["secret"]:
                members["occurred_at"] = moment
    return members


def _texts(body: bytes | str) -> dict[str, str]:
    """The members of a JSON object as the query would have them; numbers as they are written. Raises `EventRejected`
    (bad_json)."""
    try:
        members = _object.decode(body)
    except (ValueError, RecursionError):
        raise invalid("bad_json", "The body is not a JSON object.") from None
    return {name: _text(value) for name, value in members.items() if value is not None}


def _text(value: Any) -> str:
    if isinstance(value, bool | list | dict):
        return msgspec.json.encode(value).decode()
    return str(value)


async def _preset(
    directory: Directory, sent: dict[str, str], lookups: RequestLookups
) -> tuple[Preset, PartnerRow | None]:
    """The preset of the request, otherwise the partner's; and that partner. Raises `Unavailable` when the look-up of
    the partner fails."""
    name, slug = sent.get("preset", ""), sent.get("partner", "")
    if not slug:
        return preset_of(name), None
    partner = await directory.partner(slug, lookups)
    if partner is None:
        raise _unknown_partner()
    return preset_of(name or partner.preset), partner


def _partner_id(partner: PartnerRow | None, key: KeyEntry) -> UUID:
    """Returns the id of the partner that the postback names. Raises `EventRejected` for a private partner of another
    account."""
    if partner is None:
        return NO_ID
    if not partner.is_open_to(key.website):
        raise _unknown_partner()
    return partner.id


def _unknown_partner() -> EventRejected:
    return invalid("unknown_partner", "There is no partner with this slug.")


def _sender_of(context: IngestContext, key: KeyEntry, preset: Preset, partner: PartnerRow | None) -> Sender:
    return Sender(
        key,
        context.click_key,
        "postback",
        preset.statuses,
        preset.leads,
        txid_scope_of(preset.slug, key.website.txid_scope),
        _partner_id(partner, key),
    )
