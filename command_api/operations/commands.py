"""Commands of projections and dead letters. `reason`: the admin's own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.operations import schemas
from infra.kernel.security.client_info import Client


class RequestProjectionAction(Command[schemas.ProjectionRequest]):
    """Requests one step of a projection's life. `network`, `device`: where the request comes from."""

    request_id: UUID
    projection: str
    action: schemas.Action
    reason: str
    force: bool
    network: str
    device: str


class RebuildProjections(Command[schemas.RebuildRun]):
    """Starts a rebuild run: one rebuild after the other, each promoted when ready if `promotes`."""

    run_id: UUID
    names: tuple[str, ...]
    reason: str
    promotes: bool
    client: Client


class CancelRebuildRun(Command[schemas.RebuildRun]):
    """Ends the rebuild run: cancels the build in progress, and no other begins."""

    reason: str
    client: Client


class CancelComparison(Command[schemas.ProjectionRequest]):
    """Stops a comparison that is under way, before its next table."""

    projection: str
    reason: str


class RecordOperation(Command[None]):
    """Makes the event of a request that ended. `row`: of `engine.request`."""

    row: Mapping[str, Any]


class RetryDeadLetter(Command[schemas.Handled]):
    """Requests a retry of the record, which runs within seconds."""

    letter_id: UUID
    reason: str


class SkipDeadLetter(Command[schemas.Handled]):
    """Skips the record permanently; it is kept. Records parked behind it are retried."""

    letter_id: UUID
    reason: str


class RevealDeadLetter(Command[schemas.RevealedRecord]):
    """Returns the record's content; the access is an event, because it may contain personal data."""

    letter_id: UUID
    reason: str


class RetryDeadLetters(Command[schemas.GroupHandled]):
    """Requests a retry of a group's records, oldest first, up to 500."""

    group: schemas.Group


class SkipDeadLetters(Command[schemas.GroupHandled]):
    """Skips a group's records permanently, oldest first, up to 500."""

    group: schemas.Group
