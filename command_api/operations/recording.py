"""Makes an event of everything that was done to projections and dead letters: who asked, why, and what came of it.

`engine.request` -> `Recording` -> event store. A row is marked in the transaction of its event, so each becomes exactly
one, whoever asked and however long this service was down. A refusal decided nothing: it is in the audit trail alone.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime
from threading import Event
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor
from psycopg.rows import dict_row

from command_api.core import Core
from command_api.decision import Asked, step
from command_api.leader import Connection
from command_api.operations.history import History, evolve
from command_api.store import Conflict
from command_api.trail import record_events
from infra.audit_trail import Entry, record
from infra.client import Client
from schemas.base import DomainEvent
from schemas.events.operations import (
    DeadLetterRetried,
    DeadLetterRevealed,
    DeadLetterSkipped,
    ProjectionBuildCancelled,
    ProjectionPaused,
    ProjectionPromoted,
    ProjectionRebuildRequested,
    ProjectionResumed,
    ProjectionRolledBack,
    ProjectionVerified,
)
from schemas.identity import projection_id

NAME: Final = "operations:recording"
CHANNEL: Final = "operation_ended"
POLL_S: Final = 1.0
PAGE: Final = 100

log = logging.getLogger(__name__)

Row = Mapping[str, Any]


class AlreadyRecorded(Exception):
    """Another process marked the row first."""


class Recording:
    """`run` is the work of a `command_api.leader.Leader`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def run(self, connection: Connection, stop: Event) -> None:
        """Records until `stop`. Raises what the store and psycopg raise; nothing is lost by that."""
        connection.execute(f"LISTEN {CHANNEL}")
        while not stop.is_set():
            with connection.cursor(row_factory=dict_row) as cursor:
                page = cursor.execute(_DUE, (PAGE,)).fetchall()
            for row in page:
                self._record(row)
            if len(page) < PAGE and not stop.is_set():
                for _ in connection.notifies(timeout=POLL_S, stop_after=1):
                    pass

    def _record(self, row: Row) -> None:
        aggregate = row["dead_letter_id"] or projection_id(row["projection"])
        history = self._core.store.load(aggregate, evolve)
        event = event_of(row, aggregate, history)
        client = Client(row["network"].partition("/")[0].rstrip(":"), row["device"])

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            marked = cursor.execute(
                "UPDATE engine.request SET recorded_at = now() WHERE id = %s AND recorded_at IS NULL", (row["id"],)
            )
            if marked.rowcount != 1:
                raise AlreadyRecorded(str(row["id"]))
            if event is not None:
                record_events(cursor, [event], row["actor_id"], client)
            elif row["actor_id"] is not None:
                record(cursor, _refusal(row, aggregate), client)

        try:
            self._core.store.write([event] if event is not None else [], also)
        except (Conflict, AlreadyRecorded) as error:
            log.info("recorded elsewhere, or to be tried again: %s", error)


def event_of(row: Row, aggregate: UUID, history: History | None) -> DomainEvent | None:
    """The event that a request came to; none when it was refused or broken off. Pure."""
    if row["state"] != "done":
        return None
    finished: datetime = row["finished_at"]
    head: dict[str, Any] = {
        **step(aggregate, history.version if history else 0, Asked(finished, row["actor_id"])),
        "projection": row["projection"],
        "reason": row["reason"],
        "operator": row["operator"],
    }
    if row["dead_letter_id"] is not None:
        head["dead_letter_id"] = row["dead_letter_id"]
        return _OF_LETTERS[row["action"]](**head)
    head["request_id"] = row["id"]
    if row["action"] == "verify":
        found = row["result"]
        return ProjectionVerified(
            **head,
            generation=found["rebuilt"],
            live_generation=found["live"],
            is_equal=found["isEqual"],
            differences=found["differenceCount"],
        )
    if row["action"] in _OF_GENERATIONS:
        head["generation"] = row["generation"]
    return _OF_PROJECTIONS[row["action"]](**head)


def _refusal(row: Row, aggregate: UUID) -> Entry:
    details = {"projection": row["projection"], "reason": row["reason"], "why": row["error"][:200]}
    return Entry(
        f"projection.{row['action']}",
        "refused",
        actor_id=row["actor_id"],
        account_id=row["actor_id"],
        subject_id=aggregate,
        details=details,
    )


_OF_PROJECTIONS: Final[Mapping[str, type[DomainEvent]]] = {
    "pause": ProjectionPaused,
    "resume": ProjectionResumed,
    "rebuild": ProjectionRebuildRequested,
    "promote": ProjectionPromoted,
    "rollback": ProjectionRolledBack,
    "cancel": ProjectionBuildCancelled,
}
_OF_GENERATIONS: Final = frozenset({"rebuild", "promote", "rollback", "cancel"})
_OF_LETTERS: Final[Mapping[str, type[DomainEvent]]] = {
    "retry": DeadLetterRetried,
    "skip": DeadLetterSkipped,
    "reveal": DeadLetterRevealed,
}
_DUE: Final = """
SELECT id, projection, action, reason, dead_letter_id, actor_id, operator, network, device, state, generation, result,
    error, finished_at
FROM engine.request WHERE recorded_at IS NULL AND state IN ('done', 'refused', 'cancelled')
ORDER BY finished_at LIMIT %s"""
