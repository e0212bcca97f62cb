"""Topic `rejected` against ClickHouse: every refusal is one row, or one dead letter."""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import psycopg
from pydantic import ValidationError

from infra.kernel.clickhouse.reader import Reader
from infra.kernel.log import Log
from infra.kernel.log.sealed_texts import Opened, Texts, without_texts
from infra.ops.audit.forgotten_visitors import erased_samples
from infra.ops.audit.log_reader import Ends, read
from infra.ops.audit.report import AuditReport, DefectKind
from infra.ops.audit.signatures import Signatures
from infra.ops.audit.tracked_events import dead_letters
from schemas.topics import REJECTED
from schemas.tracking import SEALED_OF_REFUSALS, TEXT_KEY, Refusal

_CHECK: Final = "refusals"
_COLUMNS: Final = (*Refusal.model_fields, TEXT_KEY)


def audit_rejected_events(
    log: Log, clickhouse: Reader, postgres: psycopg.Connection[Any], ends: Ends, texts: Texts = without_texts
) -> AuditReport:
    """Compares every refusal before `ends`. The same id may lie in the log twice; it has one row."""
    report = AuditReport()
    end, forgotten = ends[REJECTED.name, 0], erased_samples(postgres)
    dead = dead_letters(postgres, REJECTED.name, 0, projection="refusals")
    rows = clickhouse.rows(f"SELECT {', '.join(_COLUMNS)} FROM refusals WHERE _offset < {end}")
    times = Counter(_key(row) for row in rows)
    kept = {_key(row): row for row in rows}
    logged: set[tuple[str, str]] = set()
    for record in Signatures(postgres, report).watched(read(log, REJECTED.name, 0, end)):
        place = f"rejected[0]@{record.offset}"
        if record.offset in dead:
            continue
        try:
            [opened] = texts([record])
            refusal = Refusal.model_validate_json(opened.value).model_dump(mode="json")
        except ValidationError as error:
            report.found(DefectKind.WRONG, _CHECK, f"{place} cannot be read: {error.errors()[0]['msg']}")
            continue
        if refusal["id"] in forgotten:
            refusal |= {"sample": "", "request": ""}
        refusal[TEXT_KEY] = opened.number
        key = _key(refusal)
        if key in logged:
            continue
        logged.add(key)
        report.checked["refusals"] += 1
        if not times[key]:
            report.found(DefectKind.MISSING, _CHECK, f"{place} has no row")
        elif times[key] > 1:
            report.found(DefectKind.DUPLICATE, _CHECK, f"{place} has {times[key]} rows", times[key] - 1)
        elif wrong := [name for name in _COLUMNS if kept[key][name] != refusal[name] and _is_known(name, opened)]:
            differences = ", ".join(f"{name}={kept[key][name]!r} instead of {refusal[name]!r}" for name in wrong)
            report.found(DefectKind.WRONG, _CHECK, f"{place} has {differences}")
    for key in kept.keys() - logged:
        report.found(DefectKind.WRONG, _CHECK, f"row {key[0]} has no record in the log")
    return report


def _is_known(name: str, opened: Opened) -> bool:
    """Returns whether the log says what the column is: of an erased person it does not, before the table is built
    again."""
    return opened.is_whole or name not in SEALED_OF_REFUSALS


def _key(row: dict[str, Any]) -> tuple[str, str]:
    return row["id"], row["website_id"]
