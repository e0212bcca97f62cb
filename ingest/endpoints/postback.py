"""`GET|POST /postback`: a partner or network reports a conversion in the trackers' way (decimal amounts)."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec

from infra.http_guard import Receive, Scope, Send
from ingest.answers import send_json, send_problem
from ingest.conversions import Report, check_event, check_status, check_txid, take_report
from ingest.directory import Check, Directory, Key
from ingest.edge import Edge
from ingest.money import minor_units
from ingest.presets import Preset, preset_of, translate
from ingest.query import parameters
from ingest.referrers import MAX_TEXT, clean
from ingest.refused import Refused, Unavailable, invalid
from ingest.rows import SUBS
from ingest.status_of import current_status
from ingest.steps.decode import MAX_EVENT_BYTES, inflate, too_large
from ingest.steps.identify_site import MAY_POSTBACK, bearer, identify
from ingest.tolls import vouch
from ingest.visit import client_address, client_of, visit_of
from schemas.tracking import NO_ID, Outcome

ENDPOINT: Final = "/postback"
_scalars = msgspec.json.Decoder(dict[str, str | int | None])


async def postback(edge: Edge, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers one postback: 202 the first time, 200 for a repeat, problem+json else."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    key: Key | None = None
    sent: dict[str, str] = {}
    check = edge.tolls.checking(scope, edge.settings.trusted_proxies)
    try:
        sent = await _read(edge, scope, receive, headers)
        preset, partner_id = await _preset(edge.directory, sent, check)
        fields = translate(preset, sent)
        token = bearer(headers) or fields.get("token", "")
        key = await identify(edge.directory, token, headers, MAY_POSTBACK, before_lookup=check)
        vouch(scope, key)
        client = client_of(scope, headers, edge.settings.trusted_proxies, edge.places)
        taken = await take_report(
            edge, key, visit_of(key, client, "server", headers), _report(key, preset, fields, partner_id)
        )
    except Refused as error:
        shown = {name: value for name, value in sent.items() if "token" not in name.lower()}
        edge.refusals.add(
            error,
            ENDPOINT,
            website_id=key.website.id if key is not None else NO_ID,
            key_kind=key.kind if key is not None else "",
            sample=msgspec.json.encode(shown),
        )
        await send_problem(send, error)
        return
    except Unavailable as error:
        await send_problem(send, error)
        return
    status = "pending" if taken.is_new else await current_status(edge.postgres, taken.id)
    await send_json(send, 202 if taken.is_new else 200, {"id": str(taken.id), "status": status})


async def _read(edge: Edge, scope: Scope, receive: Receive, headers: dict[bytes, bytes]) -> dict[str, str]:
    sent = parameters(scope["query_string"])
    if scope["method"] != "POST":
        return sent
    packed: bytes = (await receive()).get("body", b"")
    await edge.turns.before(packed, client_address(scope, edge.settings.trusted_proxies))
    body = inflate(packed, headers.get(b"content-encoding", b""))
    if not body:
        return sent
    if len(body) > MAX_EVENT_BYTES:
        raise too_large("A postback may have 32 KB.")
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if kind in (b"application/x-www-form-urlencoded", b""):
        return parameters(body) | sent
    if kind != b"application/json":
        raise Refused(
            Outcome.INVALID, "unsupported_media_type", "Send a form, JSON, or everything in the query.", status=415
        )
    try:
        found = _scalars.decode(body)
    except (ValueError, RecursionError):
        raise invalid("bad_json", 'The body is not a JSON object of texts; write amounts as text: "12.50".') from None
    return {name: str(value) for name, value in found.items() if value is not None} | sent


async def _preset(directory: Directory, sent: dict[str, str], before_lookup: Check) -> tuple[Preset, UUID]:
    """The preset that is named, else the named partner's own; and that partner. Raises `Unavailable` while it cannot be
    told whether there is one."""
    name, slug = sent.get("preset", ""), sent.get("partner", "")
    if not slug:
        return preset_of(name), NO_ID
    partner = await directory.partner(slug, before_lookup)
    if partner is None:
        raise invalid("unknown_partner", "partner is not the slug of a partner")
    return preset_of(name or partner.preset), partner.id


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
