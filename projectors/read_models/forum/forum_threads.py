"""`read.forum_categories`, `read.forum_threads`, `read.forum_follows`: the forum's lists.

A thread is shown while its first post is; `replies` counts those that are shown. `last_position` (the place in the log
of the newest post) orders threads by activity, without ties.
"""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import PUBLIC, own_account, shown_own_or_moderated
from schemas.base import ERASED
from schemas.events import forum
from schemas.events.accounts import AccountErased

FORUM_CATEGORIES: Final = ReadModel(
    name="forum_categories",
    version=1,
    columns=("id uuid", "name text not null", "slug text not null", "description text not null", "place int not null"),
    key=("id",),
    readers=PUBLIC,
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
    personal=("title",),
)

FORUM_FOLLOWS: Final = ReadModel(
    name="forum_follows",
    version=1,
    columns=("thread_id uuid", "account_id uuid", "follows boolean not null", "since timestamptz not null"),
    key=("thread_id", "account_id"),
    readers=own_account("account_id"),
    indexes=("account_id",),
)


FORUM_CATEGORIES.begins(forum.ForumCategoryCreated)


@FORUM_THREADS.on(forum.ThreadStarted)
def started(rows: Rows, event: forum.ThreadStarted) -> None:
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


FORUM_THREADS.follows(forum.ThreadPinned, is_pinned=True)
FORUM_THREADS.follows(forum.ThreadUnpinned, is_pinned=False)
FORUM_THREADS.follows(forum.ThreadLocked, is_locked=True)
FORUM_THREADS.follows(forum.ThreadUnlocked, is_locked=False)
FORUM_THREADS.follows(forum.ThreadMoved)
FORUM_THREADS.follows(forum.ThreadHidden, visible=False)
FORUM_THREADS.follows(forum.ThreadShown, visible=True)


@FORUM_THREADS.on(forum.ThreadViewsCounted)
def views_counted(rows: Rows, event: forum.ThreadViewsCounted) -> None:
    rows.add({"id": event.thread_id}, views=event.views)


@FORUM_THREADS.on(forum.PostWritten)
def post_written(rows: Rows, event: forum.PostWritten) -> None:
    if not event.held and not event.is_first:
        _replied(rows, event)


@FORUM_THREADS.on(forum.PostApproved)
def post_approved(rows: Rows, event: forum.PostApproved) -> None:
    if event.is_first:
        return
    if event.was_shown:
        rows.add({"id": event.thread_id}, replies=1)
    else:
        _replied(rows, event)


@FORUM_THREADS.on(forum.PostEdited)
def post_edited(rows: Rows, event: forum.PostEdited) -> None:
    if event.held and not event.is_first:
        rows.add({"id": event.thread_id}, replies=-1)


@FORUM_THREADS.on(forum.PostHidden)
def post_hidden(rows: Rows, event: forum.PostHidden) -> None:
    if not event.is_first:
        rows.add({"id": event.thread_id}, replies=-1)


@FORUM_THREADS.on(forum.PostDeleted)
def post_deleted(rows: Rows, event: forum.PostDeleted) -> None:
    if event.was == "visible" and not event.is_first:
        rows.add({"id": event.thread_id}, replies=-1)


@FORUM_THREADS.on(forum.PostRestored)
def post_restored(rows: Rows, event: forum.PostRestored) -> None:
    if not event.is_first:
        rows.add({"id": event.thread_id}, replies=1)


FORUM_THREADS.follows(AccountErased, by="author_id", title=ERASED)


FORUM_FOLLOWS.begins(forum.ThreadFollowed, at="since", follows=True)
FORUM_FOLLOWS.begins(forum.ThreadUnfollowed, at="since", follows=False)


def _replied(rows: Rows, event: forum.PostWritten | forum.PostApproved) -> None:
    rows.update(
        {"id": event.thread_id},
        last_reply_at=event.timestamp,
        last_reply_by=event.author_id,
        last_position=rows.position,
    )
    rows.add({"id": event.thread_id}, replies=1)
