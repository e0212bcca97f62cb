"""`/api/admin/dead-letters/{id}/retry|skip`: what becomes of a record that a projection or policy could not take.

The row belongs to whoever wrote it; asked to retry, that one takes the record again and says in the row what came of
it. What an admin asked for is an event of the dead letter's own history, stored with the change of the row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Response
from psycopg import Cursor
from pydantic import Field

from command_api.commands import Decided
from command_api.decision import Asked, conflict, missing, step
from command_api.http import Admin, Answer, Body, Id, Run, Runs
from schemas.base import DomainEvent
from schemas.events.operations import DeadLetterRetried, DeadLetterSkipped

router = APIRouter(prefix="/api/admin/dead-letters", tags=["operations"])

PARKED: Final = "parked"
"""Reason of a record that waits behind an earlier dead letter of its aggregate."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """What admins did to one dead letter so far."""

    version: int


class Why(Body):
    reason: Annotated[str, Field(max_length=500)] = ""


class Handled(Answer):
    id: UUID
    projection: str
    state: str


@router.post("/{id}/retry", response_model=Handled)
def retry_dead_letter(letter_id: Id, _: Admin, run: Runs, body: Why | None = None) -> Response:
    """Hands the record to its reader again, which does it within seconds."""

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        cursor.execute("UPDATE engine.dead_letter SET retry_requested_at = now() WHERE id = %s", (letter_id,))

    def decide() -> Decided[Handled]:
        letter, projection = _open_letter(run, letter_id)
        event = DeadLetterRetried(**_head(letter_id, letter, projection, body, run.asked))
        return Decided([event], Handled(id=letter_id, projection=projection, state="open"), also)

    return run(decide, body)


@router.post("/{id}/skip", response_model=Handled)
def skip_dead_letter(letter_id: Id, _: Admin, run: Runs, body: Why | None = None) -> Response:
    """Gives the record up for good; it stays on record. What was parked behind it is tried again."""

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        cursor.execute(
            "UPDATE engine.dead_letter SET state = 'skipped', decided_at = now(), retry_requested_at = NULL"
            " WHERE id = %s",
            (letter_id,),
        )
        cursor.execute(
            "UPDATE engine.dead_letter p SET retry_requested_at = now() FROM engine.dead_letter s WHERE s.id = %s"
            " AND p.state = 'open' AND p.reason = %s AND p.projection = s.projection AND p.generation = s.generation"
            " AND p.topic = s.topic AND p.partition = s.partition AND p.key = s.key",
            (letter_id, PARKED),
        )

    def decide() -> Decided[Handled]:
        letter, projection = _open_letter(run, letter_id)
        event = DeadLetterSkipped(**_head(letter_id, letter, projection, body, run.asked))
        return Decided([event], Handled(id=letter_id, projection=projection, state="skipped"), also)

    return run(decide, body)


def evolve(_: DeadLetter | None, event: DomainEvent) -> DeadLetter:
    return DeadLetter(event.originator_version)


def _open_letter(run: Run, letter_id: UUID) -> tuple[DeadLetter | None, str]:
    """The letter's history and projection. Raises `Refused` when there is none, or it is decided already."""
    with run.core.pool.connection() as connection:
        row = connection.execute(
            "SELECT projection, state FROM engine.dead_letter WHERE id = %s", (letter_id,)
        ).fetchone()
    if row is None:
        raise missing("dead letter")
    projection, state = row
    if state != "open":
        raise conflict("already_decided", f"This dead letter is {state} already.")
    return run.core.store.load(letter_id, evolve), projection


def _head(
    letter_id: UUID, letter: DeadLetter | None, projection: str, body: Why | None, asked: Asked
) -> dict[str, Any]:
    return {
        **step(letter_id, letter.version if letter else 0, asked),
        "dead_letter_id": letter_id,
        "projection": projection,
        "reason": body.reason if body else "",
    }
