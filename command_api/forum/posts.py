"""Post aggregate: written, edited, reported, reviewed, deleted and restored. Pure.

`held` awaits approval, `hidden` a review of reports; both are visible to the author and moderators only.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from command_api.forum.rules import FLAGS_TO_HIDE, REFLAG_AFTER
from command_api.forum.threads import require_moderator
from command_api.kernel.aggregates import advanced, first_event, next_event, shared_fields
from command_api.kernel.decision import CommandContext, CommandRejected, conflict, not_found
from schemas.base import ERASED, DomainEvent
from schemas.events import forum
from schemas.events.forum import FlagReason
from schemas.evolution import UnexpectedEvent

State = Literal["visible", "held", "hidden", "deleted"]


@dataclass(frozen=True, slots=True)
class PostAggregate:
    """`flags`: who reported it and when, since the last review. `unnotified`: mentioned members not yet notified."""

    id: UUID
    version: int
    author_id: UUID
    thread_id: UUID
    text: str
    is_first: bool
    state: State
    reply_to_author: UUID | None = None
    mentions: tuple[UUID, ...] = ()
    unnotified: tuple[UUID, ...] = ()
    was_shown: bool = False
    flags: Mapping[UUID, datetime] = field(default_factory=dict)
    dismissed_at: datetime | None = None
    deleted_by_moderator: bool = False

    def is_visible_to(self, context: CommandContext) -> bool:
        if self.state == "deleted":
            return context.moderates
        return self.state == "visible" or context.moderates or context.account_id == self.author_id


def write(
    post_id: UUID,
    *,
    author_id: UUID,
    thread_id: UUID,
    text: str,
    is_first: bool,
    answered: PostAggregate | None,
    mentions: Collection[UUID],
    held: bool,
    context: CommandContext,
) -> forum.PostWritten:
    """Writes a post. `answered`: the post that it replies to. Raises `CommandRejected` if that is of another thread."""
    if answered is not None and (answered.thread_id != thread_id or not answered.is_visible_to(context)):
        raise not_found("post")
    return forum.PostWritten(
        **first_event(post_id, context),
        author_id=author_id,
        thread_id=thread_id,
        text=text,
        is_first=is_first,
        reply_to=answered.id if answered is not None else None,
        reply_to_author=answered.author_id if answered is not None else None,
        mentions=tuple(mentions),
        held=held,
    )


def edit(
    post: PostAggregate | None, text: str, mentions: Collection[UUID], *, hold: bool, context: CommandContext
) -> list[DomainEvent]:
    """Changes the text; returns no events when it is the same. `hold`: the new text needs approval."""
    post = require_author(post, context)
    if text == post.text:
        return []
    if post.text == ERASED:
        raise not_found("post")
    held = hold and post.state == "visible"
    new = tuple(one for one in mentions if one not in post.mentions) if post.state == "visible" and not held else ()
    return [
        forum.PostEdited(
            **_next(post, context),
            text=text,
            before=post.text,
            mentions=tuple(mentions),
            newly_mentioned=new,
            is_first=post.is_first,
            held=held,
        )
    ]


def delete(
    post: PostAggregate | None, reason: str, *, as_moderator: bool, context: CommandContext
) -> list[DomainEvent]:
    if as_moderator:
        require_moderator(context)
    post = require_visible(post, context) if as_moderator else require_author(post, context)
    if post.state == "deleted":
        return []
    return [
        forum.PostDeleted(
            **_next(post, context),
            is_first=post.is_first,
            was=post.state,
            by_moderator=as_moderator,
            reason=reason if post.text != ERASED else None,
        )
    ]


def restore(post: PostAggregate | None, context: CommandContext) -> list[DomainEvent]:
    post = require_moderated(post, context)
    if post.state != "deleted":
        return []
    return [forum.PostRestored(**_next(post, context), is_first=post.is_first)]


def flag(post: PostAggregate | None, reason: FlagReason, note: str, context: CommandContext) -> list[DomainEvent]:
    """Reports the post; the third member's report hides it until a moderator reviews it."""
    post, who = require_visible(post, context), context.require_account()
    if post.author_id == who:
        raise conflict("own_post", "This is your own post: you can edit or delete it.")
    if post.state != "visible" or who in post.flags:
        raise conflict("already_reported", "This post was already reported. Thank you.")
    if post.dismissed_at is not None and context.at < post.dismissed_at + REFLAG_AFTER:
        raise conflict("reviewed", "A moderator has just reviewed this post.")
    flagged = forum.PostFlagged(**_next(post, context), account_id=who, reason=reason, note=note)
    if len(post.flags) + 1 < FLAGS_TO_HIDE:
        return [flagged]
    hidden = forum.PostHidden(**_next(post, context, after=1), is_first=post.is_first)
    return [flagged, hidden]


def approve(post: PostAggregate | None, context: CommandContext) -> list[DomainEvent]:
    """Shows a post that awaits approval, and closes its reports."""
    post = require_moderated(post, context)
    if post.state not in ("held", "hidden"):
        return []
    return [
        forum.PostApproved(
            **_next(post, context),
            is_first=post.is_first,
            was="held" if post.state == "held" else "hidden",
            was_shown=post.was_shown,
            reply_to_author=post.reply_to_author,
            mentions=post.unnotified,
        )
    ]


def dismiss_flags(post: PostAggregate | None, context: CommandContext) -> list[DomainEvent]:
    """Closes the reports of the post; a hidden one is shown again."""
    post = require_moderated(post, context)
    if post.state == "hidden":
        return approve(post, context)
    return [forum.PostFlagsDismissed(**_next(post, context))] if post.flags else []


def require_visible(post: PostAggregate | None, context: CommandContext) -> PostAggregate:
    """The post; not found for accounts that may not see it."""
    if post is None or not post.is_visible_to(context):
        raise not_found("post")
    return post


def require_author(post: PostAggregate | None, context: CommandContext) -> PostAggregate:
    """The post, for its author or a moderator."""
    post = require_visible(post, context)
    if not (context.moderates or context.account_id == post.author_id):
        raise CommandRejected("forbidden", "not_allowed", "Only its author may change a post.")
    return post


def require_moderated(post: PostAggregate | None, context: CommandContext) -> PostAggregate:
    require_moderator(context)
    return require_visible(post, context)


def evolve(post: PostAggregate | None, event: DomainEvent) -> PostAggregate:
    if isinstance(event, forum.PostWritten):
        return PostAggregate(
            event.originator_id,
            1,
            **shared_fields(event, PostAggregate),
            state="held" if event.held else "visible",
            unnotified=event.mentions if event.held else (),
            was_shown=not event.held,
        )
    post = advanced(post, event)
    match event:
        case forum.PostEdited():
            state: State = "held" if event.held else post.state
            new = tuple(one for one in event.mentions if one not in post.mentions)
            unnotified = () if state == "visible" else (*post.unnotified, *new)
            return replace(post, text=event.text, mentions=event.mentions, state=state, unnotified=unnotified)
        case forum.PostFlagged():
            return replace(post, flags={**post.flags, event.account_id: event.timestamp})
        case forum.PostHidden():
            return replace(post, state="hidden")
        case forum.PostApproved():
            at = event.timestamp if event.was == "hidden" else post.dismissed_at
            return replace(post, state="visible", was_shown=True, unnotified=(), flags={}, dismissed_at=at)
        case forum.PostFlagsDismissed():
            return replace(post, flags={}, dismissed_at=event.timestamp)
        case forum.PostDeleted():
            return replace(post, state="deleted", flags={}, deleted_by_moderator=event.by_moderator)
        case forum.PostRestored():
            return replace(post, state="visible", was_shown=True)
        case _:
            raise UnexpectedEvent(f"{event.NAME} does not happen to posts")


def _next(post: PostAggregate, context: CommandContext, *, after: int = 0) -> dict[str, Any]:
    """Returns the fields that all events of a post have."""
    return {**next_event(post, context, after=after), "author_id": post.author_id, "thread_id": post.thread_id}
