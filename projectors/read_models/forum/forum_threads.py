"""`read.forum_categories`, `read.forum_threads`, `read.forum_follows`: the forum's lists.

A thread is shown while its first post is; `replies` counts those that are shown. `last_position` (the place in the log
of the newest post) orders threads by activity, without ties.
"""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import EVERYBODY, own_account, shown_own_or_moderated
from schemas.base import ERASED
from schemas.events.accounts import AccountErased
from schemas.events.forum import (
    ForumCategoryCreated,
    PostApproved,
    PostDeleted,
    PostEdited,
    PostHidden,
    PostRestored,
    PostWritten,
    ThreadFollowed,
    ThreadHidden,
    ThreadLocked,
    ThreadMoved,
    ThreadPinned,
    ThreadShown,
    ThreadStarted,
    ThreadUnfollowed,
    ThreadUnlocked,
    ThreadUnpinned,
    ThreadViewsCounted,
)

FORUM_CATEGORIES: Final = ReadModel(
    name="forum_categories",
    version=1,
    columns=("id uuid", "name text not null", "slug text not null", "description text not null", "place int not null"),
    key=("id",),
    readers=EVERYBODY,
)

FORUM_THREADS: Final = ReadModel(
    name="forum_threads",
    version=1,
    columns=(
        "id uuid",
        "title text not null",
        "category_id uuid not null",
        "author_id uuid not null",
        "first_post_id uuid not null",
        "is_pinned boolean not null default false",
        "is_locked boolean not null default false",
        "visible boolean not null",
        "views bigint not null default 0",
        "replies int not null default 0",
        "created_at timestamptz not null",
        "last_reply_at timestamptz",
        "last_reply_by uuid",
        "position bigint not null",
        "last_position bigint not null",
        "search tsvector generated always as (to_tsvector('english', title)) stored",
    ),
    key=("id",),
    readers=shown_own_or_moderated("visible", "author_id"),
    indexes=(
        "visible, is_pinned desc, last_position desc",
        "visible, is_pinned desc, position desc",
        "visible, is_pinned desc, replies desc, position desc",
        "visible, is_pinned desc, views desc, position desc",
        "category_id, visible, is_pinned desc, last_position desc",
        "category_id, visible, is_pinned desc, position desc",
        "category_id, visible, is_pinned desc, replies desc, position desc",
        "category_id, visible, is_pinned desc, views desc, position desc",
        "author_id, position desc",
        "using gin (search)",
    ),
)

FORUM_FOLLOWS: Final = ReadModel(
    name="forum_follows",
    version=1,
    columns=("thread_id uuid", "account_id uuid", "follows boolean not null", "since timestamptz not null"),
    key=("thread_id", "account_id"),
    readers=own_account("account_id"),
    indexes=("account_id",),
)


@FORUM_CATEGORIES.on(ForumCategoryCreated)
def category_created(rows: Rows, event: ForumCategoryCreated) -> None:
    rows.put(id=event.originator_id, name=event.name, slug=event.slug, description=event.description, place=event.place)


@FORUM_THREADS.on(ThreadStarted)
def started(rows: Rows, event: ThreadStarted) -> None:
    rows.put(
        id=event.originator_id,
        title=event.title,
        category_id=event.category_id,
        author_id=event.author_id,
        first_post_id=event.first_post_id,
        visible=not event.held,
        created_at=event.timestamp,
        position=rows.position,
        last_position=rows.position,
    )


@FORUM_THREADS.on(ThreadPinned)
def pinned(rows: Rows, event: ThreadPinned) -> None:
    rows.update({"id": event.originator_id}, is_pinned=True)


@FORUM_THREADS.on(ThreadUnpinned)
def unpinned(rows: Rows, event: ThreadUnpinned) -> None:
    rows.update({"id": event.originator_id}, is_pinned=False)


@FORUM_THREADS.on(ThreadLocked)
def locked(rows: Rows, event: ThreadLocked) -> None:
    rows.update({"id": event.originator_id}, is_locked=True)


@FORUM_THREADS.on(ThreadUnlocked)
def unlocked(rows: Rows, event: ThreadUnlocked) -> None:
    rows.update({"id": event.originator_id}, is_locked=False)


@FORUM_THREADS.on(ThreadMoved)
def moved(rows: Rows, event: ThreadMoved) -> None:
    rows.update({"id": event.originator_id}, category_id=event.category_id)


@FORUM_THREADS.on(ThreadHidden)
def thread_hidden(rows: Rows, event: ThreadHidden) -> None:
    rows.update({"id": event.originator_id}, visible=False)


@FORUM_THREADS.on(ThreadShown)
def thread_shown(rows: Rows, event: ThreadShown) -> None:
    rows.update({"id": event.originator_id}, visible=True)


@FORUM_THREADS.on(ThreadViewsCounted)
def views_counted(rows: Rows, event: ThreadViewsCounted) -> None:
    rows.add({"id": event.thread_id}, views=event.views)


@FORUM_THREADS.on(PostWritten)
def post_written(rows: Rows, event: PostWritten) -> None:
    if not event.held and not event.is_first:
        _replied(rows, event)


@FORUM_THREADS.on(PostApproved)
def post_approved(rows: Rows, event: PostApproved) -> None:
    if event.is_first:
        return
    if event.was_shown:
        rows.add({"id": event.thread_id}, replies=1)
    else:
        _replied(rows, event)


@FORUM_THREADS.on(PostEdited)
def post_edited(rows: Rows, event: PostEdited) -> None:
    if event.held and not event.is_first:
        rows.add({"id": event.thread_id}, replies=-1)


@FORUM_THREADS.on(PostHidden)
def post_hidden(rows: Rows, event: PostHidden) -> None:
    if not event.is_first:
        rows.add({"id": event.thread_id}, replies=-1)


@FORUM_THREADS.on(PostDeleted)
def post_deleted(rows: Rows, event: PostDeleted) -> None:
    if event.was == "visible" and not event.is_first:
        rows.add({"id": event.thread_id}, replies=-1)


@FORUM_THREADS.on(PostRestored)
def post_restored(rows: Rows, event: PostRestored) -> None:
    if not event.is_first:
        rows.add({"id": event.thread_id}, replies=1)


@FORUM_THREADS.on(AccountErased)
def author_erased(rows: Rows, event: AccountErased) -> None:
    rows.update({"author_id": event.originator_id}, title=ERASED)


@FORUM_FOLLOWS.on(ThreadFollowed)
def followed(rows: Rows, event: ThreadFollowed) -> None:
    rows.put(thread_id=event.thread_id, account_id=event.account_id, follows=True, since=event.timestamp)


@FORUM_FOLLOWS.on(ThreadUnfollowed)
def unfollowed(rows: Rows, event: ThreadUnfollowed) -> None:
    rows.put(thread_id=event.thread_id, account_id=event.account_id, follows=False, since=event.timestamp)


def _replied(rows: Rows, event: PostWritten | PostApproved) -> None:
    rows.update(
        {"id": event.thread_id},
        last_reply_at=event.timestamp,
        last_reply_by=event.author_id,
        last_position=rows.position,
    )
    rows.add({"id": event.thread_id}, replies=1)
