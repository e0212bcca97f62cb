"""Findings about rows: what a table has instead of what the events give."""

from __future__ import annotations

from collections.abc import Collection

from infra.kernel.postgres.memory_rows import Difference
from infra.kernel.postgres.rows import Row
from infra.ops.audit.report import AuditReport, DefectKind


def report_difference(
    report: AuditReport, check: str, found: Difference, personal: Collection[str] = (), ignored: Collection[str] = ()
) -> None:
    """Adds the finding. Values of `personal` columns are not disclosed; a difference in `ignored` columns alone is
    none."""
    name = " ".join(map(str, found.key))
    if found.actual is None:
        report.found(DefectKind.MISSING, check, f"{name} has no row")
    elif found.expected is None:
        report.found(DefectKind.WRONG, check, f"row {name} has no event")
    elif wrong := [
        f"{column}={_shown(column, found.actual, personal)} instead of {_shown(column, found.expected, personal)}"
        for column in (*found.expected, *(found.actual.keys() - found.expected.keys()))
        if column not in ignored and found.actual.get(column, ...) != found.expected.get(column, ...)
    ]:
        report.found(DefectKind.WRONG, check, f"row {name}: {', '.join(wrong)}")


def _shown(column: str, row: Row, personal: Collection[str]) -> str:
    if column not in row:
        return "nothing"
    return "(hidden)" if column in personal else str(row[column])
