"""Keys of personal texts: one that sealed a record and is gone has lost the texts of everybody who was not erased."""

# ruff: noqa: S608 - names of tables are ours

from __future__ import annotations

from typing import Any, Final

import psycopg

from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit.report import AuditReport, DefectKind
from schemas.tracking import TEXT_KEY

_HAVE_COLUMN: Final = (
    f"SELECT table FROM system.columns WHERE database = currentDatabase() AND name = '{TEXT_KEY}'"
    " AND table IN ('events', 'duplicates', 'conversion_reports', 'refusals')"
)


def audit_text_keys(clickhouse: Reader, postgres: psycopg.Connection[Any]) -> AuditReport:
    """Compares the keys that rows name with those that are stored. The names are compared with the log elsewhere."""
    report = AuditReport()
    named: dict[int, str] = {}
    for row in clickhouse.rows(_HAVE_COLUMN):  # a table whose rebuild is not live yet lacks it
        table = row["table"]
        for key_row in clickhouse.rows(f"SELECT DISTINCT {TEXT_KEY} AS number FROM {table} WHERE {TEXT_KEY} > 0"):
            named.setdefault(int(key_row["number"]), table)
    if named:
        report.checked["keys of texts"] += len(named)
    rows = postgres.execute("SELECT number FROM log.text_key WHERE number = ANY(%s)", (sorted(named),)).fetchall()
    for number in sorted(named.keys() - {number for (number,) in rows}):
        what = f"key {number}, which sealed texts of {named[number]}, is not there"
        report.found(DefectKind.MISSING, "keys of texts", what)
    return report
