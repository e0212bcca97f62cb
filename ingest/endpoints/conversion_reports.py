"""Reports of leads and sales: the code that `/track/sale`, `/track/lead` and `/postback` share.

A report is a fact: its pipeline validates it and gives it the conversion's id (website, event name, transaction id, and
its click where transaction ids are unique within one click only); it is appended to topic `conversions` with the kind
of key that sent it. The attribution policy later merges all reports of a transaction and attributes the conversion. A
report without new content is answered without another record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from infra.domain.conversion_identity import AmbiguousTxid
from infra.kernel.log import Record
from ingest.context import IngestContext
from ingest.errors import EventRejected, Unavailable
from ingest.event import ReportedEvent
from ingest.pipeline import Runner
from ingest.reports.conversion_keys import KeyVerdict, ReportHandling
from schemas import topics
from schemas.message_ids import CORRELATION_ID
from schemas.tracking import ConversionReported, Outcome


@dataclass(frozen=True, slots=True)
class AcceptedReport:
    """A stored report. `is_new`: the first of this conversion (202), otherwise a repeat (200). `adds`: it was not in
    the log before. `unread`: its fields that could not be read."""

    id: UUID
    is_new: bool
    adds: bool
    unread: tuple[str, ...] = ()

    def answer(self, status: str) -> dict[str, Any]:
        """The body of the response."""
        return {"id": str(self.id), "status": status} | ({"unread": list(self.unread)} if self.unread else {})


CONFLICTS: Final = {
    "amount": (
        "amount_conflict",
        "This transaction was reported before with another amount; the first report is kept.",
    ),
    "click": (
        "click_conflict",
        "This transaction was reported before with another click; the first report is kept. If your transaction ids are"
        " unique within a click only, set their scope to click.",
    ),
    "txid": (
        "ambiguous_txid",
        "Several sales have this transaction id: name the click_id that this report is about.",
    ),
}
"""By what a report contradicts: code and message of the answer."""


async def accept_report(context: IngestContext, runner: Runner[ReportedEvent], event: ReportedEvent) -> AcceptedReport:
    """Validates the report and appends it to the log. Raises `EventRejected` and `Unavailable`. A report that
    contradicts an earlier one is appended too, for display, and rejected with 409."""
    report = event.report
    reported = _complete(runner, event)
    runner.current = "claim"
    reported, reservation = await _reserve_key(context, reported)
    if reservation.verdict is ReportHandling.CONFLICT:
        reported = reported.model_copy(update={"is_conflict": True})
    if not reservation.is_published:
        runner.current = "publish"
        log_key = f"{event.key.website.id_text}:{report.txid}".encode()
        headers = ((CORRELATION_ID, reported.correlation_id.encode()),)
        record = Record(topics.CONVERSIONS.name, log_key, context.sealing.report(reported, log_key), headers)
        await context.publisher.submit([record])
        await _published(context, reported)
    if reservation.verdict is ReportHandling.CONFLICT:
        runner.current = "claim"
        code, message = CONFLICTS[reservation.conflict]
        raise EventRejected(Outcome.INVALID, code, message, status=409)
    runner.current = "answer"
    endpoint = "/postback" if report.reported_by == "postback" else f"/track/{report.reported_by}"
    if reservation.is_published:
        _count_repeat(context, event, endpoint)
    else:
        context.counters.outcomes[endpoint, Outcome.ACCEPTED.value] += 1
    return AcceptedReport(
        reported.conversion_id,
        reservation.verdict is ReportHandling.FIRST,
        not reservation.is_published,
        tuple(sorted(report.unread)),
    )


def check_report(runner: Runner[ReportedEvent], event: ReportedEvent) -> AcceptedReport:
    """Validates the report without recording it; returns what would be answered. Raises `EventRejected`."""
    identity = _complete(runner, event).conversion_id
    return AcceptedReport(identity, is_new=True, adds=False, unread=tuple(sorted(event.report.unread)))


def _complete(runner: Runner[ReportedEvent], event: ReportedEvent) -> ConversionReported:
    runner.complete(event)
    if event.reported is None:
        raise RuntimeError("the pipeline makes no report")
    return event.reported


def _count_repeat(context: IngestContext, event: ReportedEvent, endpoint: str) -> None:
    """A repeat is in no topic but this one: the website's owner sees that it arrived."""
    key, report = event.key, event.report
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


async def _reserve_key(context: IngestContext, reported: ConversionReported) -> tuple[ConversionReported, KeyVerdict]:
    """Finds the report's conversion, and compares the report with earlier ones. Without Postgres it counts as the first
    of its own; the policy decides."""
    try:
        identity = await context.conversion_keys.resolve(reported)
        if identity != reported.conversion_id:
            reported = reported.model_copy(update={"conversion_id": identity})
        return reported, await context.conversion_keys.reserve(reported)
    except AmbiguousTxid:
        return reported, KeyVerdict(ReportHandling.CONFLICT, conflict="txid")
    except Unavailable:
        return reported, KeyVerdict(ReportHandling.FIRST)


async def _published(context: IngestContext, reported: ConversionReported) -> None:
    try:
        await context.conversion_keys.published(reported)
    except Unavailable:
        return  # the next repeat is published again; the policy recognises it as the same report
