"""Common parts of the models of aggregates: the head of the next event, the state after events, and fields that states,
events and models copy by name. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Protocol, TypeVar
from uuid import UUID

from pydantic import BaseModel

from command_api.kernel.decision import CommandContext, event_metadata, not_found, require_existing
from schemas.base import DomainEvent

State = TypeVar("State")


class Aggregate(Protocol):
    """State of an aggregate."""

    @property
    def id(self) -> UUID:
        """The aggregate's id."""

    @property
    def version(self) -> int:
        """The version of its last event."""


def first_event(aggregate_id: UUID, context: CommandContext) -> dict[str, Any]:
    """Returns the common fields of an aggregate's first event."""
    return event_metadata(aggregate_id, 0, context)


def next_event(state: Aggregate, context: CommandContext, *, after: int = 0) -> dict[str, Any]:
    """Returns the common fields of the event that follows the state and `after` other new events."""
    return event_metadata(state.id, state.version + after, context)


def advanced(state: State | None, event: DomainEvent) -> State:
    """Returns the state at the version of the event. Raises `UnexpectedEvent` for an event that cannot be the first."""
    before: Any = require_existing(state, event)
    after: State = replace(before, version=event.originator_version)
    return after


def state_after(evolve: Callable[[State | None, Any], State], state: State, events: Iterable[DomainEvent]) -> State:
    """Returns the state after `events`."""
    for event in events:
        state = evolve(state, event)
    return state


def require_found(state: State | None, what: str) -> State:
    """Returns the state. Raises `CommandRejected` (missing) without one."""
    if state is None:
        raise not_found(what)
    return state


def shared_fields(source: Any, target: type[Any], *, but: Iterable[str] = ()) -> dict[str, Any]:
    """Returns the fields of `source` that `target` has, too, except `but`. Both are data classes or pydantic models."""
    names = _shared(type(source), target)  # type: ignore[arg-type]  # mypy takes no class for hashable
    return {name: getattr(source, name) for name in names if name not in but}


def given_fields(event: DomainEvent, state: type[Any]) -> dict[str, Any]:
    """Returns the fields that `state` has, too, and that the event gives: what is `None` stays as it is."""
    return {name: value for name, value in shared_fields(event, state).items() if value is not None}


@cache
def _shared(source: type[Any], target: type[Any]) -> tuple[str, ...]:
    names = _fields(target)
    return tuple(name for name in _fields(source) if name in names)


def _fields(kind: type[Any]) -> Mapping[str, object]:
    fields: Mapping[str, object] = kind.model_fields if issubclass(kind, BaseModel) else kind.__dataclass_fields__
    return fields
