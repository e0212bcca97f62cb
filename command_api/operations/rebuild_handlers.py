"""Command handlers of rebuild runs: several projections, one rebuild after the other.

A run is a list of requests in `engine.request`, written together; the projectors carry them out in the order of their
steps, so a run continues after a restart. Each request becomes an event like any other; start and cancellation of the
run have an audit entry.
"""

from __future__ import annotations

from typing import Any, Final, LiteralString
from uuid import UUID, uuid4

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict, not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.operations import commands
from command_api.operations.schemas import RebuildRun
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.client_info import Client

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.RebuildProjections, senders="admins")
def rebuild_projections(command: commands.RebuildProjections, uow: UnitOfWork) -> RebuildRun:
    names = {name for (name,) in uow.select(_KNOWN, list(command.names))}
    if len(names) < len(command.names):
        raise not_found("projection")
    uow.lock()  # two admins may start at once
    if uow.select(_OPEN):
        raise conflict("rebuild_run_in_progress", "Another rebuild run is in progress.")
    actions = ("rebuild", "promote") if command.promotes else ("rebuild",)
    steps = [(name, action) for name in command.names for action in actions]
    for step, (name, action) in enumerate(steps):
        _request(uow, command, name, action, run_id=command.run_id, step=step)
    _audit(uow, "projection.rebuild_run_started", command.client, command.reason, projections=len(command.names))
    return RebuildRun(id=command.run_id)


@HANDLERS.on(commands.CancelRebuildRun, senders="admins")
def cancel_rebuild_run(command: commands.CancelRebuildRun, uow: UnitOfWork) -> RebuildRun:
    """Cancels the rebuild run. Requests that wait never begin: the run's own entry records them. The build in progress
    is cancelled by a request like any other."""
    steps = uow.select(_OPEN)
    if not steps:
        raise conflict("nothing_to_cancel", "No rebuild run is in progress.")
    uow.cursor.execute(_CANCEL_WAITING)
    for _, name, action, state in steps:
        if action == "rebuild" and state != "waiting":
            _request(uow, command, name, "cancel")
    _audit(uow, "projection.rebuild_run_cancelled", command.client, command.reason)
    return RebuildRun(id=steps[0][0])


def _request(
    uow: UnitOfWork,
    command: commands.RebuildProjections | commands.CancelRebuildRun,
    name: str,
    action: str,
    run_id: UUID | None = None,
    step: int | None = None,
) -> None:
    client = command.client
    values = (uuid4(), name, action, command.reason, uow.context.account_id, client.network, client.device)
    uow.cursor.execute(_INSERT, (*values, run_id, step))


def _audit(uow: UnitOfWork, action: str, client: Client, reason: str, **details: Any) -> None:
    actor = uow.context.account_id
    record(uow.cursor, Entry(action, "done", actor, actor, details={**details, "reason": reason}), client)


_KNOWN: Final[LiteralString] = "SELECT name FROM engine.projection WHERE name = ANY(%s)"
_OPEN: Final[LiteralString] = (
    "SELECT run_id, projection, action, state FROM engine.rebuild_step WHERE is_open ORDER BY requested_at, run_step"
)
_INSERT: Final = (
    "INSERT INTO engine.request (id, projection, action, reason, actor_id, network, device, run_id, run_step)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"
)
_CANCEL_WAITING: Final = (
    "UPDATE engine.request SET state = 'cancelled', finished_at = now(), recorded_at = now()"
    " WHERE run_id IS NOT NULL AND state = 'waiting'"
)
