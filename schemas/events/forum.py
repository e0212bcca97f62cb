"""What members do together in the forum, and what moderators do about it.

A thread and each of its posts have histories of their own, so that a long thread costs no more to answer than a short
one. A like and a follow are histories of one person and one thing: nobody likes twice. What somebody wrote is encrypted
with the key of its author, whoever edits or moves it.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Personal

FlagReason = Literal["spam", "off_topic", "abusive", "illegal", "other"]


class ForumCategoryCreated(DomainEvent):
    """Threads can be started in it."""

    NAME: ClassVar[str] = "forum.category_created"
    name: str
    slug: str
    description: str
    place: int = Field(ge=1, description="Its place in the list")


class ForumMemberJoined(DomainEvent):
    """An account did something in the forum for the first time, and got the handle that others mention it by."""

    NAME: ClassVar[str] = "forum.member_joined"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    handle: Personal[str]


class ForumMemberSuspended(DomainEvent):
    """The member may read, and write nothing."""

    NAME: ClassVar[str] = "forum.member_suspended"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    until: datetime | None = Field(description="None: until a moderator ends it")
    reason: Personal[str]


class ForumMemberReinstated(DomainEvent):
    """The member may write again, before the suspension's end."""

    NAME: ClassVar[str] = "forum.member_reinstated"
    account_id: UUID


class ThreadStarted(DomainEvent):
    """A member began a thread; its first post is in the same transaction."""

    NAME: ClassVar[str] = "forum.thread_started"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    category_id: UUID
    first_post_id: UUID
    title: Personal[str]
    held: bool = Field(default=False, description="Waits for a moderator's approval")


class ThreadPinned(DomainEvent):
    """It stands before the others."""

    NAME: ClassVar[str] = "forum.thread_pinned"
    reason: str = ""


class ThreadUnpinned(DomainEvent):
    """It stands where its last reply puts it."""

    NAME: ClassVar[str] = "forum.thread_unpinned"
    reason: str = ""


class ThreadLocked(DomainEvent):
    """Nobody but moderators can reply."""

    NAME: ClassVar[str] = "forum.thread_locked"
    reason: str = ""


class ThreadUnlocked(DomainEvent):
    """Everybody can reply again."""

    NAME: ClassVar[str] = "forum.thread_unlocked"
    reason: str = ""


class ThreadMoved(DomainEvent):
    """It belongs to another category."""

    NAME: ClassVar[str] = "forum.thread_moved"
    category_id: UUID
    reason: str = ""


class ThreadHidden(DomainEvent):
    """Its first post is not shown any more, so nor is the thread."""

    NAME: ClassVar[str] = "forum.thread_hidden"


class ThreadShown(DomainEvent):
    """It is there for everybody: approved, or restored."""

    NAME: ClassVar[str] = "forum.thread_shown"


class ThreadViewsCounted(DomainEvent):
    """So many visitors more opened the thread, each counted once a day. Happens to the thread's views alone."""

    NAME: ClassVar[str] = "forum.views_counted"
    thread_id: UUID
    views: int = Field(ge=1)


class PostWritten(DomainEvent):
    """A member wrote the first post of a thread, or a reply."""

    NAME: ClassVar[str] = "forum.post_written"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    thread_id: UUID
    text: Personal[str]
    is_first: bool = False
    reply_to: UUID | None = Field(default=None, description="The post that it answers")
    reply_to_author: UUID | None = None
    mentions: tuple[UUID, ...] = Field(default=(), description="Accounts of the members it names")
    held: bool = Field(default=False, description="Waits for a moderator's approval")


class PostEdited(DomainEvent):
    """Its text was replaced; the one before is kept."""

    NAME: ClassVar[str] = "forum.post_edited"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    thread_id: UUID
    text: Personal[str]
    before: Personal[str]
    mentions: tuple[UUID, ...] = ()
    newly_mentioned: tuple[UUID, ...] = ()
    is_first: bool = False
    held: bool = Field(default=False, description="It was shown, and its new text waits for a moderator's approval")


class PostFlagged(DomainEvent):
    """A member reported it to the moderators."""

    NAME: ClassVar[str] = "forum.post_flagged"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    author_id: UUID
    thread_id: UUID
    reason: FlagReason
    note: Personal[str] = ""


class PostHidden(DomainEvent):
    """Enough members reported it: it is not shown until a moderator has looked."""

    NAME: ClassVar[str] = "forum.post_hidden"
    author_id: UUID
    thread_id: UUID
    is_first: bool = False


class PostApproved(DomainEvent):
    """A moderator had a post shown that waited."""

    NAME: ClassVar[str] = "forum.post_approved"
    author_id: UUID
    thread_id: UUID
    is_first: bool = False
    was: Literal["held", "hidden"] = "held"
    was_shown: bool = Field(default=False, description="It was shown before it had to wait")
    reply_to_author: UUID | None = None
    mentions: tuple[UUID, ...] = Field(default=(), description="Those who were not told of it yet")


class PostFlagsDismissed(DomainEvent):
    """A moderator saw nothing wrong with it; its reports are settled."""

    NAME: ClassVar[str] = "forum.flags_dismissed"
    author_id: UUID
    thread_id: UUID


class PostDeleted(DomainEvent):
    """Its author or a moderator took it away; a moderator can bring it back."""

    NAME: ClassVar[str] = "forum.post_deleted"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    thread_id: UUID
    is_first: bool = False
    was: Literal["visible", "held", "hidden"] = "visible"
    by_moderator: bool = False
    reason: Personal[str | None] = Field(default=None, description="None of an author who was erased")


class PostRestored(DomainEvent):
    """A moderator brought it back."""

    NAME: ClassVar[str] = "forum.post_restored"
    author_id: UUID
    thread_id: UUID
    is_first: bool = False


class PostLiked(DomainEvent):
    """A member liked a post. Happens to what that member thinks of that post."""

    NAME: ClassVar[str] = "forum.post_liked"
    account_id: UUID
    post_id: UUID
    thread_id: UUID
    author_id: UUID


class PostUnliked(DomainEvent):
    """A member took the like back."""

    NAME: ClassVar[str] = "forum.post_unliked"
    account_id: UUID
    post_id: UUID
    thread_id: UUID
    author_id: UUID


class ThreadFollowed(DomainEvent):
    """A member is told of the thread's new replies. Happens to what that member has with that thread."""

    NAME: ClassVar[str] = "forum.thread_followed"
    account_id: UUID
    thread_id: UUID


class ThreadUnfollowed(DomainEvent):
    """A member is told of them no more."""

    NAME: ClassVar[str] = "forum.thread_unfollowed"
    account_id: UUID
    thread_id: UUID
