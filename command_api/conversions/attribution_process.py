"""Process managers of attribution; their timeouts are conversions.

`pending_attribution` repeats the search for the click of a conversion that may still change, until no click can arrive
any more. A click may be sent up to 30 days late, and its row may be projected after its sale was decided. The result
for the same reports and clicks does not depend on their order: while a conversion is pending its click is replaced,
after the approval an adjustment is proposed.

`awaiting_exchange_rate` decides reports that were rejected because their currency had no exchange rate.
`repository.make_due` makes them due in the transaction of a new rate's event. Besides, each is decided again one second
after it arrives, because a rate may be recorded concurrently, and then once an hour. One that has a rate and is
rejected for another reason goes to topic `rejected`, where its owner sees it, as the policy's do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, LiteralString
from uuid import UUID

import structlog

from command_api.conversions import model
from command_api.conversions.attribution.click_positions import log_positions, projected
from command_api.conversions.attribution.clicks import UNAVAILABLE, Clicks
from command_api.conversions.attribution.decision import decide, reattribute, to_reported
from command_api.conversions.attribution.held import read_places
from command_api.conversions.attribution.lookup import BatchLookup, ClickQuery
from command_api.conversions.attribution.repository import (
    AWAITING_EXCHANGE_RATE,
    PENDING_ATTRIBUTION,
    RejectedReport,
    claim_of,
    ids_of,
    publish_rejections,
)
from command_api.conversions.commands import RecordAwaitedReports, RecordReattribution
from command_api.conversions.lookups import ClaimCount
from command_api.conversions.money import CURRENCY_UNKNOWN
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from infra.kernel.log import Log, LogUnavailable
from infra.kernel.security.encryption import derived_key
from schemas.base import DomainEvent
from schemas.message_ids import MessageIds
from schemas.tracking import ConversionReported

BATCH_SIZE: Final = 200
RETRY_INTERVAL: Final = timedelta(hours=1)
"""Of the decisions that await an exchange rate."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


def pause_after(age: timedelta, *, is_attributed: bool = False) -> timedelta:
    """The interval to the next check of a conversion of this age. A click that replaces an attributed one is rare."""
    if age < timedelta(minutes=1):
        return timedelta(seconds=1)
    if age < timedelta(minutes=10):
        return timedelta(seconds=10 if is_attributed else 5)
    if age < timedelta(days=1):
        return timedelta(minutes=10 if is_attributed else 1)
    return timedelta(hours=6) if is_attributed else timedelta(minutes=10)


def pending_attribution(container: Container, clicks: Clicks) -> ProcessManager:
    return ProcessManager(
        PENDING_ATTRIBUTION,
        partial(_plan_search, container, clicks),
        BATCH_SIZE,
        UNAVAILABLE,
        ids="SELECT conversion_id FROM conversions.pending_attribution",
    )


@dataclass(frozen=True, slots=True)
class _Pending:
    """A row of `conversions.pending_attribution`."""

    report: dict[str, Any] | None
    received_at: datetime
    until: datetime
    needs_rate: bool
    passed_over: list[list[int]] | None


@dataclass(frozen=True, slots=True)
class _Search:
    """What the searches of one batch have in common."""

    pending: Mapping[UUID, _Pending]
    states: Mapping[UUID, model.Conversion | None]
    lookup: BatchLookup
    now: datetime

    def issue(self, timeout: Timeout) -> RecordReattribution | datetime | None:
        """Searches for the click of one conversion. Without news only the time of the next search changes."""
        pending, state = self.pending.get(timeout.id), self.states.get(timeout.id)
        if pending is None:
            return None
        website = self.lookup.website(state.facts.website_id) if state is not None else None
        if state is None or website is None:
            return RecordReattribution(timeout.id, (), None, needs_rate=False)
        needs_rate = is_attributed = False
        self.lookup.passed_over.clear()
        try:
            events, may_change = reattribute(state, website, self.lookup, CommandContext(self.now))
        except CommandRejected as rejected:
            log.info("attribution_postponed", conversion_id=timeout.id, reason=rejected.message)
            events, may_change, needs_rate = [], True, rejected.code == CURRENCY_UNKNOWN
        else:
            is_attributed = state.is_attributed or bool(events)
        self.lookup.changed(timeout.id, events)
        known = read_places(pending.passed_over)
        passed_over = frozenset(self.lookup.passed_over) | (known if state.is_attributed else frozenset())
        if not may_change or (pending.until <= self.now and not needs_rate):
            return RecordReattribution(timeout.id, tuple(events), None, needs_rate)
        next_at = self.now + pause_after(self.now - pending.received_at, is_attributed=is_attributed)
        if not events and (needs_rate, passed_over) == (pending.needs_rate, known):
            return next_at
        return RecordReattribution(timeout.id, tuple(events), next_at, needs_rate, passed_over)


def _plan_search(container: Container, clicks: Clicks, due: Sequence[Timeout], now: datetime) -> Issue:
    """Reads what the batch needs together."""
    rows = container.select(_PENDING, [timeout.id for timeout in due])
    pending = {conversion_id: _Pending(*row) for conversion_id, *row in rows}
    click_key = derived_key(container.settings, "click-id")
    lookup = BatchLookup(container, clicks, click_key, seen=log_positions(projected(container)))
    for conversion_id, row in pending.items():
        lookup.set_passed_over(conversion_id, read_places(row.passed_over))
    states = {key: _with_traces(lookup.conversion(key), row.report) for key, row in pending.items()}
    lookup.prefetch(
        [
            ClickQuery(state.facts.website_id, traces, state.facts.occurred_at)
            for state in states.values()
            if state is not None
            for traces in state.traces
        ]
    )
    return _Search(pending, states, lookup, now).issue


def _with_traces(state: model.Conversion | None, report: Any) -> model.Conversion | None:
    """Adds the pending report's traces to conversions recorded before reports were stored."""
    if state is None or report is None or not state.predates_reports or state.is_attributed:
        return state
    return replace(state, reports=(*state.reports, to_reported(ConversionReported.model_validate(report), None)))


def awaiting_exchange_rate(container: Container, clicks: Clicks, events: Log) -> ProcessManager:
    return ProcessManager(
        AWAITING_EXCHANGE_RATE,
        partial(_plan_decision, container, clicks, events),
        BATCH_SIZE,
        (*UNAVAILABLE, LogUnavailable),
        ids="SELECT DISTINCT conversion_id FROM conversions.awaiting_exchange_rate",
    )


@dataclass(frozen=True, slots=True)
class _Decision:
    """What the decisions of one batch have in common."""

    reports: Mapping[UUID, Sequence[ConversionReported]]
    lookup: BatchLookup
    log: Log
    now: datetime

    def issue(self, timeout: Timeout) -> RecordAwaitedReports | datetime | None:
        """Decides the reports of one conversion in order; postpones it when none of them has a rate now."""
        reports = self.reports.get(timeout.id)
        if reports is None:
            return None
        decided: list[UUID] = []
        events: list[DomainEvent] = []
        ids: list[MessageIds] = []
        rejected: list[RejectedReport] = []
        claims: list[tuple[ClaimCount, int]] = []
        pending: ConversionReported | None = None
        for report in reports:
            outcome = decide(report, self.lookup, self.now)
            if outcome.needs_rate:
                continue
            decided.append(report.report_id)
            events.extend(outcome.events)
            ids.extend([ids_of(report)] * len(outcome.events))
            if outcome.rejection is not None:
                rejected.append(RejectedReport(report, outcome.rejection, outcome.refused_claim))
            website = self.lookup.website(report.website_id)
            if outcome.is_new_claim and outcome.events and website is not None:
                self.lookup.add_claim(count := claim_of(report))
                claims.append((count, website.max_claims_per_click))
            if outcome.waits:
                pending = report
        next_at = self.now + RETRY_INTERVAL
        if not decided:
            return next_at
        publish_rejections(self.log, rejected)
        return RecordAwaitedReports(
            timeout.id,
            tuple(decided),
            tuple(events),
            tuple(ids),
            pending,
            next_at if len(decided) < len(reports) else None,
            tuple(rejected),
            tuple(claims),
        )


def _plan_decision(container: Container, clicks: Clicks, events: Log, due: Sequence[Timeout], now: datetime) -> Issue:
    reports: dict[UUID, list[ConversionReported]] = defaultdict(list)
    for conversion_id, report in container.select(_REPORTS, [timeout.id for timeout in due]):
        reports[conversion_id].append(ConversionReported.model_validate(report))
    click_key = derived_key(container.settings, "click-id")
    lookup = BatchLookup(container, clicks, click_key, seen=log_positions(projected(container)))
    return _Decision(reports, lookup, events, now).issue


_PENDING: Final[LiteralString] = (
    "SELECT conversion_id, report, received_at, until, needs_rate, passed_over FROM conversions.pending_attribution"
    " WHERE conversion_id = ANY(%s)"
)
_REPORTS: Final[LiteralString] = (
    "SELECT conversion_id, report FROM conversions.awaiting_exchange_rate WHERE conversion_id = ANY(%s)"
    " ORDER BY conversion_id, number"
)
