"""Whom the forum's events tell what. Nobody is told of what they did themselves, and of one post only once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from command_api.notifications.notice import Notice, on
from schemas.events.forum import (
    ForumMemberReinstated,
    ForumMemberSuspended,
    PostApproved,
    PostDeleted,
    PostEdited,
    PostHidden,
    PostLiked,
    PostRestored,
    PostWritten,
)


@on(PostWritten)
def written(event: PostWritten) -> Iterable[Notice]:
    if not event.held:
        yield from _of_post(event, event.mentions, event.reply_to_author, followers=not event.is_first)


@on(PostEdited)
def edited(event: PostEdited) -> Iterable[Notice]:
    yield from _of_post(event, event.newly_mentioned, None, followers=False)


@on(PostApproved)
def approved(event: PostApproved) -> Iterable[Notice]:
    """A post that was never shown is new to everybody."""
    yield _to_author(event, "A moderator approved your post")
    if event.was_shown:
        yield from _of_post(event, event.mentions, None, followers=False)
    else:
        yield from _of_post(event, event.mentions, event.reply_to_author, followers=not event.is_first)


@on(PostHidden)
def hidden(event: PostHidden) -> Iterable[Notice]:
    yield _to_author(event, "Your post was reported and is hidden until a moderator has looked at it")


@on(PostDeleted)
def deleted(event: PostDeleted) -> Iterable[Notice]:
    """The post itself is nowhere to be seen any more; the log says why."""
    if event.by_moderator:
        yield replace(_to_author(event, "A moderator removed your post"), path="/forum/log")


@on(PostRestored)
def restored(event: PostRestored) -> Iterable[Notice]:
    yield _to_author(event, "A moderator brought your post back")


@on(PostLiked)
def liked(event: PostLiked) -> Iterable[Notice]:
    yield Notice(
        "like",
        str(event.post_id),
        event.author_id,
        event.account_id,
        event.thread_id,
        event.post_id,
        path=_path(event.thread_id, event.post_id),
    )


@on(ForumMemberSuspended)
def suspended(event: ForumMemberSuspended) -> Iterable[Notice]:
    end = f"until {event.until:%B %-d, %Y}" if event.until is not None else "until further notice"
    title = f"You are suspended from writing in the forum {end}"
    yield Notice("moderation", f"suspended {event.originator_version}", event.account_id, title=title, path="/forum")


@on(ForumMemberReinstated)
def reinstated(event: ForumMemberReinstated) -> Iterable[Notice]:
    title = "You can write in the forum again"
    yield Notice("moderation", f"reinstated {event.originator_version}", event.account_id, title=title, path="/forum")


def _of_post(
    event: PostWritten | PostEdited | PostApproved,
    mentions: Sequence[UUID],
    answered: UUID | None,
    *,
    followers: bool,
) -> Iterator[Notice]:
    post, thread, author = event.originator_id, event.thread_id, event.author_id
    path = _path(thread, post)
    told = {author}
    for account in mentions:
        if account not in told:
            told.add(account)
            yield Notice("mention", str(post), account, author, thread, post, path=path)
    if answered is not None and answered not in told:
        told.add(answered)
        yield Notice("quote", str(post), answered, author, thread, post, path=path)
    if followers:
        yield Notice("reply", str(thread), None, author, thread, post, path=path, but=tuple(told))


def _to_author(event: PostApproved | PostHidden | PostDeleted | PostRestored, title: str) -> Notice:
    about, path = f"{event.originator_id} {event.originator_version}", _path(event.thread_id, event.originator_id)
    return Notice(
        "moderation", about, event.author_id, thread_id=event.thread_id, post_id=event.originator_id, title=title,
        path=path,
    )  # fmt: skip


def _path(thread_id: UUID, post_id: UUID) -> str:
    return f"/forum/thread/{thread_id}?post={post_id}"
