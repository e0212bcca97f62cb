"""Every inline projection of the command service against the event store, row by row."""

from __future__ import annotations

import psycopg

from command_api.inline_projections import INLINE_PROJECTIONS
from command_api.kernel import inline_rebuild
from infra.kernel.config.settings import Settings
from infra.ops.audit.report import AuditReport, DefectKind
from infra.ops.audit.row_findings import report_difference


def audit_inline_projections(settings: Settings) -> AuditReport:
    """Compares every row. Reads events and rows in one snapshot: it may run beside live traffic. A stored event that
    nothing can read is a finding of its own."""
    report = AuditReport()
    with inline_rebuild.open_connection(settings) as connection:
        if not _exists(connection):
            return report
        for projection in INLINE_PROJECTIONS.projections:
            try:
                comparison = inline_rebuild.verify(settings, connection, projection)
            except ValueError as error:
                what = f"{projection.name} cannot be replayed: {type(error).__name__}: {error}"
                report.found(DefectKind.WRONG, "event store", what)
                continue
            report.checked[f"rows of inline projection {projection.name}"] += comparison.rows
            for difference in comparison.differences:
                report_difference(report, f"lookup.{difference.table}", difference)
    return report


def _exists(connection: psycopg.Connection[tuple[object, ...]]) -> bool:
    row = connection.execute("SELECT to_regclass('lookup.projection') IS NOT NULL").fetchone()
    return row == (True,)
