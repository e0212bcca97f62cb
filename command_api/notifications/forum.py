"""Notifications about forum events. Members get none about their own actions, and one per post."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from command_api.notifications.notification import MODERATORS, Notifications, OutgoingNotification, on
from schemas.events import forum


@on(forum.PostWritten)
def written(event: forum.PostWritten) -> Notifications:
    if event.held:
        yield _for_review(event)
    else:
        yield from _of_post(event, event.mentions, event.reply_to_author, followers=not event.is_first)


@on(forum.PostEdited)
def edited(event: forum.PostEdited) -> Notifications:
    if event.held:
        yield _for_review(event)
    yield from _of_post(event, event.newly_mentioned, None, followers=False)


@on(forum.PostApproved)
def approved(event: forum.PostApproved) -> Notifications:
    """Notifies the author, and others as of a new post if it was never shown before."""
    yield _to_author(event, "A moderator approved your post in {thread}")
    if event.was_shown:
        yield from _of_post(event, event.mentions, None, followers=False)
    else:
        yield from _of_post(event, event.mentions, event.reply_to_author, followers=not event.is_first)


@on(forum.PostHidden)
def hidden(event: forum.PostHidden) -> Notifications:
    yield _to_author(event, "Your post in {thread} was reported and is hidden until a moderator reviews it")
    yield _for_review(event)


@on(forum.PostDeleted)
def deleted(event: forum.PostDeleted) -> Notifications:
    """Notifies the author of a removal by a moderator; the post itself cannot be seen any more, so the path is the
    log."""
    if event.by_moderator:
        yield replace(_to_author(event, "A moderator removed your post in {thread}"), path="/forum/log")


@on(forum.PostRestored)
def restored(event: forum.PostRestored) -> Notifications:
    yield _to_author(event, "A moderator restored your post in {thread}")


@on(forum.PostLiked)
def liked(event: forum.PostLiked) -> Notifications:
    thread, post = event.thread_id, event.post_id
    yield OutgoingNotification(
        "like", str(post), event.author_id, event.account_id, thread, post, path=_path(thread, post)
    )


@on(forum.ForumMemberSuspended)
def suspended(event: forum.ForumMemberSuspended) -> Notifications:
    end = f"until {event.until:%b %-d, %Y}" if event.until is not None else "until further notice"
    about, title = f"suspended {event.originator_version}", f"You are suspended from posting in the forum {end}"
    yield OutgoingNotification("moderation", about, event.account_id, title=title, path="/forum")


@on(forum.ForumMemberReinstated)
def reinstated(event: forum.ForumMemberReinstated) -> Notifications:
    about, title = f"reinstated {event.originator_version}", "You can post in the forum again"
    yield OutgoingNotification("moderation", about, event.account_id, title=title, path="/forum")


def _of_post(
    event: forum.PostWritten | forum.PostEdited | forum.PostApproved,
    mentions: Sequence[UUID],
    answered: UUID | None,
    *,
    followers: bool,
) -> Iterator[OutgoingNotification]:
    post, thread, author = event.originator_id, event.thread_id, event.author_id
    path = _path(thread, post)
    notified = {author}
    for account in mentions:
        if account not in notified:
            notified.add(account)
            yield OutgoingNotification("mention", str(post), account, author, thread, post, path=path)
    if answered is not None and answered not in notified:
        notified.add(answered)
        yield OutgoingNotification("quote", str(post), answered, author, thread, post, path=path)
    if followers:
        yield OutgoingNotification("reply", str(thread), None, author, thread, post, path=path, but=tuple(notified))


def _for_review(event: forum.PostWritten | forum.PostEdited | forum.PostHidden) -> OutgoingNotification:
    """Notifies the moderators of a post for review, together with the posts that wait already; the moderation page
    shows each."""
    return OutgoingNotification(
        "review",
        "forum",
        None,
        event.author_id,
        event.thread_id,
        path="/forum/moderation",
        but=(event.author_id,),
        roles=MODERATORS,
    )


def _to_author(
    event: forum.PostApproved | forum.PostHidden | forum.PostDeleted | forum.PostRestored, title: str
) -> OutgoingNotification:
    about, thread, post = f"{event.originator_id} {event.originator_version}", event.thread_id, event.originator_id
    path = _path(thread, post)
    return OutgoingNotification("moderation", about, event.author_id, None, thread, post, title=title, path=path)


def _path(thread_id: UUID, post_id: UUID) -> str:
    return f"/forum/thread/{thread_id}?post={post_id}"
