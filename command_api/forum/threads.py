"""Thread aggregate: title, category, and who may reply. Posts are aggregates of their own. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event, shared_fields
from command_api.kernel.decision import CommandContext, CommandRejected, conflict, not_found
from schemas.base import DomainEvent
from schemas.events import forum
from schemas.evolution import Evolution, UnexpectedEvent


@dataclass(frozen=True, slots=True)
class ThreadAggregate:
    """State of one thread. `shown`: others than its author and moderators can see it."""

    id: UUID
    version: int
    author_id: UUID
    category_id: UUID
    first_post_id: UUID
    shown: bool
    pinned: bool = False
    locked: bool = False

    def is_visible_to(self, context: CommandContext) -> bool:
        return self.shown or context.moderates or context.account_id == self.author_id


@dataclass(frozen=True, slots=True)
class ForumCategory:
    """An existing category."""

    id: UUID
    version: int = 1


def start(
    thread_id: UUID, *, author_id: UUID, category: ForumCategory | None, first_post_id: UUID, title: str, held: bool,
    context: CommandContext,
) -> forum.ThreadStarted:  # fmt: skip
    """Raises `CommandRejected` when there is no such category."""
    return forum.ThreadStarted(
        **first_event(thread_id, context),
        author_id=author_id,
        category_id=require_category(category).id,
        first_post_id=first_post_id,
        title=title,
        held=held,
    )


def require_open(thread: ThreadAggregate | None, context: CommandContext) -> ThreadAggregate:
    """The thread, if the caller may reply to it. Raises `CommandRejected`."""
    thread = require_unlocked(thread, context)
    if not context.is_admin and not thread.shown:
        raise conflict("thread_hidden", "This thread is hidden: no one can reply to it.")
    return thread


def require_unlocked(thread: ThreadAggregate | None, context: CommandContext) -> ThreadAggregate:
    """The thread, if the caller may still change their posts in it. Raises `CommandRejected`."""
    thread = require_visible(thread, context)
    if not context.is_admin and thread.locked:
        raise conflict("thread_locked", "This thread is locked: no one can reply to it.")
    return thread


def pin(thread: ThreadAggregate | None, reason: str, context: CommandContext) -> list[DomainEvent]:
    thread = require_moderated(thread, context)
    return [] if thread.pinned else [forum.ThreadPinned(**next_event(thread, context), reason=reason)]


def unpin(thread: ThreadAggregate | None, reason: str, context: CommandContext) -> list[DomainEvent]:
    thread = require_moderated(thread, context)
    return [forum.ThreadUnpinned(**next_event(thread, context), reason=reason)] if thread.pinned else []


def lock(thread: ThreadAggregate | None, reason: str, context: CommandContext) -> list[DomainEvent]:
    thread = require_moderated(thread, context)
    return [] if thread.locked else [forum.ThreadLocked(**next_event(thread, context), reason=reason)]


def unlock(thread: ThreadAggregate | None, reason: str, context: CommandContext) -> list[DomainEvent]:
    thread = require_moderated(thread, context)
    return [forum.ThreadUnlocked(**next_event(thread, context), reason=reason)] if thread.locked else []


def move(
    thread: ThreadAggregate | None, category: ForumCategory | None, reason: str, context: CommandContext
) -> list[DomainEvent]:
    thread = require_moderated(thread, context)
    to = require_category(category).id
    moved = forum.ThreadMoved(**next_event(thread, context), category_id=to, reason=reason)
    return [] if thread.category_id == to else [moved]


def show(thread: ThreadAggregate | None, context: CommandContext) -> list[DomainEvent]:
    """Shows the thread together with its first post."""
    return [] if thread is None or thread.shown else [forum.ThreadShown(**next_event(thread, context))]


def hide(thread: ThreadAggregate | None, context: CommandContext) -> list[DomainEvent]:
    """Hides the thread together with its first post."""
    return [forum.ThreadHidden(**next_event(thread, context))] if thread is not None and thread.shown else []


def require_visible(thread: ThreadAggregate | None, context: CommandContext, what: str = "thread") -> ThreadAggregate:
    """The thread; `what` is not found for accounts that may not see it."""
    if thread is None or not thread.is_visible_to(context):
        raise not_found(what)
    return thread


def require_moderated(thread: ThreadAggregate | None, context: CommandContext) -> ThreadAggregate:
    require_moderator(context)
    return require_visible(thread, context)


def require_moderator(context: CommandContext) -> None:
    if not context.is_admin:
        raise CommandRejected("forbidden", "not_allowed", "Only a moderator may do this.")


def require_category(category: ForumCategory | None) -> ForumCategory:
    if category is None:
        raise CommandRejected("invalid", "category_unknown", "Please choose a category", "categoryId")
    return category


evolve: Final = (
    Evolution(ThreadAggregate)
    .follows(forum.ThreadPinned, pinned=True)
    .follows(forum.ThreadUnpinned, pinned=False)
    .follows(forum.ThreadLocked, locked=True)
    .follows(forum.ThreadUnlocked, locked=False)
    .follows(forum.ThreadMoved)
    .follows(forum.ThreadHidden, shown=False)
    .follows(forum.ThreadShown, shown=True)
)


@evolve.begun(forum.ThreadStarted)
def _started(event: forum.ThreadStarted) -> dict[str, Any]:
    return {**shared_fields(event, ThreadAggregate), "shown": not event.held}


def evolve_category(_category: ForumCategory | None, event: DomainEvent) -> ForumCategory:
    if isinstance(event, forum.ForumCategoryCreated):
        return ForumCategory(event.originator_id)
    raise UnexpectedEvent(f"{event.NAME} does not happen to categories of the forum")
