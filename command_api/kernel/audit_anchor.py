"""Audit anchors: every hour verifies the new audit entries and stores the head hash as an event.

`kernel.audit` is a hash chain, but the table's owner could rewrite the whole chain. The relay copies the anchor event
to the log, which the database cannot change, and `althing audit` compares the audit log with the anchors there. A
broken chain gets no anchor; it is reported in the log and as a metric.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from threading import Event
from typing import Any, Final

import orjson
import structlog
from prometheus_client import Gauge

from command_api.kernel.container import Container
from command_api.kernel.decision import event_metadata, system_context
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.leader_election import Connection
from schemas.events.operations import AuditTrailAnchored
from schemas.identity import AUDIT_TRAIL

NAME: Final = "audit-anchors"
INTERVAL: Final = timedelta(hours=1)
BATCH_SIZE: Final = 5_000

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_BROKEN = Gauge("audit_trail_broken_at", "First broken entry of the audit trail; 0: none")


@dataclass(frozen=True, slots=True)
class LastAnchor:
    """The last anchor. `version`: of the anchors' own stream."""

    version: int = 0
    seq: int = 0
    head: str = ""


def anchor(container: Container, connection: Connection, stop: Event) -> int | None:
    """Verifies the entries since the last anchor and sets the next; returns the first broken entry, if any."""
    last = _last(connection)
    seq, head = last.seq, last.head
    while not stop.is_set():
        row = connection.execute(
            "SELECT upto, encode(head, 'hex'), newest, broken,"
            " (SELECT encode(hash, 'hex') FROM kernel.audit WHERE seq = %(after)s)"
            " FROM kernel.check_audit(%(after)s, %(most)s)",
            {"after": seq, "most": BATCH_SIZE},
        ).fetchone()
        assert row is not None  # noqa: S101 - the function returns one row
        upto, newest_head, newest, broken, previous_head = row
        if broken is None and seq == last.seq and seq and previous_head != last.head:
            broken = seq
        if broken is not None:
            _BROKEN.set(broken)
            log.error("audit_trail_broken", first_broken_entry=broken)
            return int(broken)
        seq, head = upto, newest_head
        if seq >= newest:
            break
    _BROKEN.set(0)
    if seq > last.seq and not stop.is_set():
        _write(container, last, seq, head)
    return None


def _last(connection: Connection) -> LastAnchor:
    row = connection.execute(
        "SELECT originator_version, state FROM events.stored_events WHERE originator_id = %s"
        " ORDER BY originator_version DESC LIMIT 1",
        (AUDIT_TRAIL,),
    ).fetchone()
    if row is None:
        return LastAnchor()
    state: Mapping[str, Any] = orjson.loads(bytes(row[1]))
    return LastAnchor(row[0], int(state["seq"]), str(state["head"]))


def _write(container: Container, last: LastAnchor, seq: int, head: str) -> None:
    context = system_context()
    try:
        with container.commands.unit_of_work(context) as uow:
            uow.append(AuditTrailAnchored(**event_metadata(AUDIT_TRAIL, last.version, context), seq=seq, head=head))
            uow.cursor.execute(
                "INSERT INTO kernel.audit_anchor (seq, hash) VALUES (%s, decode(%s, 'hex')) ON CONFLICT DO NOTHING",
                (seq, head),
            )
    except ConcurrencyConflict:
        log.info("audit_anchor_already_set", seq=seq)
