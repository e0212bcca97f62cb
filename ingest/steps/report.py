"""The steps of a reported conversion: from `/track/sale`, `/track/lead` and `/postback`."""

from __future__ import annotations

import re
from dataclasses import fields
from hashlib import blake2b
from operator import attrgetter
from typing import Final
from uuid import UUID, uuid5

import msgspec

from ingest.clock import log_text
from ingest.directory.directory import Key, Website
from ingest.errors import invalid, not_allowed
from ingest.event import Report, ReportedEvent
from ingest.money import check_minor_units, exponent_of
from ingest.request_context import RequestContext
from ingest.steps.stamp import event_time
from ingest.steps.validate import props_text
from schemas import click_id
from schemas.base import Money
from schemas.identity import conversion_id
from schemas.tracking import ConversionReported
from schemas.uuid7 import uuid7

DECIDING: Final = frozenset({"approved", "rejected", "reversed"})
"""Statuses that may follow each other, so that the same one may be reported again."""
MAX_COUPON: Final = 64
MAX_CUSTOMER: Final = 255
PLAIN: Final = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_content: Final = attrgetter(*(field.name for field in fields(Report)))


def limit_rate(event: ReportedEvent) -> None:
    """Charges the website's rate limit. Raises `EventRejected` (throttled)."""
    event.context.rate_limits.take(event.key.website.id, 1)


def check_permission(event: ReportedEvent) -> None:
    """What a site key may report. Raises `EventRejected` (click_id_needed, secret_key_needed)."""
    report = event.report
    if event.key.kind == "site":
        if not report.click_id:
            raise not_allowed("click_id_needed", "With a site key a conversion needs the click_id that it came from.")
        if report.status not in ("", "pending") or report.payout is not None:
            raise not_allowed("secret_key_needed", "status and payout need a secret key or postback token.")


def check_click_id(event: ReportedEvent) -> None:
    """Raises `EventRejected` (forged_click_id, foreign_click_id)."""
    if not event.report.click_id:
        return
    try:
        click = click_id.read(event.context.click_key, event.report.click_id)
    except click_id.ForgedClickId:
        raise invalid("forged_click_id", "click_id was not made here, or was changed") from None
    if not click.is_of(event.key.website.id):
        raise invalid("foreign_click_id", "click_id belongs to another website")


def check_amounts(event: ReportedEvent) -> None:
    """Raises `EventRejected` for amounts beyond the bound and for unknown currencies."""
    report = event.report
    for amount in (report.amount, report.payout):
        if amount is not None:
            check_minor_units(amount)
    if report.currency:
        exponent_of(report.currency)


def check_texts(event: ReportedEvent) -> None:
    """Raises `EventRejected` (bad_coupon, bad_customer_id)."""
    report = event.report
    for name, text, limit in (("coupon", report.coupon, MAX_COUPON), ("customer_id", report.customer_id, MAX_CUSTOMER)):
        if text and (len(text) > limit or PLAIN.fullmatch(text) is None):
            raise invalid(f"bad_{name}", f"{name} may have {limit} characters, none of them a control character")


def set_time(event: ReportedEvent) -> None:
    """Sets when it happened. Raises `EventRejected` (bad_time, too_old)."""
    event.occurred, _ = event_time(event.request, event.report.occurred_at)


def encode_props(event: ReportedEvent) -> None:
    """Sets the properties as they are kept. Raises `EventRejected` (bad_props, props_too_large)."""
    event.props = props_text(event.report.props) if event.report.props else ""


def to_reported(event: ReportedEvent) -> None:
    """Makes the value of the record, in which visitor and customer are pseudonyms. Raises `EventRejected`
    (bad_visitor_id)."""
    report, key, request, hasher = event.report, event.key, event.request, event.context.hasher
    website = key.website.id_bytes
    identity = identity_of(key, report)
    event.reported = ConversionReported(
        report_id=_report_id(identity, key, report, request),
        conversion_id=identity,
        website_id=key.website.id,
        kind=report.kind,
        event=report.event,
        txid=report.txid,
        reported_by=report.reported_by,
        occurred_at=log_text(event.occurred),
        received_at=request.received,
        click_id=report.click_id,
        visitor=hasher.named_visitor_id(website, report.visitor_id) if report.visitor_id else 0,
        coupon=report.coupon.upper(),
        partner_id=report.partner_id,
        amount=_money(report.amount, report, key.website),
        payout=_money(report.payout, report, key.website),
        status=report.status,
        customer=hasher.customer(website, report.customer_id) if report.customer_id else "",
        subs=report.subs,
        props=event.props,
        key_kind=key.kind,
        time_named=report.occurred_at is not None and event.occurred != request.now,
        address_class=request.client.bot_reason,
    )


def identity_of(key: Key, report: Report) -> UUID:
    """The conversion that the report belongs to."""
    return conversion_id(key.website.id, report.event, report.txid)


def _report_id(identity: UUID, key: Key, report: Report, request: RequestContext) -> UUID:
    """Equal reports with the same kind of key have the same id. A deciding status gets a new id each time, because it
    may be reported again after another one."""
    if report.status in DECIDING:
        return uuid7(request.now)
    return uuid5(identity, f"{key.kind}\n{_content_digest(report).hex()}")


def _content_digest(report: Report) -> bytes:
    return blake2b(_encode(_content(report)), digest_size=16).digest()


def _money(amount: int | None, report: Report, website: Website) -> Money | None:
    return None if amount is None else Money(amount=amount, currency=report.currency or website.currency)
