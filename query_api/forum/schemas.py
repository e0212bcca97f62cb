"""Response models of the forum. They contain no email address; an erased account is `Deleted member` without an id."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from pydantic import Field

from schemas.http.responses import ResponseModel

PostState = Literal["visible", "held", "hidden", "deleted"]
DELETED_MEMBER: Final = "Deleted member"
REMOVED: Final = "Removed at its author's request."
"""Shown in place of a text of an erased account."""


class Author(ResponseModel):
    """Who wrote something."""

    id: UUID | None = Field(description="Null for a deleted member")
    name: str
    handle: str | None = Field(description="What others mention them by: @handle")
    role: Literal["member", "moderator"] = "member"


class Category(ResponseModel):
    """A category. The counts contain visible threads and replies only."""

    id: UUID
    name: str
    slug: str
    description: str
    threads: int
    replies: int
    last_activity_at: datetime | None


class Thread(ResponseModel):
    """One row of the list. Pinned ones come first."""

    id: UUID
    title: str
    category_id: UUID
    is_pinned: bool
    is_locked: bool
    views: int
    replies: int
    created_at: datetime
    last_reply_at: datetime | None = Field(description="Null while there are no replies")
    author: Author
    last_reply_by: Author | None
    unread: bool = Field(description="Something in it is newer than what the reader has seen; false for visitors")
    followed: bool
    is_visible: bool = Field(
        description="False while it is pending review, or was removed: then only for its author and moderators"
    )


class ThreadInFull(Thread):
    """A thread, with what its reader can do next."""

    first_post_id: UUID
    last_read_post_id: UUID | None = Field(description="Where the reader stopped: request the posts around it")
    can_reply: bool


class Quoted(ResponseModel):
    """The post that another answers."""

    id: UUID
    author: Author
    excerpt: str


class Post(ResponseModel):
    """A post as the reader may see it."""

    id: UUID
    thread_id: UUID
    author: Author
    text: str = Field(description="Markdown, as it was written")
    excerpt: str = Field(description="The beginning without marks")
    html: str | None = Field(description="Sanitised; only with html=true")
    is_first: bool
    reply_to: Quoted | None
    mentions: list[Author]
    likes: int
    liked: bool
    state: PostState = Field(description="Others than visible: for the author and moderators only")
    created_at: datetime
    edited_at: datetime | None
    edits: int
    can_edit: bool
    can_delete: bool
    flagged: bool = Field(description="The reader reported it")
    position: int = Field(description="Grows from post to post; what /read takes")


class Edit(ResponseModel):
    """A text before it was edited."""

    number: int
    text: str
    edited_by: Author
    edited_at: datetime


class Piece(ResponseModel):
    """A bit of text, and whether it is what was searched for."""

    text: str
    hit: bool


class Found(ResponseModel):
    """A post that matches the search. `excerpt`: its text in pieces, with the matches marked."""

    thread_id: UUID
    post_id: UUID
    category_id: UUID
    title: str
    excerpt: list[Piece]
    author: Author
    created_at: datetime


class Member(Author):
    """The public profile of a member."""

    joined_at: datetime
    posts: int
    threads: int
    likes_received: int
    suspended_until: datetime | None = Field(description="The year 9999: until a moderator ends it")


class Flag(ResponseModel):
    """A member's report of a post."""

    reason: str
    note: str
    by: Author
    at: datetime


class QueuedPost(ResponseModel):
    """What waits for a moderator."""

    post: Post
    thread_title: str
    waits_for: Literal["approval", "flags"]
    waiting_since: datetime
    flags: list[Flag]


class LogEntry(ResponseModel):
    """An action of a moderator or an automatic rule."""

    id: int
    action: str = Field(
        description="pinned, unpinned, locked, unlocked, moved, hidden, approved, deleted, restored, ..."
    )
    thread_id: UUID | None
    post_id: UUID | None
    title: str | None
    member: Author | None = Field(description="Whom it concerns")
    by: str | None = Field(description="The moderator's name; for moderators only. Null: the rules")
    reason: str
    at: datetime
