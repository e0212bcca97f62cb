"""Response models of the forum. They contain no email address; an erased account is `Deleted member` without an id."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from query_api.kernel.responses import RowModel

PostState = Literal["visible", "held", "hidden", "deleted"]
DELETED_MEMBER: Final = "Deleted member"
REMOVED: Final = "Removed at its author's request."
"""Shown in place of a text of an erased account."""


class Author(RowModel):
    """Who wrote something."""

    id: UUID | None = Field(description="Null for a deleted member")
    name: str
    handle: str | None = Field(description="What others mention them by: @handle")
    role: Literal["member", "moderator"] = "member"


class Category(RowModel):
    """A category. The counts contain visible threads and replies only."""

    id: UUID
    name: str
    slug: str
    description: str
    threads: int
    replies: int
    lastActivityAt: datetime | None


class Thread(RowModel):
    """One row of the list. Pinned ones come first."""

    id: UUID
    title: str
    categoryId: UUID
    isPinned: bool
    isLocked: bool
    views: int
    replies: int
    createdAt: datetime
    lastReplyAt: datetime | None = Field(description="Null while there are no replies")
    author: Author
    lastReplyBy: Author | None
    unread: bool = Field(description="Something in it is newer than what the reader has seen; false for visitors")
    followed: bool
    isVisible: bool = Field(
        description="False while it is pending review, or was removed: then only for its author and moderators"
    )


class ThreadInFull(Thread):
    """A thread, with what its reader can do next."""

    firstPostId: UUID
    lastReadPostId: UUID | None = Field(description="Where the reader stopped: request the posts around it")
    canReply: bool


class Quoted(BaseModel):
    """The post that another answers."""

    id: UUID
    author: Author
    excerpt: str


class Post(RowModel):
    """A post as the reader may see it."""

    id: UUID
    threadId: UUID
    author: Author
    text: str = Field(description="Markdown, as it was written")
    excerpt: str = Field(description="The beginning without marks")
    html: str | None = Field(description="Sanitised; only with html=true")
    isFirst: bool
    replyTo: Quoted | None
    mentions: list[Author]
    likes: int
    liked: bool
    state: PostState = Field(description="Others than visible: for the author and moderators only")
    createdAt: datetime
    editedAt: datetime | None
    edits: int
    canEdit: bool
    canDelete: bool
    flagged: bool = Field(description="The reader reported it")
    position: int = Field(description="Grows from post to post; what /read takes")


class Edit(RowModel):
    """A text before it was edited."""

    number: int
    text: str
    editedBy: Author
    editedAt: datetime


class Piece(BaseModel):
    """A bit of text, and whether it is what was searched for."""

    text: str
    hit: bool


class Found(RowModel):
    """A post that matches the search. `excerpt`: its text in pieces, with the matches marked."""

    threadId: UUID
    postId: UUID
    categoryId: UUID
    title: str
    excerpt: list[Piece]
    author: Author
    createdAt: datetime


class Member(Author):
    """The public profile of a member."""

    joinedAt: datetime
    posts: int
    threads: int
    likesReceived: int
    suspendedUntil: datetime | None = Field(description="The year 9999: until a moderator ends it")


class Flag(RowModel):
    """A member's report of a post."""

    reason: str
    note: str
    by: Author
    at: datetime


class QueuedPost(BaseModel):
    """What waits for a moderator."""

    post: Post
    threadTitle: str
    waitsFor: Literal["approval", "flags"]
    waitingSince: datetime
    flags: list[Flag]


class LogEntry(RowModel):
    """An action of a moderator or an automatic rule."""

    id: int
    action: str = Field(
        description="pinned, unpinned, locked, unlocked, moved, hidden, approved, deleted, restored, ..."
    )
    threadId: UUID | None
    postId: UUID | None
    title: str | None
    member: Author | None = Field(description="Whom it concerns")
    by: str | None = Field(description="The moderator's name; for moderators only. Null: the rules")
    reason: str
    at: datetime
