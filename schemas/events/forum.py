"""Events of the forum: what members write, and what moderators do about it.

A thread and each of its posts have histories of their own, so that a long thread costs no more to answer than a short
one. A like and a follow are histories of one person and one thing: nobody likes twice. Text is encrypted with the key
of its author, also after another member edits or moves it.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Personal

FlagReason = Literal["spam", "off_topic", "abusive", "illegal", "other"]


class _OfPost(Frozen):
    """Fields of events of a post."""

    author_id: UUID
    thread_id: UUID


class _OfAnyPost(_OfPost):
    """Also of the first post of a thread."""

    is_first: bool = False


class _OfLike(Frozen):
    """Fields of events of a like."""

    account_id: UUID
    post_id: UUID
    thread_id: UUID
    author_id: UUID


class ForumCategoryCreated(DomainEvent):
    """Threads can be started in it."""

    NAME: ClassVar[str] = "forum.category_created"
    name: str
    slug: str
    description: str
    place: int = Field(ge=1, description="Its place in the list")


class ForumMemberJoined(DomainEvent):
    """An account was active in the forum for the first time and got the handle for mentions."""

    NAME: ClassVar[str] = "forum.member_joined"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    handle: Personal[str]


class ForumMemberSuspended(DomainEvent):
    """The member may read but not write."""

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
    """A member started a thread; its first post is in the same transaction."""

    NAME: ClassVar[str] = "forum.thread_started"
    SUBJECT: ClassVar[str] = "author_id"
    author_id: UUID
    category_id: UUID
    first_post_id: UUID
    title: Personal[str]
    held: bool = Field(default=False, description="Pending review by a moderator")


class ThreadPinned(DomainEvent):
    """The thread is listed before the others."""

    NAME: ClassVar[str] = "forum.thread_pinned"
    reason: str = ""


class ThreadUnpinned(DomainEvent):
    """The thread is listed by its last reply again."""

    NAME: ClassVar[str] = "forum.thread_unpinned"
    reason: str = ""


class ThreadLocked(DomainEvent):
    """Only moderators can reply."""

    NAME: ClassVar[str] = "forum.thread_locked"
    reason: str = ""


class ThreadUnlocked(DomainEvent):
    """Replies are possible again."""

    NAME: ClassVar[str] = "forum.thread_unlocked"
    reason: str = ""


class ThreadMoved(DomainEvent):
    """The thread moved to another category."""

    NAME: ClassVar[str] = "forum.thread_moved"
    category_id: UUID
    reason: str = ""


class ThreadHidden(DomainEvent):
    """Its first post is no longer shown, and neither is the thread."""

    NAME: ClassVar[str] = "forum.thread_hidden"


class ThreadShown(DomainEvent):
    """The thread is public: approved, or restored."""

    NAME: ClassVar[str] = "forum.thread_shown"


class ThreadViewsCounted(DomainEvent):
    """More visitors opened the thread, each counted once a day. An aggregate of the thread's views alone."""

    NAME: ClassVar[str] = "forum.views_counted"
    thread_id: UUID
    views: int = Field(ge=1)


class PostWritten(_OfPost, DomainEvent):
    """A member wrote the first post of a thread, or a reply."""

    NAME: ClassVar[str] = "forum.post_written"
    SUBJECT: ClassVar[str] = "author_id"
    text: Personal[str]
    is_first: bool = False
    reply_to: UUID | None = Field(default=None, description="The post that it answers")
    reply_to_author: UUID | None = None
    mentions: tuple[UUID, ...] = Field(default=(), description="Accounts of the members it names")
    held: bool = Field(default=False, description="Pending review by a moderator")


class PostEdited(_OfPost, DomainEvent):
    """Its text was replaced; the previous text is stored."""

    NAME: ClassVar[str] = "forum.post_edited"
    SUBJECT: ClassVar[str] = "author_id"
    text: Personal[str]
    before: Personal[str]
    mentions: tuple[UUID, ...] = ()
    newly_mentioned: tuple[UUID, ...] = ()
    is_first: bool = False
    held: bool = Field(default=False, description="It was shown, and its new text is pending review by a moderator")


class PostFlagged(DomainEvent):
    """A member reported it to the moderators."""

    NAME: ClassVar[str] = "forum.post_flagged"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    author_id: UUID
    thread_id: UUID
    reason: FlagReason
    note: Personal[str] = ""


class PostHidden(_OfAnyPost, DomainEvent):
    """Enough members reported it: it is hidden until a moderator has reviewed it."""

    NAME: ClassVar[str] = "forum.post_hidden"


class PostApproved(_OfAnyPost, DomainEvent):
    """A moderator approved a post that was pending review."""

    NAME: ClassVar[str] = "forum.post_approved"
    was: Literal["held", "hidden"] = "held"
    was_shown: bool = Field(default=False, description="It was shown before the review")
    reply_to_author: UUID | None = None
    mentions: tuple[UUID, ...] = Field(default=(), description="Members who were not notified yet")


class PostFlagsDismissed(_OfPost, DomainEvent):
    """A moderator found no violation; its reports are closed."""

    NAME: ClassVar[str] = "forum.flags_dismissed"


class PostDeleted(_OfAnyPost, DomainEvent):
    """Its author or a moderator deleted it; a moderator can restore it."""

    NAME: ClassVar[str] = "forum.post_deleted"
    SUBJECT: ClassVar[str] = "author_id"
    was: Literal["visible", "held", "hidden"] = "visible"
    by_moderator: bool = False
    reason: Personal[str | None] = Field(default=None, description="None of an author who was erased")


class PostRestored(_OfAnyPost, DomainEvent):
    """A moderator restored it."""

    NAME: ClassVar[str] = "forum.post_restored"


class PostLiked(_OfLike, DomainEvent):
    """A member liked a post. An aggregate of one member and one post."""

    NAME: ClassVar[str] = "forum.post_liked"


class PostUnliked(_OfLike, DomainEvent):
    """A member removed the like."""

    NAME: ClassVar[str] = "forum.post_unliked"


class ThreadFollowed(DomainEvent):
    """A member is notified of the thread's new replies. An aggregate of one member and one thread."""

    NAME: ClassVar[str] = "forum.thread_followed"
    account_id: UUID
    thread_id: UUID


class ThreadUnfollowed(DomainEvent):
    """A member is no longer notified of the thread's new replies."""

    NAME: ClassVar[str] = "forum.thread_unfollowed"
    account_id: UUID
    thread_id: UUID
