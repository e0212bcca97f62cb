"""Attribution policy: turns reports of topic `conversions` into decisions, each exactly once.

topic `conversions` -> this (one worker per partition) -> event store -> relay -> topic `domain`.

The events of a batch, its position, pending and rejected reports and dead letters are one transaction: a crash leaves
all of a batch or nothing. The aggregate's id derives from website, event and transaction (and click, where transaction
ids are unique within one click only), so a sale that is reported twice is one sale. Rejections go to topic `rejected`
before that, with a deterministic id. The policy waits for engines that are down; a report that can never be decided is
a dead letter, and so is one that only a newer version of the program can decide, which decides it when it takes over.

A batch is decided once the projected clicks have passed what the log held when the batch was read: every click that was
acknowledged before its report. Each decision names those positions. While the projection is behind for longer than
`click_positions.MAX_WAIT_S`, decisions are provisional; `process.pending_attribution` makes them again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import starmap
from typing import ClassVar, Final
from uuid import UUID

import psycopg
import structlog
from eventsourcing.persistence import DataError, PersistenceError
from prometheus_client import Counter
from pydantic import ValidationError

from command_api.conversions.attribution import repository
from command_api.conversions.attribution.click_positions import ClickPositions, has_reached, log_positions
from command_api.conversions.attribution.click_reader import Clicks
from command_api.conversions.attribution.decision import (
    AMBIGUOUS_TXID,
    ReportDecision,
    claim_of,
    decide_received,
    facts_after,
    to_reported,
)
from command_api.conversions.attribution.facts import ClaimsOf, ConversionOf, Facts, SalesNamed, WebsiteOf
from command_api.conversions.attribution.forgetting import erasures_of_letter, forget
from command_api.conversions.attribution.gathering import Gathering, Traced
from command_api.conversions.attribution.held import Place
from command_api.conversions.attribution.identity import names_asked
from command_api.conversions.attribution.repository import RejectedReport
from command_api.conversions.claim_counts import ClaimCount
from command_api.conversions.lookups import append_conversions
from command_api.kernel.container import Container
from command_api.kernel.decision import system_context
from command_api.kernel.leader_election import Connection
from command_api.kernel.retry import retried
from command_api.kernel.subscriber import Subscriber
from command_api.kernel.unit_of_work import UnitOfWork
from infra.domain.report_merging import CLAIM, merge
from infra.kernel.clickhouse.client import ClickHouseError
from infra.kernel.log import Log, LogUnavailable, StoredRecord
from infra.kernel.log.sealed_texts import TextReader, leaves_of
from infra.kernel.log.signature import UNSIGNED, UNSIGNED_TEXT
from infra.kernel.observability import tracing
from infra.kernel.security.encryption import derived_key
from infra.kernel.security.text_keys import TextKeys
from infra.kernel.subscriptions import dead_letters
from infra.kernel.subscriptions.dead_letters import NEWER, UNDECODABLE, FailedRecord, StoredDeadLetter
from infra.kernel.subscriptions.positions import StoredPosition, WorkerKey
from schemas.base import DomainEvent, UnknownEvent
from schemas.events.conversions import LogPosition, Reported
from schemas.message_ids import MessageIds, correlation_of
from schemas.topics import CONVERSIONS
from schemas.tracking import ConversionReported

RETRY_BATCH_SIZE: Final = 50
TRANSIENT: Final = (PersistenceError, psycopg.Error, ClickHouseError, LogUnavailable, OSError)
"""An engine is down: the batch is decided again, nothing is skipped."""

UNSTORABLE: Final = (DataError, psycopg.DataError)
"""Postgres rejects a value of a report: the batch is processed record by record to isolate it."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_REPORTS = Counter("policy_reports_total", "Reports of conversions by what they came to", ["outcome"])


@dataclass
class AttributionBatch:
    """The outcome of a batch of records."""

    events: list[DomainEvent] = field(default_factory=list)
    ids: list[MessageIds] = field(default_factory=list)
    """The ids of each event."""
    waiting: list[ConversionReported] = field(default_factory=list)
    passed_over: dict[UUID, frozenset[Place]] = field(default_factory=dict)
    """Bots' clicks that decided conversions passed over."""
    rejected: list[RejectedReport] = field(default_factory=list)
    awaiting_rate: list[ConversionReported] = field(default_factory=list)
    """The refused reports that are decided again when a rate is recorded."""
    poison: list[FailedRecord] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    retried: list[UUID] = field(default_factory=list)
    """Changed conversions with a report that awaits an exchange rate, which it may need no more."""
    claims: list[tuple[ClaimCount, int]] = field(default_factory=list)
    """Recorded claims and what their website allows for one click and hour."""
    named: Mapping[tuple[UUID, str], tuple[UUID, ...]] = field(default_factory=dict)
    """Sales by the names of the reports, as they were recorded when the batch was decided."""

    @property
    def conversion_ids(self) -> set[UUID]:
        """The conversions that the batch is about."""
        reports = (*self.waiting, *self.awaiting_rate, *(each.report for each in self.rejected))
        return {event.originator_id for event in self.events} | {report.conversion_id for report in reports}

    def add(self, decision: ReportDecision) -> None:
        """Adds the outcome of one report."""
        report = decision.report
        self.events.extend(decision.events)
        self.ids.extend([repository.ids_of(report)] * len(decision.events))
        if decision.rejection is not None:
            self.rejected.append(RejectedReport(report, decision.rejection, decision.refused_claim))
            if decision.needs_rate:
                self.awaiting_rate.append(report)
            self.outcomes.append(decision.rejection.code)
            return
        if decision.has_awaiting:
            self.retried.append(report.conversion_id)
        if decision.claim is not None:
            self.claims.append(decision.claim)
        if decision.waits:
            self.waiting.append(report)
            self.passed_over[report.conversion_id] = decision.passed_over
        self.outcomes.append("waiting" if decision.waits else "decided" if decision.events else "nothing_new")

    def fail(self, record: StoredRecord, reason: str, error: str) -> None:
        """Makes a dead letter of the record."""
        self.poison.append(FailedRecord(record, reason, error))
        self.outcomes.append("poison")


class AttributionPolicy(Subscriber):
    """Decides the reports of one partition."""

    MAX_RECORDS: ClassVar[int] = 200

    def __init__(self, container: Container, events: Log, clicks: Clicks, partition: int) -> None:
        super().__init__(events, WorkerKey(repository.NAME, 0, CONVERSIONS.name, partition))
        self._container = container
        self._clicks = clicks
        self._click_key = derived_key(container.settings, "click-id")
        self._positions = ClickPositions(container, events)
        self._texts = TextReader(TextKeys(container.settings).reading(container.pool))

    def process(
        self, connection: Connection, records: Sequence[StoredRecord], position: StoredPosition
    ) -> StoredPosition:
        """Processes the batch; one record after the other if Postgres rejects a value of one of them."""
        try:
            return self._process(records, position)
        except UNSTORABLE as error:
            if len(records) > 1:
                for record in records:
                    position = self.process(connection, [record], position)
                return position
            return self._dead_letter(records[0], position, error)

    def _dead_letter(self, record: StoredRecord, position: StoredPosition, error: Exception) -> StoredPosition:
        batch = AttributionBatch()
        batch.fail(record, type(error).__name__, str(error))
        position = self._store(batch, [record], position)
        _REPORTS.labels("poison").inc()
        return position

    def _process(self, records: Sequence[StoredRecord], position: StoredPosition) -> StoredPosition:

        def attempt(*, is_last: bool) -> tuple[AttributionBatch, StoredPosition]:  # noqa: ARG001 - a batch reads ClickHouse, never under the store's lock
            batch = self._decide(records)
            self._publish_refusals(batch)
            return batch, self._store(batch, records, position)

        def correlations() -> list[str]:
            return [correlation_of(record.topic, record.key, record.headers) for record in records]

        where = {"partition": self.key.partition, "reports": len(records)}
        with tracing.recorded(repository.NAME, correlations, where):
            batch, reached = retried(attempt)
        for outcome in batch.outcomes:
            _REPORTS.labels(outcome).inc()
        return reached

    def retry(self, connection: Connection) -> bool:
        """Retries dead letters, at most `RETRY_BATCH_SIZE` of them; returns whether there are more."""
        letters = dead_letters.to_retry(connection, self.key)
        for letter in letters[:RETRY_BATCH_SIZE]:
            try:
                why = self._retry(letter)
            except UNSTORABLE as error:
                why = f"{type(error).__name__}: {error}"
            if why is not None:
                dead_letters.still_bad(connection, letter.id, why)
        return len(letters) > RETRY_BATCH_SIZE

    def _retry(self, letter: StoredDeadLetter) -> str | None:
        """Decides one dead letter; returns the error if it fails again."""
        record = letter.record(self.key.topic, self.key.partition)
        batch = self._decide([record])
        if batch.poison:
            return batch.poison[0].error
        self._publish_refusals(batch)
        with self._container.commands.unit_of_work(system_context()) as uow:
            _append(batch, uow)
            for erasure in erasures_of_letter(uow, letter.id):
                forget(uow, erasure, batch.conversion_ids)
                TextKeys(uow.settings).erase(uow.cursor, leaves_of([record]))
            dead_letters.decide(uow.cursor.connection, [letter.id], "retried")
        return None

    def _decide(self, records: Sequence[StoredRecord]) -> AttributionBatch:
        batch, now = AttributionBatch(), datetime.now(UTC)
        gathering = Gathering(self._container, self._clicks, self._click_key)
        reports, facts = self._readable(records, gathering, batch)
        facts = self._gathered(gathering, facts, [report for _, report in reports])
        batch.named = facts.recorded_names()
        for record, report in reports:
            place = LogPosition(topic=record.topic, partition=record.partition, offset=record.offset)
            decide = partial(decide_received, report, now=now, place=place)
            try:
                decision, facts = gathering.decide(facts, decide)
            except TRANSIENT:
                raise
            except UnknownEvent as error:
                batch.fail(record, NEWER, str(error))
            except Exception as error:  # noqa: BLE001 - one bad report must not block the others
                batch.fail(record, type(error).__name__, str(error))
            else:
                batch.add(decision)
                facts = facts_after(facts, decision)
        return batch

    def _readable(
        self, records: Sequence[StoredRecord], gathering: Gathering, batch: AttributionBatch
    ) -> tuple[list[tuple[StoredRecord, ConversionReported]], Facts]:
        """The reports that this version of the program can decide, with their websites and conversions; the others
        become dead letters."""
        reports: list[tuple[StoredRecord, ConversionReported]] = []
        facts = Facts()
        for record, opened in zip(records, self._texts(records), strict=True):
            if record.is_forged(self._signed_from):
                batch.fail(record, UNSIGNED, UNSIGNED_TEXT)
                continue
            try:
                report = repository.parse_report(opened.value)
                facts = gathering.ask(facts, ConversionOf(report.conversion_id), WebsiteOf(report.website_id))
            except UnknownEvent as error:
                batch.fail(record, NEWER, str(error))
            except ValidationError as error:
                kinds = [each["type"] for each in error.errors()]
                # Reports are signed: a field that this code does not have was written by a newer version of ingest.
                reason = NEWER if "extra_forbidden" in kinds else UNDECODABLE
                batch.fail(record, reason, f"{len(kinds)} errors, first {kinds[0]}")
            else:
                reports.append((record, report))
        return reports, facts

    def _gathered(self, gathering: Gathering, facts: Facts, reports: Sequence[ConversionReported]) -> Facts:
        """Returns the facts that the reports need, once every click that was acknowledged before them is projected."""
        if any(report.click_id or report.visitor for report in reports):
            ends = self._positions.ends()
            offsets = self._positions.wait(ends, self._stop)
            is_provisional = not has_reached(offsets, ends)
            facts = replace(facts, seen=log_positions(offsets), is_provisional=is_provisional)
        reported: dict[UUID, list[Reported]] = {}
        for report in reports:
            reported.setdefault(report.conversion_id, []).append(to_reported(report, None))
        traced: list[Traced] = []
        for report in reports:
            current = facts.conversion(report.conversion_id)
            merged = merge([*(current.reports if current else ()), *reported[report.conversion_id]])
            traced += [Traced(report.website_id, each, merged.occurred_at) for each in merged.traces]
        claims = {claim_of(report) for report in reports if report.key_kind == CLAIM}
        facts = gathering.ask(gathering.stored_of(facts, reported), *map(ClaimsOf, claims))
        names = {(report.website_id, name) for report in reports for name in names_asked(report)}
        facts = gathering.ask(facts, *starmap(SalesNamed, sorted(names)))
        return gathering.clicks_of(facts, traced)

    def _publish_refusals(self, batch: AttributionBatch) -> None:
        rejected = [
            each
            for each in batch.rejected
            if not (each.report.is_conflict and each.reason.code == AMBIGUOUS_TXID)  # ingest published that
        ]
        repository.publish_rejections(self._log, rejected)

    def _store(
        self, batch: AttributionBatch, records: Sequence[StoredRecord], position: StoredPosition
    ) -> StoredPosition:
        with self._container.commands.unit_of_work(system_context()) as uow:
            _append(batch, uow)
            return self.advance(uow.cursor.connection, records, position, 0, batch.poison)


def _append(batch: AttributionBatch, uow: UnitOfWork) -> None:
    append_conversions(uow, batch.events, batch.claims, batch.ids, batch.named)
    repository.save_pending_attribution(uow, batch.waiting, batch.passed_over)
    repository.save_rejected_reports(uow, batch.rejected)
    repository.save_awaiting_exchange_rate(uow, batch.awaiting_rate)
    repository.retry_awaiting_exchange_rate(uow, batch.retried)
