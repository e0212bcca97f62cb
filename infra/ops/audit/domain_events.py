"""Compares topic `domain` with the event store, the conversion rows in ClickHouse, every read model in Postgres and the
notifications. The events are read once, from the log's beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID, uuid5

import psycopg
from pydantic import ValidationError

from infra.kernel.clickhouse.reader import Reader
from infra.kernel.log import Log
from infra.kernel.log.sealed_texts import Texts, without_texts
from infra.ops.audit.cost_changes import CostRows
from infra.ops.audit.event_store import EventStoreSnapshot
from infra.ops.audit.forgotten_visitors import ForgottenVisitors
from infra.ops.audit.log_reader import Ends, read
from infra.ops.audit.notifications import Notifications
from infra.ops.audit.read_models import read_models
from infra.ops.audit.report import AuditReport, DefectKind
from infra.ops.audit.reported_sales import ReportedSales
from infra.ops.audit.signatures import Signatures
from infra.ops.audit.tracked_events import dead_letters, of_live_generation
from infra.ops.audit.wide_rows import WideRows
from schemas.envelope import Decrypt, Enveloped, UndecodableEvent, decode, position_of
from schemas.events import conversions
from schemas.topics import CONVERSIONS, DOMAIN
from schemas.tracking import NO_ID, OF_PERSONS, ConversionReported, log_time

_ROWS: Final = "conversion rows"


def audit_domain_events(
    log: Log,
    clickhouse: Reader,
    postgres: psycopg.Connection[Any],
    ends: Ends,
    decrypt: Decrypt,
    texts: Texts = without_texts,
) -> AuditReport:
    """Compares everything decided before `ends`; again, if another generation of the rows became live meanwhile."""
    return of_live_generation(
        clickhouse, lambda generation: _audit_generation(log, clickhouse, postgres, ends, generation, decrypt, texts)
    )


def _audit_generation(
    log: Log,
    clickhouse: Reader,
    postgres: psycopg.Connection[Any],
    ends: Ends,
    generation: int,
    decrypt: Decrypt,
    texts: Texts,
) -> AuditReport:
    report = AuditReport()
    end = ends[DOMAIN.name, 0]
    set_aside = _dead_letters(postgres, DOMAIN.name)
    forgotten = ForgottenVisitors.of(postgres, generation, report)
    rows = _ConversionRows(clickhouse, end, dead_letters(postgres, DOMAIN.name, 0), forgotten, report)
    costs = CostRows(clickhouse, end, dead_letters(postgres, DOMAIN.name, 0, projection="cost_changes"), report)
    with read_models(postgres) as models:
        store, notifications = EventStoreSnapshot(postgres, report), Notifications(postgres)
        sales = ReportedSales(postgres)
        # Read to where the topic ends now: what the relay had copied at the moment of `models` must be before that.
        until = max(end, models.end, log.end_offset(DOMAIN.name, 0))
        for offset, enveloped in _first_ones(
            log, until, store, Signatures(postgres, report), set_aside, decrypt, report
        ):
            if offset < end and isinstance(enveloped.event, conversions.ConversionStep):
                rows.audit(offset, enveloped.event, is_whole=enveloped.is_whole)
            if offset < end:
                costs.audit(offset, enveloped.event)
            models.replay(offset, enveloped.event, enveloped.position)
            notifications.count(offset, enveloped.event, enveloped.position)
            sales.count(enveloped.event, enveloped.position)
        store.finish()
        rows.finish()
        costs.finish()
        decided = {key for (key,) in models.conversions}
        models.compare(report)
        notifications.compare(report)
        sales.compare_pending(report)
    _audit_reports(log, clickhouse, postgres, ends, decided, sales, texts, report)
    return report


def _first_ones(
    log: Log,
    end: int,
    store: EventStoreSnapshot,
    signatures: Signatures,
    set_aside: set[tuple[int, int]],
    decrypt: Decrypt,
    report: AuditReport,
) -> Iterator[tuple[int, Enveloped]]:
    """The events in commit order; the relay may repeat some, and readers drop those that they have read."""
    newest = 0
    for record in signatures.watched(read(log, DOMAIN.name, 0, end)):
        report.checked["records of topic domain"] += 1
        if signatures.is_forged(record):
            continue
        try:
            position = position_of(record.headers)
            store.compare(position, record)
            if position <= newest:
                continue
            newest = position
            enveloped = decode(record.value, record.headers, decrypt)
        except (UndecodableEvent, ValueError) as error:
            if (0, record.offset) not in set_aside:
                report.found(DefectKind.WRONG, "domain", f"domain[0]@{record.offset} cannot be read: {error}")
            continue
        yield record.offset, enveloped


class _ConversionRows:
    """The rows of type `conversion`, each against the event that it was made of."""

    def __init__(
        self, clickhouse: Reader, end: int, dead: set[int], forgotten: ForgottenVisitors, report: AuditReport
    ) -> None:
        self._dead, self._forgotten, self._report = dead, forgotten, report
        self._rows = WideRows(clickhouse, DOMAIN.name, 0, end, self._without_event)

    def audit(self, offset: int, event: conversions.ConversionStep, *, is_whole: bool) -> None:
        """`is_whole`: false for what was sealed for a person who is erased. A generation that was begun before has rows
        with it, and without it from the moment of the erasure on."""
        if event.facts.attribution is None:
            return  # it counts nothing yet; a row would be reported as unexpected
        self._report.checked["conversion changes"] += 1
        hashes, name = self._rows.take(offset), f"domain[0]@{offset}"
        homes = len(hashes) + (offset in self._dead)
        if not homes:
            self._report.found(DefectKind.MISSING, _ROWS, f"{name} has no row")
        elif homes > 1:
            self._report.found(DefectKind.DUPLICATE, _ROWS, f"{name} is kept {homes} times", homes - 1)
        expected = _row(event)
        fields = self._forgotten.applied(expected)
        if any(each != self._rows.hash_of(fields) for each in hashes):
            if is_whole or fields is not expected:
                self._report.found(DefectKind.WRONG, _ROWS, f"{name} has {self._rows.difference(offset, fields)}")
            elif differences := self._rows.differences(offset, fields, OF_PERSONS):
                self._report.found(DefectKind.WRONG, _ROWS, f"{name} has {'; '.join(differences)}")

    def finish(self) -> None:
        self._rows.finish()

    def _without_event(self, offset: int, count: int) -> None:
        self._report.found(
            DefectKind.WRONG, _ROWS, f"domain[0]@{offset} has {count} rows, but nothing that counts", count
        )


def _row(event: conversions.ConversionStep) -> dict[str, Any]:
    facts, change = event.facts, event.change
    click = facts.attribution
    assert click is not None  # noqa: S101 - the caller has checked
    return {
        "event_id": uuid5(event.originator_id, str(event.originator_version)),
        "website_id": facts.website_id,
        "type": "conversion",
        "occurred_at": log_time(facts.occurred_at),
        "received_at": log_time(event.timestamp),
        "visitor": click.visitor,
        "source": click.source,
        "country": click.country,
        "device": click.device,
        "click_id": click.click_id,
        "link_id": click.link_id or NO_ID,
        "partner_id": click.partner_id,
        "coupon": click.coupon,
        "props": f'{{"route":"{click.route}"}}' if click.route else "",
        **{name: getattr(click.visit, name) for name in type(click.visit).model_fields},
        **{f"sub{number}": click.subs.get(f"sub{number}", "") for number in range(1, 11)},
        "value": _value(event),
        "currency": facts.amount.currency,
        "origin": "claim" if _kind(event) == "site" else "decision",
        "conversion_id": event.originator_id,
        "event_name": facts.event,
        "d_pending": change.pending,
        "d_approved": change.approved,
        "d_rejected": change.rejected,
        "d_reversed": change.reversed,
        "c_pending": change.commission_pending,
        "c_approved": change.commission_approved,
        "c_reversed": change.commission_reversed,
    }


def _value(event: conversions.ConversionStep) -> int:
    """The amounts of the sale count from the step that has its click; reversals before it are subtracted then."""
    match event:
        case conversions.ConversionRecorded():
            return event.facts.amount.amount
        case conversions.ConversionAttributed():
            return event.facts.amount.amount - event.reversed_amount
        case conversions.ConversionReversed():
            return -event.amount.amount
        case conversions.ConversionWithdrawn():
            return -event.value.amount
        case conversions.ConversionRestated():
            return event.facts.amount.amount - event.reversed_amount
        case conversions.ConversionReopened(restored=restored) if restored is not None:
            return restored.amount
        case _:
            return 0


def _kind(event: conversions.ConversionStep) -> str:
    """Returns the kind of the most trusted key that had reported the conversion by then."""
    if isinstance(event, conversions.ConversionRecorded):
        return event.reported.key_kind if event.reported is not None else ""
    return event.key_kind


def _audit_reports(
    log: Log,
    clickhouse: Reader,
    postgres: psycopg.Connection[Any],
    ends: Ends,
    decided: set[UUID],
    sales: ReportedSales,
    texts: Texts,
    report: AuditReport,
) -> None:
    """Every reported lead or sale became a conversion, was refused with a reason, waits for an exchange rate, or is a
    dead letter. Reports after `ends` are read as well: their rows may be there."""
    if not sales.is_there:
        return
    dead = _dead_letters(postgres, CONVERSIONS.name)
    signatures = Signatures(postgres, report)
    for partition in range(CONVERSIONS.partitions):
        end, until = ends[CONVERSIONS.name, partition], log.end_offset(CONVERSIONS.name, partition)
        for record in signatures.watched(read(log, CONVERSIONS.name, partition, max(end, until))):
            if signatures.is_forged(record):
                continue
            is_dead = (partition, record.offset) in dead
            report.checked["reports of conversions"] += not is_dead
            place = f"conversions[{partition}]@{record.offset}"
            try:
                [opened] = texts([record])
                reported = ConversionReported.model_validate_json(opened.value)
            except ValidationError as error:
                if not is_dead:
                    report.found(DefectKind.WRONG, "conversions", f"{place} cannot be read: {error.errors()[0]['msg']}")
                continue
            if is_dead:
                sales.note(reported)
                continue
            if opened.is_whole:
                sales.compare_report(place, reported, report)
            else:  # of an erased person: nothing is left to compare with
                sales.note(reported)
            if record.offset < end and not sales.is_accounted(reported, decided):
                report.found(
                    DefectKind.MISSING, "conversions", f"conversion {reported.conversion_id} ({place}) was not decided"
                )
    sales.finish(clickhouse, report)


def _dead_letters(postgres: psycopg.Connection[Any], topic: str) -> set[tuple[int, int]]:
    """Partitions and offsets that any reader of `topic` has dead-lettered."""
    rows = postgres.execute(
        """SELECT partition, "offset" FROM engine.dead_letter WHERE topic = %s AND state <> 'retried'""", (topic,)
    )
    return {(partition, offset) for partition, offset in rows}
