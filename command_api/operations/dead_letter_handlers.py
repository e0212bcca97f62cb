"""Command handlers of dead letters."""

from __future__ import annotations

from base64 import b64encode
from codecs import getincrementaldecoder
from contextlib import suppress
from typing import Any, Final, LiteralString
from uuid import UUID

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict, event_metadata, invalid, not_found
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.operations import commands
from command_api.operations.model import evolve_version
from command_api.operations.schemas import Group, GroupHandled, Handled, RevealedRecord
from infra.kernel.subscriptions.dead_letters import DECIDED_SQL
from schemas.events.operations import DeadLetterRetried, DeadLetterRevealed, DeadLetterSkipped

PARKED: Final = "parked"
"""Reason of a record behind an earlier dead letter of its aggregate."""
BATCH_SIZE: Final = 500
SHOWN_BYTES: Final = 64 * 1024
DECIDED: Final = ("retried", "skipped")
HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.RetryDeadLetter, senders="admins")
def retry_dead_letter(command: commands.RetryDeadLetter, uow: UnitOfWork) -> Handled:
    projection = _require_open(uow, command.letter_id)
    _retry(uow, [command.letter_id], projection, command.reason)
    return Handled(id=command.letter_id, projection=projection, state="open")


@HANDLERS.on(commands.SkipDeadLetter, senders="admins")
def skip_dead_letter(command: commands.SkipDeadLetter, uow: UnitOfWork) -> Handled:
    projection = _require_open(uow, command.letter_id)
    _skip(uow, [command.letter_id], projection, command.reason)
    return Handled(id=command.letter_id, projection=projection, state="skipped")


@HANDLERS.on(commands.RevealDeadLetter, senders="admins")
def reveal_dead_letter(command: commands.RevealDeadLetter, uow: UnitOfWork) -> RevealedRecord:
    letter = _record(uow, command.letter_id)
    if letter.state in DECIDED:
        raise conflict("content_deleted", f"This dead letter is {letter.state}: its content was deleted then.")
    uow.append(DeadLetterRevealed(**_head(uow, command.letter_id, letter.projection, command.reason)))
    return letter


@HANDLERS.on(commands.RetryDeadLetters, senders="admins")
def retry_dead_letters(command: commands.RetryDeadLetters, uow: UnitOfWork) -> GroupHandled:
    group, (ids, left) = command.group, _oldest(uow, command.group)
    _retry(uow, ids, group.projection, group.reason)
    return GroupHandled(handled=len(ids), left=left)


@HANDLERS.on(commands.SkipDeadLetters, senders="admins")
def skip_dead_letters(command: commands.SkipDeadLetters, uow: UnitOfWork) -> GroupHandled:
    group, (ids, left) = command.group, _oldest(uow, command.group)
    _skip(uow, ids, group.projection, group.reason)
    return GroupHandled(handled=len(ids), left=left)


def _oldest(uow: UnitOfWork, group: Group) -> tuple[list[UUID], int]:
    """The oldest open dead letters of the group, and how many more there are. Raises `CommandRejected` for none."""
    rows = uow.select(_GROUP, group.projection, group.kind, group.kind, BATCH_SIZE)
    if not rows:
        raise invalid("nothing_open", "This group has no open dead letters.", "projection")
    return [row[0] for row in rows], rows[0][1] - len(rows)


def _retry(uow: UnitOfWork, ids: list[UUID], projection: str, reason: str) -> None:
    uow.append(*(DeadLetterRetried(**_head(uow, one, projection, reason)) for one in ids))
    _change_all(uow, _RETRY, ids)


def _skip(uow: UnitOfWork, ids: list[UUID], projection: str, reason: str) -> None:
    uow.append(*(DeadLetterSkipped(**_head(uow, one, projection, reason)) for one in ids))
    _change_all(uow, _SKIP, ids)
    uow.cursor.execute(_RETRY_PARKED, (ids, PARKED))


def _change_all(uow: UnitOfWork, statement: LiteralString, ids: list[UUID]) -> None:
    """Raises `ConcurrencyConflict` if a record was processed concurrently."""
    if uow.cursor.execute(statement, (ids,)).rowcount != len(ids):
        raise ConcurrencyConflict("dead_letter.state")


def _require_open(uow: UnitOfWork, letter_id: UUID) -> str:
    """Returns the letter's projection. Raises `CommandRejected` if it is missing or decided."""
    rows = uow.select("SELECT projection, state FROM engine.dead_letter WHERE id = %s", letter_id)
    if not rows:
        raise not_found("dead letter")
    projection, state = rows[0]
    if state != "open":
        raise conflict("already_decided", f"This dead letter is {state} already.")
    return str(projection)


def _record(uow: UnitOfWork, letter_id: UUID) -> RevealedRecord:
    row = uow.cursor.execute(_RECORD, (letter_id,)).fetchone()
    if row is None:
        raise not_found("dead letter")
    value, text = bytes(row["value"]), None
    with suppress(UnicodeDecodeError):
        # cut in the middle of a letter, it is text still
        text = getincrementaldecoder("utf-8")().decode(value[:SHOWN_BYTES], final=len(value) <= SHOWN_BYTES)
    content = {
        "key": _readable(bytes(row["key"])),
        "headers": {name: _readable(bytes.fromhex(header)) for name, header in row["headers"]},
        "text": text,
        "base64": b64encode(value[:SHOWN_BYTES]).decode(),
        "bytes": len(value),
    }
    return RevealedRecord(**{**row, **content})


def _readable(value: bytes) -> str:
    return value.decode("utf-8", "backslashreplace")


def _head(uow: UnitOfWork, letter_id: UUID, projection: str, reason: str) -> dict[str, Any]:
    return {
        **event_metadata(letter_id, uow.load(letter_id, evolve_version) or 0, uow.context),
        "dead_letter_id": letter_id,
        "projection": projection,
        "reason": reason,
    }


_GROUP: Final[LiteralString] = (
    "SELECT id, count(*) OVER () FROM engine.dead_letter WHERE projection = %s AND state = 'open'"
    ' AND (%s::text IS NULL OR reason = %s) ORDER BY first_at, "offset", id LIMIT %s'
)
_RETRY: Final = "UPDATE engine.dead_letter SET retry_requested_at = now() WHERE id = ANY(%s) AND state = 'open'"
_SKIP: Final = (
    f"UPDATE engine.dead_letter SET state = 'skipped', {DECIDED_SQL}"  # noqa: S608 - own text
    " WHERE id = ANY(%s) AND state = 'open'"
)
_RETRY_PARKED: Final = (
    "UPDATE engine.dead_letter p SET retry_requested_at = now() FROM engine.dead_letter s WHERE s.id = ANY(%s)"
    " AND p.state = 'open' AND p.reason = %s AND p.projection = s.projection AND p.generation = s.generation"
    " AND p.topic = s.topic AND p.partition = s.partition AND p.key = s.key"
)
_RECORD: Final[LiteralString] = (
    'SELECT key, headers, value, id, projection, generation, topic, partition, "offset", reason, error, state,'
    " attempts, first_at FROM engine.dead_letter WHERE id = %s"
)
