"""Every inline projection of the command service against the event store, row by row."""

from __future__ import annotations

import psycopg

from command_api.inline_projections import INLINE_PROJECTIONS
from command_api.kernel import inline_rebuild
from infra.kernel.config.settings import Settings
from infra.ops.audit.report import Report
from infra.ops.audit.row_findings import report_difference


def audit_inline_projections(settings: Settings) -> Report:
    """Compares every row. Reads events and rows in one snapshot: it may run beside live traffic."""
    report = Report()
    with inline_rebuild.open_connection(settings) as connection:
        if not _exists(connection):
            return report
        for projection in INLINE_PROJECTIONS.projections:
            found = inline_rebuild.verify(connection, projection)
            report.checked[f"rows of inline projection {projection.name}"] += found.rows
            for difference in found.differences:
                report_difference(report, f"lookup.{difference.table}", difference)
    return report


def _exists(connection: psycopg.Connection[tuple[object, ...]]) -> bool:
    row = connection.execute("SELECT to_regclass('lookup.projection') IS NOT NULL").fetchone()
    return row == (True,)
