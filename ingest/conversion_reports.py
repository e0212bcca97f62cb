"""Reports of leads and sales: the code that `/track/sale`, `/track/lead` and `/postback` share.

A report is a fact: its pipeline validates it and gives it the conversion's id (website, event name, transaction id); it
is appended to topic `conversions` with the kind of key that sent it. The attribution policy later merges all reports of
a transaction and attributes the conversion. A report without new content is answered without another record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from infra.kernel.log import Record
from ingest.context import IngestContext
from ingest.conversion_keys import Claim, Verdict
from ingest.errors import EventRejected, Unavailable, invalid
from ingest.event import ReportedEvent
from ingest.pipeline import Runner
from ingest.steps.report import PLAIN
from schemas import topics
from schemas.message_ids import CORRELATION_ID
from schemas.tracking import ConversionReported, Outcome

STATUSES: Final = frozenset({"pending", "approved", "rejected", "reversed", "hold"})
STATUS_DIGITS: Final = {"1": "approved", "2": "pending", "3": "rejected", "5": "hold"}
MAX_TXID: Final = 128
_EVENT: Final = re.compile(r"[a-z0-9_.-]{1,64}", re.A)


@dataclass(frozen=True, slots=True)
class AcceptedReport:
    """A stored report. `is_new`: the first of this conversion (202), otherwise a repeat (200). `adds`: it was not in
    the log before."""

    id: UUID
    is_new: bool
    adds: bool


async def accept_report(runner: Runner[ReportedEvent], event: ReportedEvent) -> AcceptedReport:
    """Validates the report and appends it to the log. Raises `EventRejected` and `Unavailable`. A report with an amount
    that differs from the recorded one is appended too, for display, and rejected with 409."""
    context, report = event.context, event.report
    reported = _complete(runner, event)
    runner.current = "claim"
    claim = await _claim(context, reported)
    if claim.verdict is Verdict.CONFLICT:
        reported = reported.model_copy(update={"is_conflict": True})
    if not claim.is_published:
        runner.current = "publish"
        log_key = f"{event.key.website.id_text}:{report.txid}".encode()
        headers = ((CORRELATION_ID, reported.correlation_id.encode()),)
        record = Record(topics.CONVERSIONS.name, log_key, reported.model_dump_json().encode(), headers)
        await context.publisher.submit([record])
        await _published(context, reported)
    if claim.verdict is Verdict.CONFLICT:
        runner.current = "claim"
        raise EventRejected(
            Outcome.INVALID,
            "amount_conflict",
            "This transaction was reported before with another amount; the first report is kept.",
            status=409,
        )
    runner.current = "answer"
    endpoint = "/postback" if report.reported_by == "postback" else f"/track/{report.reported_by}"
    if claim.is_published:
        _count_repeat(event, endpoint)
    else:
        context.counters.outcomes[endpoint, Outcome.ACCEPTED.value] += 1
    return AcceptedReport(reported.conversion_id, claim.verdict is Verdict.FIRST, not claim.is_published)


def check_report(runner: Runner[ReportedEvent], event: ReportedEvent) -> UUID:
    """Validates the report without recording it; returns the id that its conversion would have. Raises
    `EventRejected`."""
    return _complete(runner, event).conversion_id


def check_txid(text: str) -> str:
    """A transaction id. Raises `EventRejected` (missing_txid, bad_txid)."""
    if not text:
        raise invalid("missing_txid", "txid is required: your own id of the transaction")
    if len(text) > MAX_TXID or PLAIN.fullmatch(text) is None:
        raise invalid("bad_txid", f"txid may have {MAX_TXID} characters, none of them a control character")
    return text


def check_event(text: str) -> str:
    """An event name, lower case. Raises `EventRejected` (bad_event)."""
    name = text.lower()
    if _EVENT.fullmatch(name) is None:
        raise invalid("bad_event", "event is a name of 1 to 64 of a-z, 0-9, _ . -")
    return name


def check_status(text: str) -> str:
    """A status, also as the networks' digits. Raises `EventRejected` (bad_status)."""
    status = STATUS_DIGITS.get(text, text.lower())
    if status and status not in STATUSES:
        raise invalid("bad_status", "status is pending, approved, rejected, reversed or hold (or 2, 1, 3, 5 for hold)")
    return status


def _complete(runner: Runner[ReportedEvent], event: ReportedEvent) -> ConversionReported:
    runner.complete(event)
    if event.reported is None:
        raise RuntimeError("the pipeline makes no report")
    return event.reported


def _count_repeat(event: ReportedEvent, endpoint: str) -> None:
    """A repeat is in no topic but this one: the website's owner sees that it arrived."""
    context, key, report = event.context, event.key, event.report
    repeated = EventRejected(
        Outcome.DUPLICATE, "repeated_report", "The same report was received before; it counts once.", status=200
    )
    partner = context.directory.partners.get(str(report.partner_id))
    context.rejections.add(
        repeated,
        endpoint,
        website_id=key.website.id,
        key_kind=key.kind,
        sample=f"txid {report.txid}",
        partner=partner.slug if partner is not None else "",
    )


async def _claim(context: IngestContext, reported: ConversionReported) -> Claim:
    """Compares the report with earlier ones. Without Postgres it counts as the first; the policy decides."""
    try:
        return await context.conversion_keys.claim(reported)
    except Unavailable:
        return Claim(Verdict.FIRST)


async def _published(context: IngestContext, reported: ConversionReported) -> None:
    try:
        await context.conversion_keys.published(reported)
    except Unavailable:
        return  # the next repeat is published again; the policy recognises it as the same report
