"""`/api/admin/dead-letters/…`: what becomes of records that a projection or policy could not take.

The row belongs to whoever wrote it; asked to retry, that one takes the record again and says in the row what came of
it. What an admin asked for is an event of the dead letter's own history, stored with the change of the row. So is a
look at its content: that may hold what websites sent of people.
"""

from __future__ import annotations

from base64 import b64encode
from codecs import getincrementaldecoder
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Response
from psycopg import Cursor
from psycopg.rows import dict_row
from pydantic import Field

from command_api.commands import Decided
from command_api.decision import Asked, conflict, invalid, missing, step
from command_api.http import Admin, Answer, Body, Id, Run, Runs
from command_api.operations.history import History, evolve
from command_api.store import Conflict
from schemas.base import DomainEvent
from schemas.events.operations import DeadLetterRetried, DeadLetterRevealed, DeadLetterSkipped

router = APIRouter(prefix="/api/admin/dead-letters", tags=["operations"])

PARKED: Final = "parked"
"""Reason of a record that waits behind an earlier dead letter of its aggregate."""
AT_ONCE: Final = 500
SHOWN_BYTES: Final = 64 * 1024


class Why(Body):
    reason: Annotated[str, Field(max_length=500)] = ""


class Group(Body):
    """Open dead letters of one projection, of one kind or of all. `reason`: why an admin does this to them."""

    projection: Annotated[str, Field(min_length=1, max_length=100)]
    kind: Annotated[str | None, Field(max_length=100, description="The reason they have; null: any")] = None
    reason: Annotated[str, Field(max_length=500)] = ""


class Handled(Answer):
    id: UUID
    projection: str
    state: str


class GroupHandled(Answer):
    """`left`: how many of the group are open still; ask again for the next."""

    handled: int
    left: int


class RevealedRecord(Answer):
    """A record as it lies in the log. `text` is null where the bytes are no text; both are cut after 64 KiB."""

    id: UUID
    projection: str
    generation: int
    topic: str
    partition: int
    offset: int
    reason: str
    error: str
    state: str
    attempts: int
    first_at: datetime
    key: str
    headers: dict[str, str]
    text: str | None
    base64: str
    bytes: int


@router.post("/retry", response_model=GroupHandled)
def retry_dead_letters(body: Group, _: Admin, run: Runs) -> Response:
    """Hands a group's records to their reader again, oldest first, 500 at once."""
    return _handle_group(body, run, DeadLetterRetried, _ask_retry)


@router.post("/skip", response_model=GroupHandled)
def skip_dead_letters(body: Group, _: Admin, run: Runs) -> Response:
    """Gives a group's records up for good, oldest first, 500 at once."""
    return _handle_group(body, run, DeadLetterSkipped, _skip)


@router.post("/{id}/retry", response_model=Handled)
def retry_dead_letter(letter_id: Id, _: Admin, run: Runs, body: Why | None = None) -> Response:
    """Hands the record to its reader again, which does it within seconds."""

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        _ask_retry(cursor, [letter_id])

    def decide() -> Decided[Handled]:
        projection = _open_letter(run, letter_id)
        event = DeadLetterRetried(**_head(run, letter_id, projection, body.reason if body else ""))
        return Decided([event], Handled(id=letter_id, projection=projection, state="open"), also)

    return run(decide, body)


@router.post("/{id}/skip", response_model=Handled)
def skip_dead_letter(letter_id: Id, _: Admin, run: Runs, body: Why | None = None) -> Response:
    """Gives the record up for good; it stays on record. What was parked behind it is tried again."""

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        _skip(cursor, [letter_id])

    def decide() -> Decided[Handled]:
        projection = _open_letter(run, letter_id)
        event = DeadLetterSkipped(**_head(run, letter_id, projection, body.reason if body else ""))
        return Decided([event], Handled(id=letter_id, projection=projection, state="skipped"), also)

    return run(decide, body)


@router.post("/{id}/reveal", response_model=RevealedRecord)
def reveal_dead_letter(letter_id: Id, _: Admin, run: Runs, body: Why | None = None) -> Response:
    """The record's content. Each look is an event with who looked and why."""

    def decide() -> Decided[RevealedRecord]:
        shown = _revealed(run, letter_id)
        event = DeadLetterRevealed(**_head(run, letter_id, shown.projection, body.reason if body else ""))
        return Decided([event], shown)

    return run(decide, body)


def _handle_group(body: Group, run: Run, event_class: type[DomainEvent], change: Any) -> Response:
    chosen: list[UUID] = []

    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        change(cursor, chosen)

    def decide() -> Decided[GroupHandled]:
        with run.core.pool.connection() as connection:
            rows = connection.execute(
                "SELECT id, count(*) OVER () FROM engine.dead_letter WHERE projection = %s AND state = 'open'"
                ' AND (%s::text IS NULL OR reason = %s) ORDER BY first_at, "offset", id LIMIT %s',
                (body.projection, body.kind, body.kind, AT_ONCE),
            ).fetchall()
        if not rows:
            raise invalid("nothing_open", "No open dead letter is of this group.", "projection")
        chosen[:] = [row[0] for row in rows]
        events = [event_class(**_head(run, one, body.projection, body.reason)) for one in chosen]
        return Decided(events, GroupHandled(handled=len(chosen), left=rows[0][1] - len(chosen)), also)

    return run(decide, body)


def _ask_retry(cursor: Cursor[dict[str, Any]], ids: Sequence[UUID]) -> None:
    asked = cursor.execute(
        "UPDATE engine.dead_letter SET retry_requested_at = now() WHERE id = ANY(%s) AND state = 'open'", (list(ids),)
    )
    _require_all(asked, ids)


def _skip(cursor: Cursor[dict[str, Any]], ids: Sequence[UUID]) -> None:
    skipped = cursor.execute(
        "UPDATE engine.dead_letter SET state = 'skipped', decided_at = now(), retry_requested_at = NULL"
        " WHERE id = ANY(%s) AND state = 'open'",
        (list(ids),),
    )
    _require_all(skipped, ids)
    cursor.execute(
        "UPDATE engine.dead_letter p SET retry_requested_at = now() FROM engine.dead_letter s WHERE s.id = ANY(%s)"
        " AND p.state = 'open' AND p.reason = %s AND p.projection = s.projection AND p.generation = s.generation"
        " AND p.topic = s.topic AND p.partition = s.partition AND p.key = s.key",
        (list(ids), PARKED),
    )


def _require_all(changed: Cursor[dict[str, Any]], ids: Sequence[UUID]) -> None:
    """Their reader may have taken one since it was looked at: then nothing of this counts, and it is decided anew."""
    if changed.rowcount != len(ids):
        raise Conflict("dead_letter.state")


def _open_letter(run: Run, letter_id: UUID) -> str:
    """The letter's projection. Raises `Refused` when there is none, or it is decided already."""
    with run.core.pool.connection() as connection:
        row = connection.execute(
            "SELECT projection, state FROM engine.dead_letter WHERE id = %s", (letter_id,)
        ).fetchone()
    if row is None:
        raise missing("dead letter")
    projection, state = row
    if state != "open":
        raise conflict("already_decided", f"This dead letter is {state} already.")
    return str(projection)


def _revealed(run: Run, letter_id: UUID) -> RevealedRecord:
    with run.core.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(
            'SELECT id, projection, generation, topic, partition, "offset", reason, error, state, attempts, first_at,'
            " key, headers, value FROM engine.dead_letter WHERE id = %s",
            (letter_id,),
        ).fetchone()
    if row is None:
        raise missing("dead letter")
    value = bytes(row.pop("value"))
    headers = {name: _readable(bytes.fromhex(text)) for name, text in row.pop("headers")}
    text: str | None
    try:
        # cut in the middle of a letter, it is text still
        text = getincrementaldecoder("utf-8")().decode(value[:SHOWN_BYTES], final=len(value) <= SHOWN_BYTES)
    except UnicodeDecodeError:
        text = None
    row["key"] = _readable(bytes(row["key"]))
    base64 = b64encode(value[:SHOWN_BYTES]).decode()
    return RevealedRecord(**row, headers=headers, text=text, base64=base64, bytes=len(value))


def _readable(value: bytes) -> str:
    return value.decode("utf-8", "backslashreplace")


def _head(run: Run, letter_id: UUID, projection: str, reason: str) -> dict[str, Any]:
    history: History | None = run.core.store.load(letter_id, evolve)
    asked: Asked = run.asked
    return {
        **step(letter_id, history.version if history else 0, asked),
        "dead_letter_id": letter_id,
        "projection": projection,
        "reason": reason,
    }
