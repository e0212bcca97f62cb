"""A post: written, edited, reported, judged, taken away and brought back. Pure.

`held` waits for approval, `hidden` for a moderator's look at reports; both are seen by the author and moderators only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from command_api.decision import AnotherKind, Asked, Refused, begun, conflict, missing, step
from command_api.forum.rules import FLAGS_HIDE, REFLAG_AFTER
from command_api.forum.threads import require_moderator
from schemas.base import ERASED, DomainEvent
from schemas.events.forum import (
    FlagReason,
    PostApproved,
    PostDeleted,
    PostEdited,
    PostFlagged,
    PostFlagsDismissed,
    PostHidden,
    PostRestored,
    PostWritten,
)

State = Literal["visible", "held", "hidden", "deleted"]


@dataclass(frozen=True, slots=True)
class Post:
    """`flags`: who reported it and when, since a moderator last looked. `untold`: mentioned, and not yet told."""

    id: UUID
    version: int
    author_id: UUID
    thread_id: UUID
    text: str
    is_first: bool
    state: State
    reply_to_author: UUID | None = None
    mentions: tuple[UUID, ...] = ()
    untold: tuple[UUID, ...] = ()
    was_shown: bool = False
    flags: Mapping[UUID, datetime] = field(default_factory=dict)
    dismissed_at: datetime | None = None
    deleted_by_moderator: bool = False

    def is_seen_by(self, asked: Asked) -> bool:
        if self.state == "deleted":
            return asked.account_id is None or asked.is_admin
        return self.state == "visible" or asked.may_act_for(self.author_id)


def write(
    post_id: UUID,
    *,
    author_id: UUID,
    thread_id: UUID,
    text: str,
    is_first: bool,
    answered: Post | None,
    mentions: Collection[UUID],
    held: bool,
    asked: Asked,
) -> PostWritten:
    """`answered`: the post that it answers, of the same thread. Raises `Refused` when that is another's."""
    if answered is not None and (answered.thread_id != thread_id or not answered.is_seen_by(asked)):
        raise missing("post")
    return PostWritten(
        **step(post_id, 0, asked),
        author_id=author_id,
        thread_id=thread_id,
        text=text,
        is_first=is_first,
        reply_to=answered.id if answered is not None else None,
        reply_to_author=answered.author_id if answered is not None else None,
        mentions=tuple(mentions),
        held=held,
    )


def edit(post: Post | None, text: str, mentions: Collection[UUID], *, hold: bool, asked: Asked) -> list[DomainEvent]:
    """Nothing when the text is the same. `hold`: what it says now needs approval."""
    post = owned(post, asked)
    if text == post.text:
        return []
    if post.text == ERASED:
        raise missing("post")
    held = hold and post.state == "visible"
    new = tuple(one for one in mentions if one not in post.mentions) if post.state == "visible" and not held else ()
    return [
        PostEdited(
            **_next(post, asked),
            author_id=post.author_id,
            thread_id=post.thread_id,
            text=text,
            before=post.text,
            mentions=tuple(mentions),
            newly_mentioned=new,
            is_first=post.is_first,
            held=held,
        )
    ]


def delete(post: Post | None, reason: str, *, as_moderator: bool, asked: Asked) -> list[DomainEvent]:
    if as_moderator:
        require_moderator(asked)
    post = seen(post, asked) if as_moderator else owned(post, asked)
    if post.state == "deleted":
        return []
    return [
        PostDeleted(
            **_next(post, asked),
            author_id=post.author_id,
            thread_id=post.thread_id,
            is_first=post.is_first,
            was=post.state,
            by_moderator=as_moderator,
            reason=reason if post.text != ERASED else None,
        )
    ]


def restore(post: Post | None, asked: Asked) -> list[DomainEvent]:
    post = moderated(post, asked)
    if post.state != "deleted":
        return []
    return [PostRestored(**_next(post, asked), **_place(post), is_first=post.is_first)]


def flag(post: Post | None, reason: FlagReason, note: str, asked: Asked) -> list[DomainEvent]:
    """The third member's report hides the post until a moderator has looked."""
    post, who = seen(post, asked), _person(asked)
    if post.author_id == who:
        raise conflict("own_post", "This is your own post: you can edit or delete it.")
    if post.state != "visible" or who in post.flags:
        raise conflict("already_reported", "Thank you, the moderators know of this post.")
    if post.dismissed_at is not None and asked.at < post.dismissed_at + REFLAG_AFTER:
        raise conflict("reviewed", "A moderator has just looked at this post and saw nothing wrong with it.")
    flagged = PostFlagged(**_next(post, asked), account_id=who, **_place(post), reason=reason, note=note)
    if len(post.flags) + 1 < FLAGS_HIDE:
        return [flagged]
    hidden = PostHidden(**step(post.id, post.version + 1, asked), **_place(post), is_first=post.is_first)
    return [flagged, hidden]


def approve(post: Post | None, asked: Asked) -> list[DomainEvent]:
    """Has a post shown that waits, and settles its reports."""
    post = moderated(post, asked)
    if post.state not in ("held", "hidden"):
        return []
    return [
        PostApproved(
            **_next(post, asked),
            **_place(post),
            is_first=post.is_first,
            was="held" if post.state == "held" else "hidden",
            was_shown=post.was_shown,
            reply_to_author=post.reply_to_author,
            mentions=post.untold,
        )
    ]


def dismiss_flags(post: Post | None, asked: Asked) -> list[DomainEvent]:
    """A post that is hidden is shown again."""
    post = moderated(post, asked)
    if post.state == "hidden":
        return approve(post, asked)
    return [PostFlagsDismissed(**_next(post, asked), **_place(post))] if post.flags else []


def seen(post: Post | None, asked: Asked) -> Post:
    """What somebody may not see is not there for them."""
    if post is None or not post.is_seen_by(asked):
        raise missing("post")
    return post


def owned(post: Post | None, asked: Asked) -> Post:
    """Of the author, or in the hands of a moderator."""
    post = seen(post, asked)
    if not asked.may_act_for(post.author_id):
        raise Refused("forbidden", "not_allowed", "Only its author may change a post.")
    return post


def moderated(post: Post | None, asked: Asked) -> Post:
    require_moderator(asked)
    return seen(post, asked)


def evolve(post: Post | None, event: DomainEvent) -> Post:
    if isinstance(event, PostWritten):
        return Post(
            id=event.originator_id,
            version=1,
            author_id=event.author_id,
            thread_id=event.thread_id,
            text=event.text,
            is_first=event.is_first,
            state="held" if event.held else "visible",
            reply_to_author=event.reply_to_author,
            mentions=event.mentions,
            untold=event.mentions if event.held else (),
            was_shown=not event.held,
        )
    post = replace(begun(post, event), version=event.originator_version)
    match event:
        case PostEdited():
            state: State = "held" if event.held else post.state
            new = tuple(one for one in event.mentions if one not in post.mentions)
            untold = () if state == "visible" else (*post.untold, *new)
            return replace(post, text=event.text, mentions=event.mentions, state=state, untold=untold)
        case PostFlagged():
            return replace(post, flags={**post.flags, event.account_id: event.timestamp})
        case PostHidden():
            return replace(post, state="hidden")
        case PostApproved():
            at = event.timestamp if event.was == "hidden" else post.dismissed_at
            return replace(post, state="visible", was_shown=True, untold=(), flags={}, dismissed_at=at)
        case PostFlagsDismissed():
            return replace(post, flags={}, dismissed_at=event.timestamp)
        case PostDeleted():
            return replace(post, state="deleted", flags={}, deleted_by_moderator=event.by_moderator)
        case PostRestored():
            return replace(post, state="visible", was_shown=True)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to posts")


def _next(post: Post, asked: Asked) -> dict[str, Any]:
    return step(post.id, post.version, asked)


def _place(post: Post) -> dict[str, UUID]:
    return {"author_id": post.author_id, "thread_id": post.thread_id}


def _person(asked: Asked) -> UUID:
    if asked.account_id is None:
        raise ValueError("only members report posts")
    return asked.account_id
