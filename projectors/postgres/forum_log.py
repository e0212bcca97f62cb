"""`read.forum_log`: what moderators, and the rules, did in the forum; newest last, one row per event."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import EVERYBODY
from schemas.base import ERASED, DomainEvent
from schemas.events.accounts import AccountErased
from schemas.events.forum import (
    ForumMemberReinstated,
    ForumMemberSuspended,
    PostApproved,
    PostDeleted,
    PostFlagsDismissed,
    PostHidden,
    PostRestored,
    ThreadLocked,
    ThreadMoved,
    ThreadPinned,
    ThreadUnlocked,
    ThreadUnpinned,
)

FORUM_LOG: Final = ReadModel(
    name="forum_log",
    version=1,
    columns=(
        "position bigint",
        "action text not null",
        "thread_id uuid",
        "post_id uuid",
        "member_id uuid",
        "actor_id uuid",
        "reason text not null",
        "at timestamptz not null",
    ),
    key=("position",),
    readers=EVERYBODY,  # the route leaves out who acted, but for moderators
    indexes=("member_id",),
)


@FORUM_LOG.on(ThreadPinned)
def pinned(rows: Rows, event: ThreadPinned) -> None:
    _entry(rows, event, "pinned", thread=event.originator_id, reason=event.reason)


@FORUM_LOG.on(ThreadUnpinned)
def unpinned(rows: Rows, event: ThreadUnpinned) -> None:
    _entry(rows, event, "unpinned", thread=event.originator_id, reason=event.reason)


@FORUM_LOG.on(ThreadLocked)
def locked(rows: Rows, event: ThreadLocked) -> None:
    _entry(rows, event, "locked", thread=event.originator_id, reason=event.reason)


@FORUM_LOG.on(ThreadUnlocked)
def unlocked(rows: Rows, event: ThreadUnlocked) -> None:
    _entry(rows, event, "unlocked", thread=event.originator_id, reason=event.reason)


@FORUM_LOG.on(ThreadMoved)
def moved(rows: Rows, event: ThreadMoved) -> None:
    _entry(rows, event, "moved", thread=event.originator_id, reason=event.reason)


@FORUM_LOG.on(PostHidden)
def hidden(rows: Rows, event: PostHidden) -> None:
    _of_post(rows, event, "hidden")


@FORUM_LOG.on(PostApproved)
def approved(rows: Rows, event: PostApproved) -> None:
    _of_post(rows, event, "approved")


@FORUM_LOG.on(PostFlagsDismissed)
def dismissed(rows: Rows, event: PostFlagsDismissed) -> None:
    _of_post(rows, event, "reports_dismissed")


@FORUM_LOG.on(PostDeleted)
def deleted(rows: Rows, event: PostDeleted) -> None:
    """What authors take away themselves is nobody's business."""
    if event.by_moderator:
        _of_post(rows, event, "deleted", event.reason or "")


@FORUM_LOG.on(PostRestored)
def restored(rows: Rows, event: PostRestored) -> None:
    _of_post(rows, event, "restored")


@FORUM_LOG.on(ForumMemberSuspended)
def suspended(rows: Rows, event: ForumMemberSuspended) -> None:
    _entry(rows, event, "suspended", member=event.account_id, reason=event.reason)


@FORUM_LOG.on(ForumMemberReinstated)
def reinstated(rows: Rows, event: ForumMemberReinstated) -> None:
    _entry(rows, event, "reinstated", member=event.account_id)


@FORUM_LOG.on(AccountErased)
def erased(rows: Rows, event: AccountErased) -> None:
    rows.update({"member_id": event.originator_id}, reason=ERASED)


def _of_post(
    rows: Rows,
    event: PostHidden | PostApproved | PostFlagsDismissed | PostDeleted | PostRestored,
    action: str,
    reason: str = "",
) -> None:
    _entry(rows, event, action, thread=event.thread_id, post=event.originator_id, member=event.author_id, reason=reason)


def _entry(
    rows: Rows,
    event: DomainEvent,
    action: str,
    *,
    thread: UUID | None = None,
    post: UUID | None = None,
    member: UUID | None = None,
    reason: str = "",
) -> None:
    by = None if isinstance(event, PostHidden) else event.actor_id  # the last who reported it is no moderator
    rows.put(
        position=rows.position,
        action=action,
        thread_id=thread,
        post_id=post,
        member_id=member,
        actor_id=by,
        reason=reason,
        at=event.timestamp,
    )
