"""From topic `conversions` to `conversion_reports`: every report once, repeats and conflicts by name, and its audit."""

from __future__ import annotations

import psycopg

from infra.kernel.clickhouse.reader import Reader
from infra.kernel.log import Record
from infra.ops.audit.log_reader import ends_of
from infra.ops.audit.report import DefectKind
from infra.ops.audit.reported_conversions import COLUMNS, audit_reported_conversions
from projectors.rollups.conversion_reports import CONVERSION_REPORTS
from schemas.topics import CONVERSIONS
from schemas.tracking import ConversionReported
from tests.support.audit_history import reported
from tests.support.projection_bench import ProjectionBench


def test_each_report_is_a_row_with_its_outcome_and_the_audit_compares_them(projecting: ProjectionBench) -> None:
    first, conflict = reported("A"), reported("B").model_copy(update={"is_conflict": True})
    projecting.log.publish([_record(report) for report in (first, first, conflict)]).result(30)
    with projecting.running("conversion_reports"):
        projecting.wait("conversion_reports")
    rows = projecting.rows("SELECT report_id, outcome FROM conversion_reports ORDER BY _offset")
    assert rows == [
        (first.report_id, "accepted"),
        (first.report_id, "duplicate"),
        (conflict.report_id, "conflict"),
    ]
    assert _audited(projecting) == {}
    projecting.clickhouse.run(
        "ALTER TABLE conversion_reports__g1 UPDATE outcome = 'accepted' WHERE outcome = 'conflict'", SYNC
    )
    projecting.clickhouse.run("DELETE FROM conversion_reports__g1 WHERE outcome = 'duplicate'")
    assert _audited(projecting) == {DefectKind.WRONG: 1, DefectKind.MISSING: 1}


def test_the_audit_compares_every_column_but_the_place() -> None:
    assert set(COLUMNS) == set(CONVERSION_REPORTS.column_names) - {"_topic", "_partition", "_offset"}


SYNC = {"mutations_sync": 2}


def _record(report: ConversionReported) -> Record:
    return Record(CONVERSIONS.name, b"key", report.model_dump_json().encode())


def _audited(projecting: ProjectionBench) -> dict[DefectKind, int]:
    settings = projecting.settings
    with psycopg.connect(settings.postgres_url or "", autocommit=True) as postgres, Reader(settings) as clickhouse:
        ends = ends_of(projecting.log, postgres, CONVERSIONS)
        return dict(audit_reported_conversions(projecting.log, clickhouse, postgres, ends).counts)
