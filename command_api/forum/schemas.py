"""Request and response models of the forum's commands."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.forum.posts import State
from command_api.forum.text import GivenReason, Reason, Text, Title
from command_api.kernel.http import Moment, RequestModel
from schemas.events.forum import FlagReason
from schemas.http.responses import ResponseModel


class NewThread(RequestModel):
    """A thread to start. `text`: its first post, in Markdown."""

    category_id: Annotated[UUID, Field(strict=False)]
    title: Title
    text: Text


class Reply(RequestModel):
    """A reply in Markdown. `replyTo`: the post of the same thread that it answers."""

    text: Text
    reply_to: Annotated[UUID, Field(strict=False)] | None = None


class NewText(RequestModel):
    """The whole new text of the post, in Markdown."""

    text: Text


class FlagPost(RequestModel):
    """Why the post is reported, with an optional note for the moderators."""

    reason: FlagReason
    note: Reason = ""


class ReadUpTo(RequestModel):
    """`position` of the last post that was read. A smaller one than before changes nothing."""

    position: Annotated[int, Field(ge=0, le=2**62)]


class View(RequestModel):
    """An empty object."""


class StartedThread(ResponseModel):
    """The ids of the new thread and of its first post."""

    id: UUID
    post_id: UUID
    state: State = Field(description="held: a moderator looks at it first")


class WrittenPost(ResponseModel):
    """The post's id, and whether it is visible or held for a moderator."""

    id: UUID
    state: State


class Suspension(RequestModel):
    """Why the member is suspended, and until when. Without `until` it lasts until it is lifted."""

    reason: GivenReason
    until: Moment | None = None
