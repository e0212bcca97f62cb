"""Handlers of events run before and after their event is stored, in one transaction. The real store: `tests/api`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar, cast
from uuid import UUID, uuid4

import pytest

from command_api.kernel.aggregates import state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext, CommandRejected, Evolve, conflict, event_metadata
from command_api.kernel.unit_of_work import Appended, StateChange, UnitOfWork
from schemas.base import DomainEvent
from schemas.events.forum import ThreadLocked, ThreadPinned, ThreadUnlocked

State = TypeVar("State")

CONTEXT = CommandContext(datetime(2026, 5, 17, tzinfo=UTC), correlation_id="one command")


class Store:
    """Notes what is done to it, as its only transaction."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.events: list[DomainEvent] = []

    @contextmanager
    def transaction(self) -> Iterator[Store]:
        yield self
        self.log.append("commit")

    def lock(self) -> None:
        self.log.append("lock")

    def load(self, aggregate_id: UUID, evolve: Evolve[State]) -> State | None:
        return state_after(evolve, None, (each for each in self.events if each.originator_id == aggregate_id))

    def append(self, events: Sequence[DomainEvent], _: Any) -> int:
        self.log += [event.NAME for event in events]
        self.events += events
        return len(self.log)


def unit_of_work(store: Store, handlers: CommandHandlers) -> UnitOfWork:
    nothing = cast("Any", None)
    handled = CommandHandlers.merged([handlers]).event_handlers
    return UnitOfWork(cast("Any", store), nothing, nothing, CONTEXT, event_handlers=handled)


def event(event_class: type[DomainEvent], aggregate_id: UUID | None = None, version: int = 1) -> DomainEvent:
    return event_class(**event_metadata(aggregate_id or uuid4(), version - 1, CONTEXT))


def count(state: int | None, _: DomainEvent) -> int:
    return (state or 0) + 1


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


def test_a_handler_of_a_change_gets_the_state_before_and_after_the_events_of_one_aggregate() -> None:
    store, handlers, thread, other = Store(), CommandHandlers(), uuid4(), uuid4()
    changes: list[StateChange[int]] = []

    @handlers.after(ThreadLocked)
    def first(_: ThreadLocked, __: Appended) -> None:
        assert not changes

    @handlers.after_change(ThreadPinned, count)
    def follow(change: StateChange[int], uow: Appended) -> None:
        assert list(change.events) == [each for each in uow.events if each in change.events]
        changes.append(change)

    with unit_of_work(store, handlers) as uow:
        pinned, unlocked, elsewhere = event(ThreadPinned, thread), event(ThreadUnlocked, thread, 2), event(ThreadLocked)
        uow.append(pinned, elsewhere, unlocked)
        assert changes == [(None, 2, [pinned, unlocked]), (None, 1, [elsewhere])]
        changes.clear()
        assert uow.append() is uow
        assert changes == []
    with unit_of_work(store, handlers) as uow:
        locked, begun = event(ThreadLocked, thread, 3), event(ThreadPinned, other)
        assert uow.advance(count, 2, [locked]) == 3
        assert uow.advance(count, None, [begun]) == 1
    assert changes == [(2, 3, [locked]), (None, 1, [begun])]
