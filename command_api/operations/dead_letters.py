"""`/api/admin/dead-letters/…`: retry, skip and reveal records that a projection or policy failed to process.

The subscriber that wrote the row owns it: it processes a requested retry and writes the outcome into the row. An
admin's request is an event in the dead letter's stream, stored with the change of the row. Revealing the content is an
event too, because it may contain personal data.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field

from command_api.kernel.http import Admin, Id, RequestModel, Runs
from command_api.operations import commands
from command_api.operations.schemas import Group, GroupHandled, Handled, RevealedRecord

router = APIRouter(prefix="/api/admin/dead-letters", tags=["operations"])


class DeadLetterReason(RequestModel):
    """An optional reason, kept in the dead letter's history."""

    reason: Annotated[str, Field(max_length=500)] = ""


@router.post("/retry", response_model=GroupHandled)
def retry_dead_letters(body: Group, _: Admin, run: Runs) -> Response:
    """Requests a retry of a group's records, oldest first, up to 500."""
    return run(commands.RetryDeadLetters(body), body)


@router.post("/skip", response_model=GroupHandled)
def skip_dead_letters(body: Group, _: Admin, run: Runs) -> Response:
    """Skips a group's records permanently, oldest first, up to 500."""
    return run(commands.SkipDeadLetters(body), body)


@router.post("/{id}/retry", response_model=Handled)
def retry_dead_letter(letter_id: Id, _: Admin, run: Runs, body: DeadLetterReason | None = None) -> Response:
    """Requests a retry of the record, which runs within seconds."""
    return run(commands.RetryDeadLetter(letter_id, body.reason if body else ""), body)


@router.post("/{id}/skip", response_model=Handled)
def skip_dead_letter(letter_id: Id, _: Admin, run: Runs, body: DeadLetterReason | None = None) -> Response:
    """Skips the record permanently; its content is deleted here. Records parked behind it are retried."""
    return run(commands.SkipDeadLetter(letter_id, body.reason if body else ""), body)


@router.post("/{id}/reveal", response_model=RevealedRecord)
def reveal_dead_letter(letter_id: Id, _: Admin, run: Runs, body: DeadLetterReason | None = None) -> Response:
    """Returns the record's content; the access is stored as an event with actor and reason. 409 `content_deleted` for
    one that was retried or skipped."""
    return run(commands.RevealDeadLetter(letter_id, body.reason if body else ""), body)
