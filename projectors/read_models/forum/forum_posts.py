"""`read.forum_posts` and the tables around a post: its earlier texts, its likes, its reports."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account, own_or_moderated, shown_own_or_moderated
from schemas.base import ERASED
from schemas.events import forum
from schemas.events.accounts import AccountErased

FORUM_POSTS: Final = ReadModel(
    name="forum_posts",
    version=2,
    columns=(
        "id uuid",
        "thread_id uuid not null",
        "author_id uuid not null",
        "text text not null",
        "is_first boolean not null",
        "reply_to uuid",
        "mentions uuid[] not null",
        "state text not null",
        "likes int not null default 0",
        "flags int not null default 0",
        "edits int not null default 0",
        "created_at timestamptz not null",
        "edited_at timestamptz",
        "waiting_since timestamptz",
        "position bigint not null",
        "search tsvector generated always as (to_tsvector('english', text)) stored",
    ),
    key=("id",),
    fixed=(
        "thread_id",
        "author_id",
        "is_first",
    ),
    readers=shown_own_or_moderated("state = 'visible'", "author_id"),
    indexes=("thread_id, position", "author_id, position desc", "waiting_since, id", "using gin (search)"),
    personal=("text",),
)

FORUM_EDITS: Final = ReadModel(
    name="forum_edits",
    version=1,
    columns=(
        "post_id uuid",
        "number int",
        "author_id uuid not null",
        "text text not null",
        "edited_by uuid",
        "edited_at timestamptz not null",
        "position bigint not null",
    ),
    key=("post_id", "number"),
    readers=own_or_moderated("author_id"),
    indexes=("author_id",),
    personal=("text",),
)

FORUM_LIKES: Final = ReadModel(
    name="forum_likes",
    version=1,
    columns=("post_id uuid", "account_id uuid", "likes boolean not null"),
    key=("post_id", "account_id"),
    readers=own_account("account_id"),
)

FORUM_FLAGS: Final = ReadModel(
    name="forum_flags",
    version=1,
    columns=(
        "post_id uuid",
        "account_id uuid",
        "reason text not null",
        "note text not null",
        "flagged_at timestamptz not null",
        "open boolean not null",
    ),
    key=("post_id", "account_id"),
    fixed=("reason",),
    readers=own_or_moderated("account_id"),
    indexes=("account_id",),
    personal=("note",),
)


@FORUM_POSTS.on(forum.PostWritten)
def written(rows: Rows, event: forum.PostWritten) -> None:
    rows.put(
        id=event.originator_id,
        thread_id=event.thread_id,
        author_id=event.author_id,
        text=event.text,
        is_first=event.is_first,
        reply_to=event.reply_to,
        mentions=list(event.mentions),
        state="held" if event.held else "visible",
        created_at=event.timestamp,
        waiting_since=event.timestamp if event.held else None,
        position=rows.position,
    )


@FORUM_POSTS.on(forum.PostEdited)
def edited(rows: Rows, event: forum.PostEdited) -> None:
    rows.add({"id": event.originator_id}, edits=1)
    changes = {"text": event.text, "mentions": list(event.mentions), "edited_at": event.timestamp}
    if event.held:
        changes |= {"state": "held", "waiting_since": event.timestamp}
    rows.update({"id": event.originator_id}, **changes)


@FORUM_POSTS.on(forum.PostApproved)
def approved(rows: Rows, event: forum.PostApproved) -> None:
    rows.update({"id": event.originator_id}, state="visible", waiting_since=None, flags=0)
    if not event.was_shown and not event.is_first:
        rows.update({"id": event.originator_id}, position=rows.position)


@FORUM_POSTS.on(forum.PostFlagged)
def flagged(rows: Rows, event: forum.PostFlagged) -> None:
    rows.update({"id": event.originator_id, "flags": 0}, waiting_since=event.timestamp)
    rows.add({"id": event.originator_id}, flags=1)


FORUM_POSTS.follows(forum.PostFlagsDismissed, flags=0, waiting_since=None)
FORUM_POSTS.follows(forum.PostHidden, state="hidden")
FORUM_POSTS.follows(forum.PostDeleted, state="deleted", waiting_since=None, flags=0)
FORUM_POSTS.follows(forum.PostRestored, state="visible")
FORUM_POSTS.adds(forum.PostLiked, lambda event: event.post_id, likes=1)
FORUM_POSTS.adds(forum.PostUnliked, lambda event: event.post_id, likes=-1)
FORUM_POSTS.follows(AccountErased, by="author_id", text=ERASED)


@FORUM_EDITS.on(forum.PostEdited)
def text_kept(rows: Rows, event: forum.PostEdited) -> None:
    rows.put(
        post_id=event.originator_id,
        number=event.originator_version,
        author_id=event.author_id,
        text=event.before,
        edited_by=event.actor_id,
        edited_at=event.timestamp,
        position=rows.position,
    )


FORUM_EDITS.follows(AccountErased, by="author_id", text=ERASED)


FORUM_LIKES.begins(forum.PostLiked, likes=True)
FORUM_LIKES.begins(forum.PostUnliked, likes=False)


FORUM_FLAGS.begins(forum.PostFlagged, at="flagged_at", open=True)
FORUM_FLAGS.follows(forum.PostFlagsDismissed, open=False)
FORUM_FLAGS.follows(forum.PostApproved, open=False)
FORUM_FLAGS.follows(forum.PostDeleted, open=False)
FORUM_FLAGS.follows(AccountErased, by="account_id", note=ERASED)
