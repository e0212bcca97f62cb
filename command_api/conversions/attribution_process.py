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
from command_api.conversions.attribution.click_reader import UNAVAILABLE, Clicks
from command_api.conversions.attribution.decision import (
    Case,
    ReportDecision,
    decide,
    facts_after,
    reattribute,
    to_reported,
)
from command_api.conversions.attribution.facts import Answers, AwaitsRate, ConversionOf, Facts, PassedOverBy, WebsiteOf
from command_api.conversions.attribution.gathering import Gathering, Traced
from command_api.conversions.attribution.held import read_places
from command_api.conversions.attribution.repository import (
    AWAITING_EXCHANGE_RATE,
    PENDING_ATTRIBUTION,
    RejectedReport,
    ids_of,
    publish_rejections,
)
from command_api.conversions.commands import RecordAwaitedReports, RecordReattribution
from command_api.conversions.money import CURRENCY_UNKNOWN
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from infra.kernel.log import Log, LogUnavailable
from infra.kernel.security.encryption import derived_key
from schemas.tracking import ConversionReported

BATCH_SIZE: Final = 200
RETRY_INTERVAL: Final = timedelta(hours=1)
"""The interval between decisions of a conversion that awaits an exchange rate."""

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


@dataclass(slots=True)
class _Search:
    """The searches of one batch, in turn."""

    pending: Mapping[UUID, _Pending]
    states: Mapping[UUID, model.Conversion | None]
    gathering: Gathering
    facts: Facts
    now: datetime

    def issue(self, timeout: Timeout) -> RecordReattribution | datetime | None:
        """Searches for the click of one conversion. Without news only the time of the next search changes."""
        pending, state = self.pending.get(timeout.id), self.states.get(timeout.id)
        if pending is None:
            return None
        website = self.facts[WebsiteOf(state.facts.website_id)] if state is not None else None
        if state is None or website is None:
            return RecordReattribution(timeout.id, (), None, needs_rate=False)
        context = CommandContext(self.now)
        result, facts = self.gathering.decide(
            self.facts, lambda facts: reattribute(Case(website, facts, context), state)
        )
        events = result.steps.events
        self.facts = facts.after(timeout.id, events)
        needs_rate = result.postponed is not None and result.postponed.code == CURRENCY_UNKNOWN
        if result.postponed is not None:
            log.info("attribution_postponed", conversion_id=timeout.id, reason=result.postponed.message)
        earlier = read_places(pending.passed_over)
        passed_over = result.steps.passed_over | (earlier if state.is_attributed else frozenset())
        if not result.may_change or (pending.until <= self.now and not needs_rate):
            return RecordReattribution(timeout.id, events, None, needs_rate)
        is_attributed = result.postponed is None and (state.is_attributed or bool(events))
        next_at = self.now + pause_after(self.now - pending.received_at, is_attributed=is_attributed)
        if not events and (needs_rate, passed_over) == (pending.needs_rate, earlier):
            return next_at
        return RecordReattribution(timeout.id, events, next_at, needs_rate, passed_over)


def _plan_search(container: Container, clicks: Clicks, due: Sequence[Timeout], now: datetime) -> Issue:
    """Reads what the batch needs together."""
    rows = container.select(_PENDING, [timeout.id for timeout in due])
    pending = {conversion_id: _Pending(*row) for conversion_id, *row in rows}
    gathering = Gathering(container, clicks, derived_key(container.settings, "click-id"))
    places: Answers = {
        PassedOverBy(conversion_id): read_places(row.passed_over) for conversion_id, row in pending.items()
    }
    facts = gathering.ask(Facts(places, seen=log_positions(projected(container))), *map(ConversionOf, pending))
    states = {key: _with_traces(facts.conversion(key), row.report) for key, row in pending.items()}
    conversions = [state for state in states.values() if state is not None]
    facts = gathering.ask(facts, *(WebsiteOf(state.facts.website_id) for state in conversions))
    traced = [
        Traced(state.facts.website_id, traces, state.facts.occurred_at)
        for state in conversions
        for traces in state.traces
    ]
    return _Search(pending, states, gathering, gathering.clicks_of(facts, traced), now).issue


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


@dataclass(slots=True)
class _Decision:
    """The decisions of one batch, in turn."""

    reports: Mapping[UUID, Sequence[ConversionReported]]
    gathering: Gathering
    facts: Facts
    log: Log
    now: datetime

    def issue(self, timeout: Timeout) -> RecordAwaitedReports | datetime | None:
        """Decides the reports of one conversion in order; postpones it when none of them has a rate now."""
        reports = self.reports.get(timeout.id)
        if reports is None:
            return None
        decided = [decision for report in reports if not (decision := self._decide(report)).needs_rate]
        next_at = self.now + RETRY_INTERVAL
        if not decided:
            return next_at
        rejected = [
            RejectedReport(each.report, each.rejection, each.refused_claim) for each in decided if each.rejection
        ]
        publish_rejections(self.log, rejected)
        waiting = [each.report for each in decided if each.waits]
        return RecordAwaitedReports(
            timeout.id,
            tuple(each.report.report_id for each in decided),
            tuple(event for each in decided for event in each.events),
            tuple(ids for each in decided for ids in [ids_of(each.report)] * len(each.events)),
            waiting[-1] if waiting else None,
            next_at if len(decided) < len(reports) else None,
            tuple(rejected),
            tuple(each.claim for each in decided if each.claim),
        )

    def _decide(self, report: ConversionReported) -> ReportDecision:
        decision, facts = self.gathering.decide(self.facts, lambda facts: decide(report, facts, self.now))
        self.facts = facts_after(facts, decision)
        return decision


def _plan_decision(container: Container, clicks: Clicks, events: Log, due: Sequence[Timeout], now: datetime) -> Issue:
    reports: dict[UUID, list[ConversionReported]] = defaultdict(list)
    for conversion_id, report in container.select(_REPORTS, [timeout.id for timeout in due]):
        reports[conversion_id].append(ConversionReported.model_validate(report))
    gathering = Gathering(container, clicks, derived_key(container.settings, "click-id"))
    # What awaits a rate is decided here: only a report that stays without one holds the others up.
    facts = Facts({AwaitsRate(each): False for each in reports}, seen=log_positions(projected(container)))
    return _Decision(reports, gathering, facts, events, now).issue


_PENDING: Final[LiteralString] = (
    "SELECT conversion_id, report, received_at, until, needs_rate, passed_over FROM conversions.pending_attribution"
    " WHERE conversion_id = ANY(%s)"
)
_REPORTS: Final[LiteralString] = (
    "SELECT conversion_id, report FROM conversions.awaiting_exchange_rate WHERE conversion_id = ANY(%s)"
    " ORDER BY conversion_id, number"
)
