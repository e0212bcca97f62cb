"""The ledger of a load generator: its notes before and after each request, and what must be stored because of them.

A ledger is a file of JSON lines. Before sending: `{"id", "website", "kind": "event"|"conversion", "expect": {column:
value}}`. After the answer: `{"id", "website", "answer": "accepted"|"refused"|"unknown"}`. An id that was ever answered
`accepted` must be stored once, with `expect`; one that was only refused must not be stored; any other may be.
A line without an end (the generator was killed) is ignored if it is the last one.
"""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson
import psycopg
from psycopg.rows import dict_row

from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit.report import AuditReport, DefectKind

ACCEPTED: Final = "accepted"
REFUSED: Final = "refused"
_IDS_A_QUERY: Final = 2_000
_CHECK: Final = "ledger"

Key = tuple[str, str]
"""Website id and event or conversion id."""


@dataclass(slots=True)
class LedgerEntry:
    """One thing that was sent, however often."""

    kind: str
    expect: dict[str, Any]
    answers: set[str] = field(default_factory=set)


def read_ledger(path: Path) -> dict[Key, LedgerEntry]:
    """The entries by website and id. Raises `ValueError` for a line that is not one of a ledger's."""
    entries: dict[Key, LedgerEntry] = {}
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            entry = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            if number == len(lines):
                break
            raise ValueError(f"{path}, line {number}: {error}") from error
        key = (entry["website"], entry["id"])
        if "answer" in entry:
            entries[key].answers.add(entry["answer"])
        else:
            entries.setdefault(key, LedgerEntry(entry["kind"], entry["expect"]))
    return entries


def audit_ledger(path: Path, clickhouse: Reader, postgres: psycopg.Connection[Any]) -> AuditReport:
    """Compares the ledger with what is stored."""
    report = AuditReport()
    entries = read_ledger(path)
    for kind in ("event", "conversion"):
        keys = [key for key, entry in entries.items() if entry.kind == kind]
        for start in range(0, len(keys), _IDS_A_QUERY):
            part = {key: entries[key] for key in keys[start : start + _IDS_A_QUERY]}
            stored = _events(clickhouse, part) if kind == "event" else _conversions(postgres, part)
            for key, entry in part.items():
                _compare(kind, key, entry, stored.get(key, []), report)
    return report


def _compare(kind: str, key: Key, entry: LedgerEntry, rows: list[dict[str, Any]], report: AuditReport) -> None:
    name = f"{kind} {key[1]}"
    accepted = ACCEPTED in entry.answers
    report.checked[f"{kind}s in the ledger, {'accepted' if accepted else 'not accepted'}"] += 1
    if accepted and not rows:
        report.found(DefectKind.MISSING, _CHECK, f"{name} was accepted and is not stored")
    if len(rows) > 1:
        report.found(DefectKind.DUPLICATE, _CHECK, f"{name} is stored {len(rows)} times", len(rows) - 1)
    if rows and entry.answers == {REFUSED}:
        report.found(DefectKind.WRONG, _CHECK, f"{name} was refused and is stored")
    for row in rows:
        wrong = [
            f"{field}={row[field]!r} instead of {value!r}"
            for field, value in entry.expect.items()
            if row[field] != value
        ]
        if wrong:
            report.found(DefectKind.WRONG, _CHECK, f"{name}: {', '.join(wrong)}")


def _events(clickhouse: Reader, part: dict[Key, LedgerEntry]) -> dict[Key, list[dict[str, Any]]]:
    ids = ", ".join(f"'{_id(key[1])}'" for key in part)
    columns = sorted({"website_id", "event_id"} | {name for entry in part.values() for name in entry.expect})
    rows = clickhouse.rows(f"SELECT {', '.join(columns)} FROM events WHERE event_id IN ({ids})")
    return _by_key(rows, "event_id")


def _conversions(postgres: psycopg.Connection[Any], part: dict[Key, LedgerEntry]) -> dict[Key, list[dict[str, Any]]]:
    rows = postgres.cursor(row_factory=dict_row).execute(
        "SELECT id::text, website_id::text, kind, event, txid, amount, currency, reversed_amount, status "
        "FROM read.conversions WHERE id = ANY(%s::uuid[])",
        ([key[1] for key in part],),
    )
    return _by_key(rows, "id")


def _by_key(rows: Iterable[dict[str, Any]], id_column: str) -> dict[Key, list[dict[str, Any]]]:
    by_key: dict[Key, list[dict[str, Any]]] = {}
    for row in rows:
        by_key.setdefault((row["website_id"], row[id_column]), []).append(row)
    return by_key


def _id(text: str) -> str:
    if not all(c in "0123456789abcdef-" for c in text):
        raise ValueError(f"{text!r} is not an id")
    return text
