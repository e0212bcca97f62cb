"""The attribution policy: turns reports of topic `conversions` into decisions, each exactly once in effect.

topic `conversions` -> this (one worker per partition) -> event store -> relay -> topic `domain`.

The events of a batch, the position behind it, waiting and refused reports and dead letters are one transaction, so a
crash leaves either all or nothing of a batch; the aggregate's id, worked out from website, event and transaction,
keeps a sale that was reported twice one sale. Refusals go to topic `rejected` before that, under an id that a repeat
gives again. An engine that is down is waited for; a report that can never be decided is a dead letter.

A batch is decided once the projected clicks have passed what the log held when the batch was read: every click that was
acknowledged before its report. Each decision names those positions. While the projection is behind for longer than
`click_positions.WAIT_S`, decisions are provisional; `waiting` takes them up again.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from threading import Event
from typing import Any, Final
from uuid import UUID

import psycopg
from eventsourcing.persistence import DataError, PersistenceError
from prometheus_client import Counter
from psycopg import Cursor
from pydantic import ValidationError

from command_api.conversions.merging import merge
from command_api.conversions.tally import counted
from command_api.core import Core
from command_api.leader import Connection
from command_api.policies.claims import ClaimCount, count_claims, hour_of
from command_api.policies.click_positions import ClickPositions, covers, places
from command_api.policies.clicks import Clicks
from command_api.policies.decide import Outcome, decide, reported_of
from command_api.policies.decide import Refusal as Refused
from command_api.policies.keeping import (
    NAME,
    dead_letters_to_retry,
    end_dead_letter,
    keep_dead_letter,
    keep_dead_letter_open,
    keep_refused,
    keep_waiting,
    keep_without_rate,
    refusal_record,
    report_of,
)
from command_api.policies.reading import Reading, Wanted
from command_api.store import Conflict
from infra.clickhouse import ClickHouseError
from infra.log import Log, LogUnavailable, StoredRecord, signature
from infra.log.signature import UNSIGNED, UNSIGNED_TEXT
from infra.sealing import derived_key
from schemas.base import DomainEvent
from schemas.events.conversions import LogPlace, Reported
from schemas.topics import CONVERSIONS
from schemas.tracking import ConversionReported, from_log_time

BATCH: Final = 200
READ_S: Final = 0.5
ATTEMPTS: Final = 5
ACK_TIMEOUT_S: Final = 15.0
TRANSIENT: Final = (PersistenceError, psycopg.Error, ClickHouseError, LogUnavailable, OSError)
"""Engines that are down: the batch is decided again, nothing is skipped."""

UNSTORABLE: Final = (DataError, psycopg.DataError)
"""Postgres does not take what a report says: the batch is taken apart until the culprit is alone."""

log = logging.getLogger(__name__)
_REPORTS = Counter("policy_reports_total", "Reports of conversions by what they came to", ["outcome"])


class Fenced(Exception):
    """Another worker moved this partition's position."""


@dataclass
class Batch:
    """What a run of records comes to."""

    events: list[DomainEvent] = field(default_factory=list)
    waiting: list[ConversionReported] = field(default_factory=list)
    refused: list[tuple[ConversionReported, Refused]] = field(default_factory=list)
    without_rate: list[ConversionReported] = field(default_factory=list)
    """Those of the refused that are decided again when a rate is recorded."""
    poison: list[tuple[StoredRecord, str]] = field(default_factory=list)
    outcomes: list[str] = field(default_factory=list)
    claims: list[tuple[ClaimCount, int]] = field(default_factory=list)
    """Recorded claims and what their website allows for one click and hour."""


class Reports:
    """`run` is the work of a `command_api.leader.Leader`, one for each partition."""

    def __init__(self, core: Core, events: Log, clicks: Clicks, partition: int) -> None:
        self._core = core
        self._log = events
        self._clicks = clicks
        self._partition = partition
        self._click_key = derived_key(core.settings, "click-id")
        self._positions = ClickPositions(core, events)
        self._signed_from: float = inf

    def run(self, connection: Connection, stop: Event) -> None:
        """Decides until `stop`. Raises what the engines raise; nothing is skipped by that."""
        position = self._position(connection)
        self._signed_from = signature.start(connection, CONVERSIONS.name, self._partition)
        source = self._log.source(CONVERSIONS.name, self._partition, position)
        try:
            while not stop.is_set():
                records = source.read(BATCH, READ_S)
                if records:
                    position = self.take(records, position, stop)
                else:
                    self.retry(connection, stop)
        finally:
            source.close()

    def take(self, records: Sequence[StoredRecord], position: int, stop: Event) -> int:
        """Decides `records`, which begin at or behind `position`; gives the position behind them."""
        try:
            return self._take(records, position, stop)
        except UNSTORABLE as error:
            if len(records) > 1:
                for record in records:
                    position = self.take([record], position, stop)
                return position
            return self._put_aside(records[0], position, error)

    def _put_aside(self, record: StoredRecord, position: int, error: Exception) -> int:
        batch = Batch(poison=[(record, f"{type(error).__name__}: {error}")], outcomes=["poison"])
        self._core.store.write([], self._also(batch, position, record.offset + 1))
        _REPORTS.labels("poison").inc()
        return record.offset + 1

    def _take(self, records: Sequence[StoredRecord], position: int, stop: Event) -> int:
        following = records[-1].offset + 1
        for _ in range(ATTEMPTS):
            batch = self._decide(records, stop)
            self._publish_refusals(batch)
            try:
                self._core.store.write(batch.events, counted(batch.events, self._also(batch, position, following)))
            except Conflict as conflict:
                log.info("another writer was first on %s; deciding again", conflict.constraint)
                continue
            for outcome in batch.outcomes:
                _REPORTS.labels(outcome).inc()
            return following
        raise Fenced("the batch met other writers again and again")

    def retry(self, connection: Connection, stop: Event) -> None:
        """Decides dead letters again that somebody asked for."""
        for letter_id, record in dead_letters_to_retry(connection, CONVERSIONS.name, self._partition):
            try:
                why = self._retry(letter_id, record, stop)
            except UNSTORABLE as error:
                why = f"{type(error).__name__}: {error}"
            if why is not None:
                keep_dead_letter_open(connection, letter_id, why)

    def _retry(self, letter_id: UUID, record: StoredRecord, stop: Event) -> str | None:
        """Decides one dead letter; gives why it stays one."""
        batch = self._decide([record], stop)
        if batch.poison:
            return batch.poison[0][1]
        self._publish_refusals(batch)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            _keep(batch, cursor)
            end_dead_letter(cursor, letter_id)

        self._core.store.write(batch.events, counted(batch.events, also))
        return None

    def _decide(self, records: Sequence[StoredRecord], stop: Event) -> Batch:
        batch = Batch()
        reports: list[tuple[StoredRecord, ConversionReported]] = []
        for record in records:
            if not record.is_signed and record.offset >= self._signed_from:
                batch.poison.append((record, f"{UNSIGNED}: {UNSIGNED_TEXT}"))
                batch.outcomes.append("poison")
                continue
            try:
                reports.append((record, report_of(record.value)))
            except ValidationError as error:
                batch.poison.append(
                    (record, f"undecodable: {error.error_count()} errors, first {error.errors()[0]['type']}")
                )
                batch.outcomes.append("poison")
        reading = self._reading([report for _, report in reports], stop)
        now = datetime.now(UTC)
        for record, report in reports:
            try:
                place = LogPlace(topic=record.topic, partition=record.partition, offset=record.offset)
                outcome = decide(report, reading, now, place)
                self._add(batch, report, outcome)
                website = reading.website(report.website_id)
                if outcome.is_new_claim and outcome.events and website is not None:
                    count = report.website_id, report.click_id, hour_of(from_log_time(report.received_at))
                    reading.claimed(count)
                    batch.claims.append((count, website.max_claims_per_click))
            except TRANSIENT:
                raise
            except Exception as error:  # noqa: BLE001 - one bad report must not hold up the others
                batch.poison.append((record, f"{type(error).__name__}: {error}"))
                batch.outcomes.append("poison")
        return batch

    def _add(self, batch: Batch, report: ConversionReported, outcome: Outcome) -> None:
        batch.events.extend(outcome.events)
        if outcome.refusal is not None:
            batch.refused.append((report, outcome.refusal))
            if outcome.needs_rate:
                batch.without_rate.append(report)
            batch.outcomes.append(outcome.refusal.code)
            return
        if outcome.waits:
            batch.waiting.append(report)
        batch.outcomes.append("waiting" if outcome.waits else "decided" if outcome.events else "nothing_new")

    def _reading(self, reports: Sequence[ConversionReported], stop: Event) -> Reading:
        """What is known once every click that was acknowledged before the reports is projected."""
        reading = Reading(self._core, self._clicks, self._click_key)
        if any(report.click_id or report.visitor for report in reports):
            wanted = self._positions.ends()
            known = self._positions.wait(wanted, stop)
            reading.seen, reading.is_provisional = places(known), not covers(known, wanted)
        said: dict[UUID, list[Reported]] = {}
        for report in reports:
            said.setdefault(report.conversion_id, []).append(reported_of(report, None))
        traces: list[Wanted] = []
        for report in reports:
            before = reading.conversion(report.conversion_id)
            merged = merge([*(before.reports if before else ()), *said[report.conversion_id]])
            traces += [Wanted(report.website_id, each, merged.occurred_at) for each in merged.traces]
        reading.look_up(traces)
        reading.look_up_held(reports)
        return reading

    def _publish_refusals(self, batch: Batch) -> None:
        if batch.refused:
            records = [refusal_record(report, refused) for report, refused in batch.refused]
            self._log.publish(records).result(ACK_TIMEOUT_S)

    def _also(self, batch: Batch, position: int, following: int) -> Any:
        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            _keep(batch, cursor)
            for record, reason in batch.poison:
                keep_dead_letter(cursor, record, reason)
            moved = cursor.execute(
                "UPDATE policy.position SET next_offset = %s, updated_at = now()"
                " WHERE policy = %s AND topic = %s AND partition = %s AND next_offset = %s",
                (following, NAME, CONVERSIONS.name, self._partition, position),
            )
            if moved.rowcount != 1:
                raise Fenced(f"the position of {CONVERSIONS.name}[{self._partition}] is no longer {position}")

        return also

    def _position(self, connection: Connection) -> int:
        place = (NAME, CONVERSIONS.name, self._partition)
        connection.execute(
            "INSERT INTO policy.position (policy, topic, partition, next_offset) VALUES (%s, %s, %s, 0)"
            " ON CONFLICT DO NOTHING",
            place,
        )
        row = connection.execute(
            "SELECT next_offset FROM policy.position WHERE policy = %s AND topic = %s AND partition = %s", place
        ).fetchone()
        assert row is not None  # noqa: S101 - inserted above
        found: int = row[0]
        return found


def _keep(batch: Batch, cursor: Cursor[dict[str, Any]]) -> None:
    for report in batch.waiting:
        keep_waiting(cursor, report.conversion_id, from_log_time(report.received_at))
    for report, refused in batch.refused:
        keep_refused(cursor, report, refused)
    for report in batch.without_rate:
        keep_without_rate(cursor, report)
    count_claims(cursor, batch.claims)
