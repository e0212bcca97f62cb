"""Tables of reports that are no conversion (yet): each row against the report in the log and the decided events.

- `conversions.rejected_report`: rejections, with the reason that topic `rejected` has
- `conversions.awaiting_exchange_rate`: reports that are decided when a rate is recorded; without its row a sale is lost
- `conversions.pending_attribution`: conversions whose click is still looked for; without its row a late click earns
  nothing
- `ingest.conversion_key`: reports that ingest answers as known, so that nobody sends them again: the log has them.
  Reports are accepted while Postgres is away, so a report may have no row
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import orjson
import psycopg
from pydantic import ValidationError

from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit.quiescence import exists
from infra.ops.audit.report import AuditReport, DefectKind
from schemas.base import DomainEvent
from schemas.events.analytics import VisitorForgotten
from schemas.events.conversions import (
    ConversionAssigned,
    ConversionForgotten,
    ConversionRecorded,
    ConversionReportConflicted,
    ConversionReportMerged,
)
from schemas.events.websites import WebsiteDisconnected
from schemas.tracking import NO_ID, NOT_DECIDING, ConversionReported, from_log_time

REJECTED: Final = "conversions.rejected_report"
AWAITING: Final = "conversions.awaiting_exchange_rate"
PENDING: Final = "conversions.pending_attribution"
KNOWN: Final = "ingest.conversion_key"
_RATE_MISSING: Final = "currency_unknown"
"""The code of a rejection that is decided again."""
_SEARCHED: Final = timedelta(days=30)
"""The time after its report in which a conversion's click may arrive."""


@dataclass(slots=True)
class _ClickSearch:
    """The search for the click of a conversion, as the conversion's events describe it."""

    moments: list[datetime] = field(default_factory=list)
    """Receipt of the reports that name a click or visitor, or the moment in which a person chose a click."""
    begins: set[datetime] = field(default_factory=set)
    """The times when the search may have begun: a report without a click of its own begins it again, for what other
    reports name."""
    is_over: bool = False
    """A person chose a link."""


class ReportedSales:
    """The rows of one moment. `postgres` must be in a transaction of its own, which fixes it."""

    def __init__(self, postgres: psycopg.Connection[Any]) -> None:
        self.is_there = exists(postgres, REJECTED)
        self._rejected: dict[UUID, tuple[Any, ...]] = {}
        self._awaiting: dict[UUID, tuple[UUID, Any]] = {}
        self._erased: dict[UUID, UUID] = {}
        """The erasures that are noted on reports that wait for a rate, by report."""
        self._pending: dict[UUID, tuple[datetime, datetime]] = {}
        self._kept: dict[UUID, Any] = {}
        """The reports that rows of `pending_attribution` keep, by conversion."""
        self._known: dict[UUID, tuple[UUID, list[bytes]]] = {}
        self._newest, self._now = 0, datetime.now(UTC)
        if self.is_there:
            self._known = {key: (website_id, report_ids) for key, website_id, report_ids in postgres.execute(_KNOWN)}
            self._rejected = {report_id: tuple(rest) for report_id, *rest in postgres.execute(_REJECTED)}
            self._awaiting = {report_id: (key, reported) for report_id, key, reported in postgres.execute(_AWAITING)}
            self._erased = dict(postgres.execute(_ERASED).fetchall())
            self._kept = dict(postgres.execute(_KEPT).fetchall())
            self._pending = {key: (received, until) for key, received, until in postgres.execute(_PENDING)}
        if self.is_there and exists(postgres, "events.stored_events"):
            [(self._newest, self._now)] = postgres.execute(_MOMENT).fetchall()
        self._searches: defaultdict[UUID, _ClickSearch] = defaultdict(_ClickSearch)
        self._erased_owners: set[UUID] = set()
        self._erasures: dict[UUID, frozenset[UUID]] = {}
        """Conversions by erasure."""
        self._decided: set[UUID] = set()
        self._in_log: dict[UUID, tuple[UUID, UUID]] = {}
        """Conversion and website by report."""

    def count(self, event: DomainEvent, position: int) -> None:
        """Takes the next decided event."""
        if isinstance(event, WebsiteDisconnected) and event.owner_erased:
            self._erased_owners.add(event.originator_id)
        if isinstance(event, VisitorForgotten):
            self._erasures[event.originator_id] = frozenset(event.conversions)
        if position > self._newest:
            return
        match event:
            case ConversionRecorded(reported=None):
                self._searches[event.originator_id].is_over = True  # its click stays: its reports were not recorded
            case ConversionRecorded() | ConversionReportMerged() | ConversionReportConflicted():
                self._note_report(event)
            case ConversionAssigned():
                chosen = [event.timestamp] if event.click_id else []
                self._searches[event.originator_id] = _ClickSearch(chosen, {*chosen}, is_over=not event.click_id)
            case ConversionForgotten():
                self._searches[event.originator_id] = _ClickSearch(is_over=True)
        if isinstance(event, ConversionRecorded):
            self._decided.add(event.originator_id)

    def _note_report(self, event: ConversionRecorded | ConversionReportMerged | ConversionReportConflicted) -> None:
        if (reported := event.reported) is None:
            return
        search = self._searches[event.originator_id]
        search.begins.add(reported.received_at)
        if reported.click_id or reported.visitor:
            search.moments.append(reported.received_at)

    def compare_pending(self, report: AuditReport) -> None:
        """Compares, after the last event, every row of `pending_attribution`."""
        for key, search in self._searches.items():
            is_due = bool(search.moments) and min(search.moments) + _SEARCHED > self._now
            if is_due and not search.is_over and key not in self._pending:
                report.found(DefectKind.MISSING, PENDING, f"the click of conversion {key} is not looked for any more")
        for key, (received_at, until) in self._pending.items():
            report.checked[f"rows of {PENDING}"] += 1
            if key not in self._decided:
                report.found(DefectKind.WRONG, PENDING, f"row {key} has no conversion")
            elif key in self._searches and received_at not in self._searches[key].begins:
                report.found(DefectKind.WRONG, PENDING, f"row {key}: no report was received at {received_at}")
            elif not received_at + _SEARCHED <= until <= max(received_at, self._now) + _SEARCHED:
                report.found(DefectKind.WRONG, PENDING, f"row {key}: until {until}, received at {received_at}")

    def compare_report(self, place: str, reported: ConversionReported, report: AuditReport) -> None:
        """Takes a report in the log, and compares its rows with it."""
        self.note(reported)
        self._compare_rejection(reported, report)
        kept = self._kept.get(reported.conversion_id)
        if kept is not None and _is_same(kept, reported):
            del self._kept[reported.conversion_id]
        if (waiting := self._awaiting.get(reported.report_id)) is not None:
            report.checked[f"rows of {AWAITING}"] += 1
            if waiting != (reported.conversion_id, self._as_left(reported)):
                report.found(DefectKind.WRONG, AWAITING, f"row {reported.report_id} is not the report at {place}")

    def _as_left(self, reported: ConversionReported) -> Any:
        """The report as its row must have it."""
        erasure = self._erased.get(reported.report_id)
        is_erased = erasure is not None and reported.conversion_id in self._erasures.get(erasure, ())
        return {**_as_kept(reported), **(NOT_DECIDING if is_erased else {})}

    def note(self, reported: ConversionReported) -> None:
        """Takes a report in the log that is a dead letter."""
        self._in_log[reported.report_id] = reported.conversion_id, reported.website_id

    def is_accounted(self, reported: ConversionReported, decided: set[UUID]) -> bool:
        """Returns whether the report became a conversion, was refused, or waits for a rate."""
        if reported.conversion_id in decided or reported.report_id in self._awaiting:
            return True
        if reported.website_id in self._erased_owners:
            return True  # the reasons of its refusals quote what was reported, and are deleted with the owner
        rejection = self._rejected.get(reported.report_id)
        return rejection is not None and rejection[2] != _RATE_MISSING

    def finish(self, clickhouse: Reader, report: AuditReport) -> None:
        """Reports, after the last report, rows that no report gave, and reasons that topic `rejected` does not have."""
        for table, rows in ((REJECTED, self._rejected), (AWAITING, self._awaiting)):
            for report_id in rows.keys() - self._in_log.keys():
                report.found(DefectKind.WRONG, table, f"row {report_id} has no report in the log")
        for key in self._kept:
            report.found(DefectKind.WRONG, PENDING, f"row {key}: its report is not in the log")
        self._compare_known(report)
        published = {(row["report_id"], row["code"], row["message"]) for row in clickhouse.rows(_REFUSALS)}
        for report_id, (*_, code, message, _at) in self._rejected.items():
            if report_id in self._in_log and (str(report_id), code, message) not in published:
                report.found(
                    DefectKind.WRONG, REJECTED, f"row {report_id}: nothing was refused as {code} with this message"
                )

    def _compare_known(self, report: AuditReport) -> None:
        for key, (website_id, report_ids) in self._known.items():
            report.checked[f"rows of {KNOWN}"] += 1
            for report_id in (UUID(bytes=each) for each in report_ids):
                if (logged := self._in_log.get(report_id)) is None:
                    report.found(DefectKind.MISSING, KNOWN, f"report {report_id} of {key} is known, but not in the log")
                elif logged != (key, website_id):
                    what = f"report {report_id} is of conversion and website {logged}, not {(key, website_id)}"
                    report.found(DefectKind.WRONG, KNOWN, what)

    def _compare_rejection(self, reported: ConversionReported, report: AuditReport) -> None:
        row = self._rejected.get(reported.report_id)
        if row is None:
            return
        report.checked[f"rows of {REJECTED}"] += 1
        expected = reported.conversion_id, reported.website_id, from_log_time(reported.received_at)
        if (row[0], row[1], row[4]) != expected:
            report.found(
                DefectKind.WRONG,
                REJECTED,
                f"row {reported.report_id} is {(row[0], row[1], row[4])} instead of {expected}",
            )


def _is_same(kept: Any, reported: ConversionReported) -> bool:
    """Returns whether a row keeps this report; it may be older than some fields."""
    try:
        return bool(_as_kept(ConversionReported.model_validate(kept)) == _as_kept(reported))
    except ValidationError:
        return False


def _as_kept(reported: ConversionReported) -> Any:
    """Returns the report as jsonb has it, which can hold no NUL."""
    text = reported.model_dump_json().replace("\\u0000", "")
    return orjson.loads(text)


_REJECTED: Final = "SELECT report_id, conversion_id, website_id, code, message, at FROM conversions.rejected_report"
_AWAITING: Final = "SELECT report_id, conversion_id, report FROM conversions.awaiting_exchange_rate"
_ERASED: Final = "SELECT report_id, erasure_id FROM conversions.awaiting_exchange_rate WHERE erasure_id IS NOT NULL"
_PENDING: Final = "SELECT conversion_id, received_at, until FROM conversions.pending_attribution"
_KEPT: Final = "SELECT conversion_id, report FROM conversions.pending_attribution WHERE report IS NOT NULL"
_REFUSALS: Final = f"SELECT report_id, code, message FROM refusals WHERE report_id != '{NO_ID}'"  # noqa: S608 - own text
_KNOWN: Final = "SELECT conversion_id, website_id, published FROM ingest.conversion_key WHERE published <> '{}'"
_MOMENT: Final = "SELECT coalesce(max(notification_id), 0), now() FROM events.stored_events"
