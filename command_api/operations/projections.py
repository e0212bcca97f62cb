"""`POST /api/admin/projections/{name}/{action}`: asks the running projectors to do something with a projection.

The request is a row of `engine.request`, written in the command's own transaction; `projectors.engine` carries it out
exactly once and says in the row what came of it, and `recording` makes the event with the admin's account and reason.
So an event never tells what did not happen. `GET /api/admin/projections/{name}` shows the row meanwhile.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal
from uuid import UUID, uuid4

from fastapi import APIRouter, Path, Response
from psycopg import Cursor
from pydantic import Field

from command_api.commands import Decided
from command_api.decision import conflict, invalid, missing, step
from command_api.http import Admin, Answer, Body, Run, Runs
from command_api.operations.history import evolve
from command_api.store import Conflict
from schemas.events.operations import ProjectionComparisonCancelled
from schemas.identity import projection_id

router = APIRouter(prefix="/api/admin/projections", tags=["operations"])

Name = Annotated[str, Path(max_length=100)]
Action = Literal["pause", "resume", "rebuild", "promote", "rollback", "cancel", "verify"]


class AskProjection(Body):
    """`reason` is recorded with the action."""

    reason: Annotated[str, Field(min_length=1, max_length=500)]
    force: Annotated[
        bool,
        Field(
            description="Promote a build although it differs or has new dead letters; resume although more are to come"
        ),
    ] = False


class StopComparing(Body):
    reason: Annotated[str, Field(max_length=500)] = ""


class ProjectionRequest(Answer):
    """What was asked; `state`: waiting. The projection's page shows what comes of it."""

    id: UUID
    projection: str
    action: str
    state: str


@router.post("/{name}/verify/cancel", status_code=202, response_model=ProjectionRequest)
def cancel_projection_comparison(name: Name, _: Admin, run: Runs, body: StopComparing | None = None) -> Response:
    """Stops a comparison that is under way, before its next table."""
    found: list[UUID] = []

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        stopped = cursor.execute(
            "UPDATE engine.request SET cancel_requested_at = now(),"
            " state = CASE WHEN state = 'waiting' THEN 'cancelled' ELSE state END,"
            " finished_at = CASE WHEN state = 'waiting' THEN now() END WHERE id = ANY(%s)"
            " AND state IN ('waiting', 'running')",
            (found,),
        )
        if stopped.rowcount != len(found):
            raise Conflict("request.state")  # one has ended meanwhile

    def decide() -> Decided[ProjectionRequest]:
        with run.core.pool.connection() as connection:
            rows = connection.execute(
                "SELECT id FROM engine.request WHERE projection = %s AND action = 'verify'"
                " AND state IN ('waiting', 'running') ORDER BY requested_at",
                (name,),
            ).fetchall()
        found[:] = [row[0] for row in rows]
        if not found:
            raise conflict("nothing_to_cancel", f"{name} is not being compared.")
        aggregate = projection_id(name)
        history = run.core.store.load(aggregate, evolve)
        event = ProjectionComparisonCancelled(
            **step(aggregate, history.version if history else 0, run.asked),
            projection=name,
            reason=body.reason if body else "",
            request_id=found[0],
        )
        return Decided([event], ProjectionRequest(id=found[0], projection=name, action="verify", state="running"), also)

    return run(decide, body, status=202)


@router.post("/{name}/{action}", status_code=202, response_model=ProjectionRequest)
def ask_projection(name: Name, action: Action, body: AskProjection, _: Admin, run: Runs) -> Response:
    """Asks for one step of a projection's life: done within a second or two; a rebuild and a comparison begin then.

    pause, resume: all its generations. rebuild: a new generation beside the live one. verify: compares that one with
    the live one. promote, cancel: of that one. rollback: back to the generation before.
    """
    request_id, reason = uuid4(), body.reason.strip()
    if not reason:
        raise invalid("no_reason", "Please say why.", "reason")

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        cursor.execute(
            "INSERT INTO engine.request (id, projection, action, reason, force, actor_id, network, device)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
            (
                request_id,
                name,
                action,
                reason,
                body.force,
                run.person.account_id,
                run.client.network,
                run.client.device,
            ),
        )

    def decide() -> Decided[ProjectionRequest]:
        _require_projection(run, name)
        if action == "promote" and not body.force:
            _refuse_unequal(run, name)
        return Decided([], ProjectionRequest(id=request_id, projection=name, action=action, state="waiting"), also)

    return run(decide, body, status=202)


def _require_projection(run: Run, name: str) -> None:
    with run.core.pool.connection() as connection:
        if connection.execute("SELECT 1 FROM engine.projection WHERE name = %s", (name,)).fetchone() is None:
            raise missing("projection")


def _refuse_unequal(run: Run, name: str) -> None:
    """A build whose last comparison found differences is promoted only by somebody who says so."""
    with run.core.pool.connection() as connection:
        row = connection.execute(_LAST_COMPARISON, (name,)).fetchone()
    if row is not None and not row[0]:
        message = f"Generation {row[1]} of {name} differs from the live one. Look at the differences, or force it."
        raise conflict("differs", message)


_LAST_COMPARISON: Final = """
SELECT (r.result->>'isEqual')::boolean, r.generation FROM engine.request AS r
JOIN engine.build AS b ON b.name = r.projection AND b.generation = r.generation AND b.created_at < r.requested_at
WHERE r.projection = %s AND r.action = 'verify' AND r.state = 'done' AND b.state = 'ready'
ORDER BY r.finished_at DESC LIMIT 1"""
