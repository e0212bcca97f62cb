"""Topic `rejected` against ClickHouse: every refusal is one row."""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

from collections import Counter

from infra.auditing.clickhouse import Reader
from infra.auditing.records import Ends, read
from infra.auditing.report import Kind, Report
from infra.log import Log
from schemas.topics import REJECTED
from schemas.tracking import Refusal

_CHECK = "refusals"


def audit_refused(log: Log, clickhouse: Reader, ends: Ends) -> Report:
    """Compares every refusal before `ends`. The same id may lie in the log twice; it has one row."""
    report = Report()
    end = ends[REJECTED.name, 0]
    rows = clickhouse.rows(f"SELECT id, outcome, code, count FROM refusals WHERE _offset < {end}")
    times = Counter(row["id"] for row in rows)
    kept = {row["id"]: (row["outcome"], row["code"], row["count"]) for row in rows}
    logged: set[str] = set()
    for record in read(log, REJECTED.name, 0, end):
        refusal = Refusal.model_validate_json(record.value)
        key, place = str(refusal.id), f"rejected[0]@{record.offset}"
        if key in logged:
            continue
        logged.add(key)
        report.checked["refusals"] += 1
        if not times[key]:
            report.found(Kind.MISSING, _CHECK, f"{place} has no row")
        elif times[key] > 1:
            report.found(Kind.DUPLICATE, _CHECK, f"{place} has {times[key]} rows", times[key] - 1)
        elif kept[key] != (refusal.outcome.value, refusal.code, refusal.count):
            report.found(Kind.WRONG, _CHECK, f"{place} is kept as {kept[key]}")
    for key in kept.keys() - logged:
        report.found(Kind.WRONG, _CHECK, f"row {key} has no record in the log")
    return report
