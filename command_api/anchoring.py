"""Anchors of the audit trail: every hour, what came since the last one is checked and its head written down elsewhere.

`auth.audit` is a chain of hashes, but whoever owns the table could write all of it anew. An anchor is an event: the
relay takes it into the log, whose records no database reaches, and `althing audit` compares the trail with the log's
anchors. A trail that is broken gets no anchor; it is told of in the log file and as a metric.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Event
from typing import Any, Final

import orjson
from prometheus_client import Gauge
from psycopg import Cursor

from command_api.core import Core
from command_api.decision import by_system, step
from command_api.leader import Connection
from command_api.store import Conflict
from schemas.events.operations import AuditTrailAnchored
from schemas.identity import AUDIT_TRAIL

NAME: Final = "audit-anchors"
EVERY_S: Final = 3_600.0
ROWS_AT_ONCE: Final = 5_000

log = logging.getLogger(__name__)
_BROKEN = Gauge("audit_trail_broken_at", "The first entry of the audit trail that is not as it was written; 0: none")


@dataclass(frozen=True, slots=True)
class Anchor:
    """What the last anchor says. `version`: of the anchors' own history."""

    version: int = 0
    seq: int = 0
    head: str = ""


class Anchoring:
    """`run` is the work of a `command_api.leader.Leader`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def run(self, connection: Connection, stop: Event) -> None:
        while not stop.is_set():
            self.anchor(connection, stop)
            stop.wait(EVERY_S)

    def anchor(self, connection: Connection, stop: Event) -> int | None:
        """Checks what came since the last anchor and sets the next; the first entry that is broken, if one is."""
        last = self._last(connection)
        seq, head = last.seq, last.head
        while not stop.is_set():
            row = connection.execute(
                "SELECT upto, encode(head, 'hex'), newest, broken,"
                " (SELECT encode(hash, 'hex') FROM auth.audit WHERE seq = %(after)s)"
                " FROM auth.check_audit(%(after)s, %(most)s)",
                {"after": seq, "most": ROWS_AT_ONCE},
            ).fetchone()
            assert row is not None  # noqa: S101 - a function has one row
            upto, found, newest, broken, before = row
            if broken is None and seq == last.seq and seq and before != last.head:
                broken = seq
            if broken is not None:
                _BROKEN.set(broken)
                log.error("the audit trail is not as it was written, from entry %d on", broken)
                return int(broken)
            seq, head = upto, found
            if seq >= newest:
                break
        _BROKEN.set(0)
        if seq > last.seq and not stop.is_set():
            self._write(last, seq, head)
        return None

    def _last(self, connection: Connection) -> Anchor:
        row = connection.execute(
            "SELECT originator_version, state FROM events.stored_events WHERE originator_id = %s"
            " ORDER BY originator_version DESC LIMIT 1",
            (AUDIT_TRAIL,),
        ).fetchone()
        if row is None:
            return Anchor()
        state: Mapping[str, Any] = orjson.loads(bytes(row[1]))
        return Anchor(row[0], int(state["seq"]), str(state["head"]))

    def _write(self, last: Anchor, seq: int, head: str) -> None:
        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            cursor.execute(
                "INSERT INTO auth.audit_anchor (seq, hash) VALUES (%s, decode(%s, 'hex')) ON CONFLICT DO NOTHING",
                (seq, head),
            )

        event = AuditTrailAnchored(**step(AUDIT_TRAIL, last.version, by_system()), seq=seq, head=head)
        try:
            self._core.store.write([event], also)
        except Conflict:
            log.info("another process set the anchor")
