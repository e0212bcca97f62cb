"""Handlers of events run before and after their event is stored, in one transaction. The real store: `tests/api`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, cast
from uuid import uuid4

import pytest

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext, CommandRejected, conflict, event_metadata
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from schemas.base import DomainEvent
from schemas.events.forum import ThreadLocked, ThreadPinned, ThreadUnlocked

CONTEXT = CommandContext(datetime(2026, 5, 17, tzinfo=UTC), correlation_id="one command")


class Store:
    """Notes what is done to it, as its only transaction."""

    def __init__(self) -> None:
        self.log: list[str] = []

    @contextmanager
    def transaction(self) -> Iterator[Store]:
        yield self
        self.log.append("commit")

    def lock(self) -> None:
        self.log.append("lock")

    def append(self, events: Sequence[DomainEvent], _: Any) -> int:
        self.log += [event.NAME for event in events]
        return len(self.log)


def unit_of_work(store: Store, handlers: CommandHandlers) -> UnitOfWork:
    nothing = cast("Any", None)
    handled = CommandHandlers.merged([handlers]).event_handlers
    return UnitOfWork(cast("Any", store), nothing, nothing, CONTEXT, event_handlers=handled)


def event(event_class: type[DomainEvent]) -> DomainEvent:
    return event_class(**event_metadata(uuid4(), 0, CONTEXT))


def test_a_handler_after_an_event_runs_when_all_that_is_appended_with_it_is_stored() -> None:
    store, handlers = Store(), CommandHandlers()

    @handlers.before(ThreadUnlocked)
    def prepare(_: ThreadUnlocked, __: UnitOfWork) -> None:
        store.log.append("before")

    @handlers.after(ThreadLocked, ThreadUnlocked)
    def follow(event: DomainEvent, uow: Appended) -> None:
        store.log.append(f"after {event.NAME}")
        if isinstance(event, ThreadLocked):
            uow.append(pinned)

    @handlers.after(ThreadPinned)
    def end(event: ThreadPinned, uow: Appended) -> None:
        assert uow.events[-1] is event
        store.log.append("the last")

    locked, unlocked, pinned = event(ThreadLocked), event(ThreadUnlocked), event(ThreadPinned)
    with unit_of_work(store, handlers) as uow:
        assert uow.append() is uow
        assert uow.append(locked, unlocked) is uow
        assert uow.events == [locked, unlocked, pinned]
    stored = ["forum.thread_locked", "forum.thread_unlocked"]
    followed = [f"after {stored[0]}", "forum.thread_pinned", "the last", f"after {stored[1]}"]
    assert store.log == ["lock", "before", *stored, *followed, "commit"]


def test_what_a_handler_after_an_event_rejects_is_not_committed() -> None:
    store, handlers = Store(), CommandHandlers()

    @handlers.after(ThreadLocked)
    def reject(_: ThreadLocked, __: Appended) -> None:
        raise conflict("too_many", "Too many.")

    with pytest.raises(CommandRejected, match="Too many"), unit_of_work(store, handlers) as uow:
        uow.append(event(ThreadLocked))
    assert store.log == ["forum.thread_locked"]
