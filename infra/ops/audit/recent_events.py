"""`recent_events` against the raw rows: those that arrived within the last day, which it certainly still holds."""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit.expired_events import NONE, Expired
from infra.ops.audit.report import AuditReport, DefectKind
from schemas import instants

_CHECK: Final = "recent_events"
_HELD: Final = timedelta(days=1)
_TRIES: Final = 5
"""Under live traffic the raw rows are a moment ahead; a real difference stays."""
_SHOWN: Final = 1000
_KEY: Final = "website_id, received_at, event_id"
_COLUMNS: Final = f"{_KEY}, occurred_at, type, visitor, country, device, path, source, partner_id, is_bot"


def audit_recent(clickhouse: Reader, expired: Expired = NONE) -> AuditReport:
    """Compares every row of the last day."""
    since = instants.literal(datetime.now(UTC) - _HELD)
    differences: list[tuple[DefectKind, str, int]] = []
    for _ in range(_TRIES):
        differences = _differences(
            clickhouse, f"received_at > {since} AND NOT {expired.condition('toDate(occurred_at)')}"
        )
        if not differences:
            break
    report = AuditReport()
    for kind, what, count in differences:
        report.found(kind, _CHECK, what, count)
    [rows] = clickhouse.rows(f"SELECT count() AS compared FROM recent_events WHERE received_at > {since}")
    report.checked["rows of recent_events"] += rows["compared"]
    return report


def _differences(clickhouse: Reader, condition: str) -> list[tuple[DefectKind, str, int]]:
    sides = " UNION ALL ".join(
        f"SELECT {_KEY}, {is_kept} AS is_kept, cityHash64({_COLUMNS}) AS content FROM {table} WHERE {condition}"
        for table, is_kept in (("recent_events", 1), ("events", 0))
    )
    rows = clickhouse.rows(
        f"SELECT {_KEY}, countIf(is_kept) AS kept, countIf(NOT is_kept) AS raw FROM ({sides}) GROUP BY {_KEY} "
        f"HAVING kept != raw OR sumIf(content, is_kept) != sumIf(content, NOT is_kept) LIMIT {_SHOWN}"
    )
    return [_difference(row["event_id"], row["kept"], row["raw"]) for row in rows]


def _difference(event_id: str, kept: int, raw: int) -> tuple[DefectKind, str, int]:
    name = f"event {event_id}"
    if kept < raw:
        return DefectKind.MISSING, f"{name} has {kept} rows instead of {raw}", raw - kept
    if raw and kept > raw:
        return DefectKind.DUPLICATE, f"{name} has {kept} rows instead of {raw}", kept - raw
    return (
        DefectKind.WRONG,
        f"{name} has other content" if raw else f"{name} is not among the raw rows",
        max(1, kept - raw),
    )
