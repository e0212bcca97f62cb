"""Request and response models of projections and dead letters."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from schemas.http.operations import LetterHead
from schemas.http.responses import ResponseModel

Action = Literal["pause", "resume", "rebuild", "promote", "rollback", "cancel", "verify"]


class RequestProjectionAction(RequestModel):
    """`reason` is recorded with the action."""

    reason: Annotated[str, Field(min_length=1, max_length=500)]
    force: Annotated[
        bool,
        Field(description="Promote despite differences or new dead letters; resume despite expected new ones"),
    ] = False


class RebuildProjections(RequestModel):
    """Projections by name, in the order in which they are rebuilt. `reason` is recorded with each action."""

    names: Annotated[list[Annotated[str, Field(max_length=100)]], Field(min_length=1, max_length=200)]
    reason: Annotated[str, Field(min_length=1, max_length=500)]
    promotes: Annotated[bool, Field(description="Promote each one when it is ready")] = False


class RebuildRun(ResponseModel):
    """The rebuild run; `GET /api/admin/rebuild-runs/latest` shows its progress."""

    id: UUID


class StopComparing(RequestModel):
    """An optional reason, kept with the request."""

    reason: Annotated[str, Field(max_length=500)] = ""


class ProjectionRequest(ResponseModel):
    """The stored request; `state`: waiting. The projection's page shows its outcome."""

    id: UUID
    projection: str
    action: str
    state: str


class Group(RequestModel):
    """Open dead letters of a projection, of one kind or all. `reason`: the admin's reason."""

    projection: Annotated[str, Field(min_length=1, max_length=100)]
    kind: Annotated[str | None, Field(max_length=100, description="The reason they have; null: any")] = None
    reason: Annotated[str, Field(max_length=500)] = ""


class Handled(ResponseModel):
    """The dead letter after the request. A retry is carried out later, by its projection or policy."""

    id: UUID
    projection: str
    state: str


class GroupHandled(ResponseModel):
    """`left`: remaining open dead letters of the group; repeat the request for them."""

    handled: int
    left: int


class RevealedRecord(LetterHead):
    """A record of the log. `text` is null for binary data; both are truncated after 64 KiB."""

    key: str
    headers: dict[str, str]
    text: str | None
    base64: str
