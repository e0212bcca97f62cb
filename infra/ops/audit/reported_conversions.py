"""Topic `conversions` against ClickHouse: every report is one row of `conversion_reports`, or one dead letter."""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import psycopg
from pydantic import ValidationError

from infra.kernel.clickhouse.reader import Reader
from infra.kernel.log import Log, StoredRecord
from infra.kernel.log.sealed_texts import split
from infra.kernel.security.text_keys import parse
from infra.ops.audit.log_reader import Ends, read
from infra.ops.audit.report import AuditReport, DefectKind
from infra.ops.audit.tracked_events import dead_letters
from schemas.topics import CONVERSIONS
from schemas.tracking import TEXT_KEY, ConversionReported, Outcome

_CHECK: Final = "conversion_reports"
COLUMNS: Final = (
    "report_id",
    "website_id",
    "received_at",
    "reported_by",
    "key_kind",
    "partner_id",
    "outcome",
    TEXT_KEY,
)


def audit_reported_conversions(
    log: Log, clickhouse: Reader, postgres: psycopg.Connection[Any], ends: Ends
) -> AuditReport:
    """Compares every report before `ends`. A report that lies in the log twice has two rows, the second a duplicate."""
    report = AuditReport()
    for partition in range(CONVERSIONS.partitions):
        end = ends[CONVERSIONS.name, partition]
        dead = dead_letters(postgres, CONVERSIONS.name, partition, projection="conversion_reports")
        rows = clickhouse.rows(
            f"SELECT {', '.join(COLUMNS)}, _offset FROM conversion_reports"
            f" WHERE _partition = {partition} AND _offset < {end}"
        )
        times = Counter(int(row["_offset"]) for row in rows)
        kept = {int(row["_offset"]): row for row in rows}
        seen_ids: set[str] = set()
        for record in read(log, CONVERSIONS.name, partition, end):
            place = f"{CONVERSIONS.name}[{partition}]@{record.offset}"
            row = kept.pop(record.offset, None)
            if record.offset in dead:
                continue
            try:
                expected = _row(record, seen_ids)
            except ValidationError as error:
                report.found(DefectKind.WRONG, _CHECK, f"{place} cannot be read: {error.errors()[0]['msg']}")
                continue
            report.checked["rows of conversion_reports"] += 1
            if row is None:
                report.found(DefectKind.MISSING, _CHECK, f"{place} has no row")
            elif times[record.offset] > 1:
                report.found(
                    DefectKind.DUPLICATE, _CHECK, f"{place} has {times[record.offset]} rows", times[record.offset] - 1
                )
            elif wrong := [name for name in COLUMNS if row[name] != expected[name]]:
                differences = ", ".join(f"{name}={row[name]!r} instead of {expected[name]!r}" for name in wrong)
                report.found(DefectKind.WRONG, _CHECK, f"{place} has {differences}")
        for offset in kept:
            report.found(
                DefectKind.WRONG, _CHECK, f"row of {CONVERSIONS.name}[{partition}]@{offset} has no record in the log"
            )
    return report


def _row(record: StoredRecord, known: set[str]) -> dict[str, Any]:
    """The columns of the next report of a partition; `known` has the reports before it."""
    value, sealed = split(record.value)
    reported = ConversionReported.model_validate_json(value)
    line = reported.model_dump(mode="json")
    identity = f"{reported.report_id}{reported.website_id}"
    outcome = Outcome.DUPLICATE if identity in known else Outcome.ACCEPTED
    known.add(identity)
    number = parse(sealed).number if sealed else 0
    return {**line, TEXT_KEY: number, "outcome": "conflict" if reported.is_conflict else str(outcome)}
