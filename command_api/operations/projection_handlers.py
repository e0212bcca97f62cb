"""Command handlers of requests about projections, and of the events of what came of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from command_api.kernel.audit_log import audit
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext, conflict, event_metadata, not_found
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.operations import commands
from command_api.operations.model import evolve_version
from command_api.operations.schemas import ProjectionRequest
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.client_info import Client
from schemas.base import DomainEvent
from schemas.events import operations
from schemas.identity import projection_id

HANDLERS: Final = CommandHandlers()


class AlreadyRecorded(Exception):
    """Another process recorded the operation first."""


@HANDLERS.on(commands.RequestProjectionAction, senders="admins")
def request_projection_action(command: commands.RequestProjectionAction, uow: UnitOfWork) -> ProjectionRequest:
    name, action = command.projection, command.action
    if not uow.select("SELECT 1 FROM engine.projection WHERE name = %s", name):
        raise not_found("projection")
    if action == "promote" and not command.force:
        _require_equal(uow, name)
    uow.cursor.execute(
        "INSERT INTO engine.request (id, projection, action, reason, force, actor_id, network, device)"
        " VALUES (%(request_id)s, %(projection)s, %(action)s, %(reason)s, %(force)s, %(actor_id)s, %(network)s,"
        " %(device)s)",
        {**asdict(command), "actor_id": uow.context.account_id},
    )
    return ProjectionRequest(id=command.request_id, projection=name, action=action, state="waiting")


@HANDLERS.on(commands.CancelComparison, senders="admins")
def cancel_comparison(command: commands.CancelComparison, uow: UnitOfWork) -> ProjectionRequest:
    name, aggregate_id = command.projection, projection_id(command.projection)
    request_ids = [request_id for (request_id,) in uow.select(_COMPARISONS, name)]
    if not request_ids:
        raise conflict("nothing_to_cancel", f"{name} is not being compared.")
    event = operations.ProjectionComparisonCancelled(
        **event_metadata(aggregate_id, uow.load(aggregate_id, evolve_version) or 0, uow.context),
        projection=name,
        reason=command.reason,
        request_id=request_ids[0],
    )
    uow.append(event)
    if uow.cursor.execute(_STOP, (request_ids,)).rowcount != len(request_ids):
        raise ConcurrencyConflict("request.state")  # one has ended meanwhile
    return ProjectionRequest(id=request_ids[0], projection=name, action="verify", state="running")


@HANDLERS.on(commands.RecordOperation, senders="system")
def record_operation(command: commands.RecordOperation, uow: UnitOfWork) -> None:
    """Records a completed request. The row is marked in the transaction of its event, so each request becomes exactly
    one event. A refused request has only an audit entry. Raises `AlreadyRecorded`."""
    row = command.row
    aggregate_id: UUID = row["dead_letter_id"] or projection_id(row["projection"])
    event = event_of(row, aggregate_id, uow.load(aggregate_id, evolve_version) or 0)
    if event is not None:
        uow.append(event)
    if uow.cursor.execute(_MARK, (row["id"],)).rowcount != 1:
        raise AlreadyRecorded(str(row["id"]))
    client = Client(row["network"].partition("/")[0].rstrip(":"), row["device"])
    if event is not None:
        audit(uow.cursor, [event], row["actor_id"], client)
    elif row["actor_id"] is not None:
        record(uow.cursor, _refusal(row, aggregate_id), client)


def event_of(row: Mapping[str, Any], aggregate: UUID, version: int) -> DomainEvent | None:
    """Returns the event of a completed request; `None` if it was refused or cancelled. Pure."""
    if row["state"] != "done":
        return None
    finished: datetime = row["finished_at"]
    head: dict[str, Any] = {
        **event_metadata(aggregate, version, CommandContext(finished, row["actor_id"])),
        "projection": row["projection"],
        "reason": row["reason"],
        "operator": row["operator"],
    }
    if row["dead_letter_id"] is not None:
        head["dead_letter_id"] = row["dead_letter_id"]
        return _OF_LETTERS[row["action"]](**head)
    head["request_id"] = row["id"]
    if row["action"] == "verify":
        comparison = row["result"]
        return operations.ProjectionVerified(
            **head,
            generation=comparison["rebuilt"],
            live_generation=comparison["live"],
            is_equal=comparison["isEqual"],
            differences=comparison["differenceCount"],
        )
    if row["action"] in _OF_GENERATIONS:
        head["generation"] = row["generation"]
    return _OF_PROJECTIONS[row["action"]](**head)


def _refusal(row: Mapping[str, Any], aggregate: UUID) -> Entry:
    details = {"projection": row["projection"], "reason": row["reason"], "why": row["error"][:200]}
    return Entry(f"projection.{row['action']}", "refused", row["actor_id"], row["actor_id"], aggregate, details)


def _require_equal(uow: UnitOfWork, name: str) -> None:
    """Requires that the last comparison found no differences: such a build is promoted only with `force`."""
    rows = uow.select(_LAST_COMPARISON, name)
    if rows and not rows[0][0]:
        message = f"Generation {rows[0][1]} of {name} differs from the live one. Review the differences, or force it."
        raise conflict("differs", message)


_OF_PROJECTIONS: Final[Mapping[str, type[DomainEvent]]] = {
    "pause": operations.ProjectionPaused,
    "resume": operations.ProjectionResumed,
    "rebuild": operations.ProjectionRebuildRequested,
    "promote": operations.ProjectionPromoted,
    "rollback": operations.ProjectionRolledBack,
    "cancel": operations.ProjectionBuildCancelled,
}
_OF_GENERATIONS: Final = frozenset({"rebuild", "promote", "rollback", "cancel"})
_OF_LETTERS: Final[Mapping[str, type[DomainEvent]]] = {
    "retry": operations.DeadLetterRetried,
    "skip": operations.DeadLetterSkipped,
    "reveal": operations.DeadLetterRevealed,
}
_COMPARISONS: Final[LiteralString] = (
    "SELECT id FROM engine.request WHERE projection = %s AND action = 'verify' AND state IN ('waiting', 'running')"
    " ORDER BY requested_at"
)
_STOP: Final = (
    "UPDATE engine.request SET cancel_requested_at = now(),"
    " state = CASE WHEN state = 'waiting' THEN 'cancelled' ELSE state END,"
    " finished_at = CASE WHEN state = 'waiting' THEN now() END WHERE id = ANY(%s) AND state IN ('waiting', 'running')"
)
_MARK: Final = "UPDATE engine.request SET recorded_at = now() WHERE id = %s AND recorded_at IS NULL"
_LAST_COMPARISON: Final[LiteralString] = """
SELECT (r.result->>'isEqual')::boolean, r.generation FROM engine.request AS r
JOIN engine.build AS b ON b.name = r.projection AND b.generation = r.generation AND b.created_at < r.requested_at
WHERE r.projection = %s AND r.action = 'verify' AND r.state = 'done' AND b.state = 'ready'
ORDER BY r.finished_at DESC LIMIT 1"""
