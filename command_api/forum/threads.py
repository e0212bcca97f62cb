"""A thread: what it is called, where it belongs, and who may answer. Its posts have histories of their own. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from command_api.decision import AnotherKind, Asked, Refused, begun, conflict, missing, step
from schemas.base import DomainEvent
from schemas.events.forum import (
    ForumCategoryCreated,
    ThreadHidden,
    ThreadLocked,
    ThreadMoved,
    ThreadPinned,
    ThreadShown,
    ThreadStarted,
    ThreadUnlocked,
    ThreadUnpinned,
)


@dataclass(frozen=True, slots=True)
class Thread:
    id: UUID
    version: int
    author_id: UUID
    category_id: UUID
    first_post_id: UUID
    shown: bool
    pinned: bool = False
    locked: bool = False

    def is_seen_by(self, asked: Asked) -> bool:
        return self.shown or asked.may_act_for(self.author_id)


@dataclass(frozen=True, slots=True)
class Category:
    id: UUID
    version: int = 1


def start(
    thread_id: UUID, *, author_id: UUID, category: Category | None, first_post_id: UUID, title: str, held: bool,
    asked: Asked,
) -> ThreadStarted:  # fmt: skip
    """Raises `Refused` when there is no such category."""
    return ThreadStarted(
        **step(thread_id, 0, asked),
        author_id=author_id,
        category_id=there(category).id,
        first_post_id=first_post_id,
        title=title,
        held=held,
    )


def open_to(thread: Thread | None, asked: Asked) -> Thread:
    """The thread, if whoever asks may answer in it. Raises `Refused`."""
    thread = unlocked(thread, asked)
    if not asked.is_admin and not thread.shown:
        raise conflict("thread_hidden", "This thread is not shown: nobody can reply to it.")
    return thread


def unlocked(thread: Thread | None, asked: Asked) -> Thread:
    """The thread, if whoever asks may still change what they wrote in it. Raises `Refused`."""
    thread = seen(thread, asked)
    if not asked.is_admin and thread.locked:
        raise conflict("thread_locked", "This thread is locked: nobody can reply to it any more.")
    return thread


def pin(thread: Thread | None, reason: str, asked: Asked) -> list[DomainEvent]:
    thread = moderated(thread, asked)
    return [] if thread.pinned else [ThreadPinned(**_next(thread, asked), reason=reason)]


def unpin(thread: Thread | None, reason: str, asked: Asked) -> list[DomainEvent]:
    thread = moderated(thread, asked)
    return [ThreadUnpinned(**_next(thread, asked), reason=reason)] if thread.pinned else []


def lock(thread: Thread | None, reason: str, asked: Asked) -> list[DomainEvent]:
    thread = moderated(thread, asked)
    return [] if thread.locked else [ThreadLocked(**_next(thread, asked), reason=reason)]


def unlock(thread: Thread | None, reason: str, asked: Asked) -> list[DomainEvent]:
    thread = moderated(thread, asked)
    return [ThreadUnlocked(**_next(thread, asked), reason=reason)] if thread.locked else []


def move(thread: Thread | None, category: Category | None, reason: str, asked: Asked) -> list[DomainEvent]:
    thread = moderated(thread, asked)
    to = there(category).id
    return [] if thread.category_id == to else [ThreadMoved(**_next(thread, asked), category_id=to, reason=reason)]


def show(thread: Thread | None, asked: Asked) -> list[DomainEvent]:
    """With its first post."""
    return [] if thread is None or thread.shown else [ThreadShown(**_next(thread, asked))]


def hide(thread: Thread | None, asked: Asked) -> list[DomainEvent]:
    """With its first post."""
    return [ThreadHidden(**_next(thread, asked))] if thread is not None and thread.shown else []


def seen(thread: Thread | None, asked: Asked) -> Thread:
    """What somebody may not see is not there for them."""
    if thread is None or not thread.is_seen_by(asked):
        raise missing("thread")
    return thread


def moderated(thread: Thread | None, asked: Asked) -> Thread:
    require_moderator(asked)
    return seen(thread, asked)


def require_moderator(asked: Asked) -> None:
    if not asked.is_admin:
        raise Refused("forbidden", "not_allowed", "Only a moderator may do this.")


def there(category: Category | None) -> Category:
    if category is None:
        raise Refused("invalid", "category_unknown", "Please choose a category", "categoryId")
    return category


def evolve(thread: Thread | None, event: DomainEvent) -> Thread:
    if isinstance(event, ThreadStarted):
        return Thread(
            event.originator_id, 1, event.author_id, event.category_id, event.first_post_id, shown=not event.held
        )
    thread = replace(begun(thread, event), version=event.originator_version)
    match event:
        case ThreadPinned():
            return replace(thread, pinned=True)
        case ThreadUnpinned():
            return replace(thread, pinned=False)
        case ThreadLocked():
            return replace(thread, locked=True)
        case ThreadUnlocked():
            return replace(thread, locked=False)
        case ThreadMoved():
            return replace(thread, category_id=event.category_id)
        case ThreadHidden():
            return replace(thread, shown=False)
        case ThreadShown():
            return replace(thread, shown=True)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to threads")


def evolve_category(category: Category | None, event: DomainEvent) -> Category:
    if isinstance(event, ForumCategoryCreated):
        return Category(event.originator_id)
    raise AnotherKind(f"{event.NAME} does not happen to categories of the forum")


def _next(thread: Thread, asked: Asked) -> dict[str, object]:
    return step(thread.id, thread.version, asked)
