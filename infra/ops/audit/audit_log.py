"""Checks the audit log (`kernel.audit`) against its anchors in the event log, which a database owner cannot rewrite."""

from __future__ import annotations

from typing import Any, Final

import psycopg

from infra.kernel.log import Log
from infra.ops.audit.log_reader import Ends, read
from infra.ops.audit.report import AuditReport, DefectKind
from infra.ops.audit.signatures import Signatures
from schemas.envelope import UndecodableEvent, decode
from schemas.events.operations import AuditTrailAnchored
from schemas.topics import DOMAIN

BATCH_ROWS: Final = 20_000
_CHECK: Final = "audit trail"
_NAME: Final = AuditTrailAnchored.NAME.encode()


def check_audit_log(log: Log, postgres: psycopg.Connection[Any], ends: Ends) -> AuditReport:
    """Recomputes the whole hash chain, and compares it with every anchor that was set before `ends`."""
    report = AuditReport()
    _chain(postgres, report)
    signatures = Signatures(postgres, AuditReport())  # forged anchors are reported where decisions are compared
    for record in read(log, DOMAIN.name, 0, ends[DOMAIN.name, 0]):
        if signatures.is_forged(record) or dict(record.headers).get("event") != _NAME:
            continue
        try:
            event = decode(record.value, record.headers).event
        except UndecodableEvent:
            continue  # reported where decisions are compared
        if isinstance(event, AuditTrailAnchored):
            _anchor(postgres, event, report)
    return report


def _chain(postgres: psycopg.Connection[Any], report: AuditReport) -> None:
    after = 0
    while True:
        row = postgres.execute(
            "SELECT upto, newest, broken FROM kernel.check_audit(%s, %s)", (after, BATCH_ROWS)
        ).fetchone()
        assert row is not None  # noqa: S101 - a function has one row
        upto, newest, broken = row
        report.checked["entries of the audit trail"] += upto - after
        if broken is not None:
            report.found(DefectKind.WRONG, _CHECK, f"entry {broken} is not as it was written")
            return
        if upto >= newest:
            return
        after = upto


def _anchor(postgres: psycopg.Connection[Any], anchor: AuditTrailAnchored, report: AuditReport) -> None:
    report.checked["anchors of the audit trail"] += 1
    row = postgres.execute("SELECT encode(hash, 'hex') FROM kernel.audit WHERE seq = %s", (anchor.seq,)).fetchone()
    if row is None:
        report.found(DefectKind.MISSING, _CHECK, f"entry {anchor.seq} is gone, which the log has an anchor of")
    elif row[0] != anchor.head:
        report.found(DefectKind.WRONG, _CHECK, f"entry {anchor.seq} is not the one that the log has an anchor of")
