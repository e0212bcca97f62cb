"""The steps of a reported conversion: from `/track/sale`, `/track/lead` and `/postback`."""

from __future__ import annotations

from hashlib import blake2b
from operator import attrgetter
from typing import Final
from uuid import UUID, uuid5

import msgspec

from ingest.clock import log_text
from ingest.directory.directory import KeyEntry, WebsiteRow
from ingest.errors import not_allowed
from ingest.event import ConversionReport, ReportedEvent
from ingest.limits.rate_limits import SiteRateLimits
from ingest.steps.pseudonymise import Hasher
from ingest.steps.stamp import event_time
from ingest.steps.validate import props_text
from ingest.visitors.request_context import RequestContext
from schemas.base import Money
from schemas.identity import conversion_id
from schemas.networks import TxidScope
from schemas.tracking import ConversionReported
from schemas.uuid7 import uuid7

DECIDING: Final = frozenset({"approved", "rejected", "reversed"})
"""Statuses that may follow each other, so that the same one may be reported again."""
_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_content: Final = attrgetter(
    *("kind", "reported_by", "event", "txid", "click_id", "visitor_id", "coupon", "amount", "payout", "currency"),
    *("status", "occurred_at", "customer_id", "partner_id", "subs", "props"),
)


def limit_rate(event: ReportedEvent, *, rate_limits: SiteRateLimits) -> None:
    """Charges the website's rate limit. Raises `EventRejected` (throttled)."""
    rate_limits.take(event.key.website.id, 1)


def check_permission(event: ReportedEvent) -> None:
    """Checks that the key may report this. Raises `EventRejected` (click_id_needed, secret_key_needed)."""
    report = event.report
    if event.key.kind == "site":
        if not report.click_id:
            raise not_allowed("click_id_needed", "With a site key a conversion needs the click_id that it came from.")
        if report.status not in ("", "pending") or report.payout is not None:
            raise not_allowed("secret_key_needed", "status and payout need a secret key or postback token.")


def set_time(event: ReportedEvent) -> None:
    """Sets when it happened. Raises `EventRejected` (bad_time, too_old)."""
    event.occurred, _ = event_time(event.request, event.report.occurred_at)


def encode_props(event: ReportedEvent) -> None:
    """Sets the properties as they are kept. Raises `EventRejected` (bad_props, props_too_large)."""
    event.props = props_text(event.report.props) if event.report.props else ""


def to_reported(event: ReportedEvent, *, hasher: Hasher) -> None:
    """Makes the value of the record, in which visitor and customer are pseudonyms. Raises `EventRejected`
    (bad_visitor_id)."""
    report, key, request = event.report, event.key, event.request
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
        txid_scope=report.txid_scope if report.txid_scope is TxidScope.CLICK else "",
        other_id=report.other_id,
        unread=report.unread,
        exact=report.exact,
    )


def identity_of(key: KeyEntry, report: ConversionReport) -> UUID:
    """The conversion that the report belongs to."""
    click = report.click_id if report.txid_scope is TxidScope.CLICK else ""
    return conversion_id(key.website.id, report.event, report.txid, click_id=click, apart=report.apart)


def _report_id(identity: UUID, key: KeyEntry, report: ConversionReport, request: RequestContext) -> UUID:
    """Returns the report's id: equal reports with the same kind of key have the same id. A deciding status gets a new
    id each time, because it may be reported again after another one."""
    if report.status in DECIDING:
        return uuid7(request.now)
    return uuid5(identity, f"{key.kind}\n{_content_digest(report).hex()}")


def _content_digest(report: ConversionReport) -> bytes:
    """A report that was read in full has the digest that it always had."""
    content = _content(report)
    if report.unread or report.exact:
        content = (*content, report.unread, report.exact)
    return blake2b(_encode(content), digest_size=16).digest()


def _money(amount: int | None, report: ConversionReport, website: WebsiteRow) -> Money | None:
    return None if amount is None else Money(amount=amount, currency=report.currency or website.currency)
