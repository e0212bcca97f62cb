"""Reports of leads and sales: the one way that `/track/sale`, `/track/lead` and `/postback` share.

A report is a fact: it is checked, given the conversion's id (website, event name, transaction id) and appended to
topic `conversions` with the kind of key that sent it. What all reports of a transaction come to, and for whom it
counts, is decided later by the attribution policy; a report that says nothing new is answered without another record.
"""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, field
from hashlib import blake2b
from typing import Any, Final
from uuid import UUID, uuid5

import msgspec

from infra.log import Record
from ingest.clock import log_text
from ingest.conversion_keys import Claim, Verdict
from ingest.directory import Key, Website
from ingest.edge import Edge
from ingest.money import check_minor_units, exponent_of
from ingest.refused import Refused, Unavailable, invalid, not_allowed
from ingest.steps.stamp import moment_of
from ingest.steps.validate import props_text
from ingest.visit import Visit
from schemas import click_id, topics
from schemas.base import Money
from schemas.identity import conversion_id
from schemas.tracking import NO_ID, ConversionReported, Outcome
from schemas.uuid7 import uuid7

STATUSES: Final = frozenset({"pending", "approved", "rejected", "reversed", "hold"})
STATUS_DIGITS: Final = {"1": "approved", "2": "pending", "3": "rejected", "5": "hold"}
DECIDING: Final = frozenset({"approved", "rejected", "reversed"})
"""Statuses that may follow each other, so that the same one may be reported again."""
MAX_TXID: Final = 128
MAX_COUPON: Final = 64
MAX_CUSTOMER: Final = 255
_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_EVENT: Final = re.compile(r"[a-z0-9_.-]{1,64}", re.A)
_PLAIN: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Report:
    """What was reported, as it was sent; amounts in minor units, `None` = not said."""

    kind: str
    reported_by: str
    event: str
    txid: str
    click_id: str = ""
    visitor_id: str = ""
    coupon: str = ""
    amount: int | None = None
    payout: int | None = None
    currency: str = ""
    status: str = ""
    occurred_at: str | int | None = None
    customer_id: str = ""
    partner_id: UUID = NO_ID
    subs: dict[str, str] = field(default_factory=dict)
    props: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Taken:
    """The report is safe. `is_new`: it is the first of this conversion (202), else a repeat (200). `adds`: it was not
    in the log before."""

    id: UUID
    is_new: bool
    adds: bool


def identity_of(key: Key, report: Report) -> UUID:
    """The conversion that the report belongs to."""
    return conversion_id(key.website.id, report.event, report.txid)


async def take_report(edge: Edge, key: Key, visit: Visit, report: Report) -> Taken:
    """Checks the report and appends it to the log. Raises `Refused` and `Unavailable`; a report that names another
    amount than the one that stands is in the log, too, so that it is shown, and refused with 409."""
    edge.rates.take(key.website.id, 1)
    _check(edge, key, report)
    occurred, _ = moment_of(visit, report.occurred_at)
    props = props_text(report.props) if report.props else ""
    website = key.website.id_bytes
    identity = identity_of(key, report)
    reported = ConversionReported(
        report_id=_report_id(identity, key, report, visit),
        conversion_id=identity,
        website_id=key.website.id,
        kind=report.kind,
        event=report.event,
        txid=report.txid,
        reported_by=report.reported_by,
        occurred_at=log_text(occurred),
        received_at=visit.received,
        click_id=report.click_id,
        visitor=edge.hasher.named_visitor(website, report.visitor_id) if report.visitor_id else 0,
        coupon=report.coupon.upper(),
        partner_id=report.partner_id,
        amount=_money(report.amount, report, key.website),
        payout=_money(report.payout, report, key.website),
        status=report.status,
        customer=edge.hasher.customer(website, report.customer_id) if report.customer_id else "",
        subs=report.subs,
        props=props,
        key_kind=key.kind,
        time_named=report.occurred_at is not None and occurred != visit.now,
        address_class=visit.client.bot_reason,
    )
    claim = await _claim(edge, reported)
    if not claim.is_published:
        log_key = f"{key.website.id_text}:{report.txid}".encode()
        await edge.publisher.submit([Record(topics.CONVERSIONS.name, log_key, reported.model_dump_json().encode())])
        await _published(edge, reported)
    if claim.verdict is Verdict.CONFLICT:
        raise Refused(
            Outcome.INVALID,
            "amount_conflict",
            "This transaction was reported before with another amount; what was reported first stands.",
            status=409,
        )
    endpoint = "/postback" if report.reported_by == "postback" else f"/track/{report.reported_by}"
    edge.counters.outcomes[endpoint, Outcome.ACCEPTED.value] += 1
    return Taken(identity, claim.verdict is Verdict.FIRST, not claim.is_published)


def check_txid(text: str) -> str:
    """A transaction id. Raises `Refused` (missing_txid, bad_txid)."""
    if not text:
        raise invalid("missing_txid", "txid, your own id of the transaction, is needed")
    if len(text) > MAX_TXID or _PLAIN.fullmatch(text) is None:
        raise invalid("bad_txid", f"txid may have {MAX_TXID} characters, none of them a control character")
    return text


def check_event(text: str) -> str:
    """An event name, lower case. Raises `Refused` (bad_event)."""
    name = text.lower()
    if _EVENT.fullmatch(name) is None:
        raise invalid("bad_event", "event is a name of 1 to 64 of a-z, 0-9, _ . -")
    return name


def check_status(text: str) -> str:
    """A status, also as the networks' digits. Raises `Refused` (bad_status)."""
    status = STATUS_DIGITS.get(text, text.lower())
    if status and status not in STATUSES:
        raise invalid("bad_status", "status is pending, approved, rejected, reversed or hold (or 2, 1, 3, 5 for hold)")
    return status


def _check(edge: Edge, key: Key, report: Report) -> None:
    if key.kind == "site":
        if not report.click_id:
            raise not_allowed("click_id_needed", "With a site key a conversion needs the click_id that it came from.")
        if report.status not in ("", "pending") or report.payout is not None:
            raise not_allowed("secret_key_needed", "status and payout are taken with a secret key or postback token.")
    if report.click_id:
        try:
            click = click_id.read(edge.click_key, report.click_id)
        except click_id.ForgedClickId:
            raise invalid("forged_click_id", "click_id was not made here, or was changed") from None
        if not click.is_of(key.website.id):
            raise invalid("foreign_click_id", "click_id belongs to another website")
    for amount in (report.amount, report.payout):
        if amount is not None:
            check_minor_units(amount)
    if report.currency:
        exponent_of(report.currency)
    for name, text, limit in (("coupon", report.coupon, MAX_COUPON), ("customer_id", report.customer_id, MAX_CUSTOMER)):
        if text and (len(text) > limit or _PLAIN.fullmatch(text) is None):
            raise invalid(f"bad_{name}", f"{name} may have {limit} characters, none of them a control character")


def _report_id(identity: UUID, key: Key, report: Report, visit: Visit) -> UUID:
    """The same words of the same kind of key are the same report, however often they are sent; but a status may be
    reported again after another one."""
    if report.status in DECIDING:
        return uuid7(visit.now)
    return uuid5(identity, f"{key.kind}\n{_words(report).hex()}")


def _words(report: Report) -> bytes:
    """A digest of what the report says."""
    return blake2b(_encode(astuple(report)), digest_size=16).digest()


async def _claim(edge: Edge, reported: ConversionReported) -> Claim:
    """How the report stands to earlier ones; while that cannot be told it counts as the first: the policy decides."""
    try:
        return await edge.conversion_keys.claim(reported)
    except Unavailable:
        return Claim(Verdict.FIRST)


async def _published(edge: Edge, reported: ConversionReported) -> None:
    try:
        await edge.conversion_keys.published(reported)
    except Unavailable:
        return  # the next repeat is published again, which the policy takes for the same report


def _money(amount: int | None, report: Report, website: Website) -> Money | None:
    return None if amount is None else Money(amount=amount, currency=report.currency or website.currency)
