"""What the forum's calls answer. Nobody's e-mail is in any of it; who was erased is `Deleted member` without an id."""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from pydantic import BaseModel, Field

PostState = Literal["visible", "held", "hidden", "deleted"]
DELETED_MEMBER: Final = "Deleted member"
REMOVED: Final = "Removed at its author's request."
"""What a text of somebody who was erased reads as."""


class Author(BaseModel):
    """Who wrote something."""

    id: UUID | None = Field(description="Null for a deleted member")
    name: str
    handle: str | None = Field(description="What others mention them by: @handle")
    role: Literal["member", "moderator"] = "member"


class Category(BaseModel):
    id: UUID
    name: str
    slug: str
    description: str
    threads: int
    replies: int
    lastActivityAt: datetime | None


class Thread(BaseModel):
    """One row of the list. Pinned ones come first."""

    id: UUID
    title: str
    categoryId: UUID
    isPinned: bool
    isLocked: bool
    views: int
    replies: int
    createdAt: datetime
    lastReplyAt: datetime | None = Field(description="Null while nobody answered")
    author: Author
    lastReplyBy: Author | None
    unread: bool = Field(description="Something in it is newer than what the reader has seen; false for visitors")
    followed: bool
    isVisible: bool = Field(description="False while it waits for approval, or was removed: its author and moderators")


class ThreadInFull(Thread):
    firstPostId: UUID
    lastReadPostId: UUID | None = Field(description="Where the reader stopped: ask for posts around it")
    canReply: bool


class Quoted(BaseModel):
    """The post that another answers."""

    id: UUID
    author: Author
    excerpt: str


class Post(BaseModel):
    id: UUID
    threadId: UUID
    author: Author
    text: str = Field(description="Markdown, as it was written")
    excerpt: str = Field(description="The beginning without marks")
    html: str | None = Field(description="Sanitised; only when asked for with html=true")
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


class Edit(BaseModel):
    """A text before it was edited."""

    number: int
    text: str
    editedBy: Author
    editedAt: datetime


class Piece(BaseModel):
    """A bit of text, and whether it is what was searched for."""

    text: str
    hit: bool


class Found(BaseModel):
    threadId: UUID
    postId: UUID
    categoryId: UUID
    title: str
    excerpt: list[Piece]
    author: Author
    createdAt: datetime


class Member(Author):
    """What everybody may see of a member."""

    joinedAt: datetime
    posts: int
    threads: int
    likesReceived: int
    suspendedUntil: datetime | None = Field(description="The year 9999: until a moderator ends it")


class Flag(BaseModel):
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


class LogEntry(BaseModel):
    """Something a moderator, or the rules, did."""

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
