"""Tests of decisions, as the specification says them: given these events, when a command comes, then these events or a
rejection.

    given(drafted, submitted).when(listings.approve, 1, ADMIN).then("listing.approved")
    given(drafted).when(listings.submit, BUYER).then(rejected("not_found"))

The state of an aggregate may be given in place of its events. Without any, the decision begins an aggregate.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import EllipsisType
from typing import Any, get_args, get_type_hints

from command_api.kernel.decision import CommandRejected
from schemas.base import DomainEvent


@dataclass(frozen=True)
class Rejected:
    """What a rejection must say; what is not given may be anything. `field=None`: it names none."""

    code: str | None = None
    field: str | EllipsisType | None = ...
    says: str | None = None
    """A pattern of a part of its message."""

    def matches(self, found: CommandRejected) -> bool:
        return (
            self.code in (None, found.code)
            and self.field in (..., found.field)
            and (self.says is None or re.search(self.says, found.message) is not None)
        )


rejected = Rejected


@dataclass(frozen=True)
class CommandResult:
    """What came of a command: events and what else is returned, such as a call of a provider; or a rejection."""

    history: tuple[Any, ...]
    results: tuple[Any, ...] = ()
    rejection: CommandRejected | None = None

    @property
    def events(self) -> tuple[DomainEvent, ...]:
        return tuple(each for each in self.results if isinstance(each, DomainEvent))

    def then(self, *expected: Any) -> Given:
        """Events by their names or as they are, then what else is returned; or one `rejected(...)`. Returns what the
        next command is given."""
        if expected and isinstance(expected[0], Rejected):
            assert self.rejection is not None, f"not rejected, but decided: {self.results}"
            told = self.rejection
            assert expected[0].matches(told), f"rejected otherwise: {told.code}, {told.field}, {told.message}"
            return Given(self.history)
        if self.rejection is not None:
            raise AssertionError(f"rejected: {self.rejection.code}, {self.rejection.message}") from self.rejection
        found = [
            each.NAME if isinstance(each, DomainEvent) and isinstance(wanted, str) else each
            for each, wanted in zip(self.results, [*expected, *[""] * len(self.results)], strict=False)
        ]
        assert found == [*expected]
        return Given((*self.history, *self.events))


@dataclass(frozen=True)
class Given:
    """Events of one aggregate, or its state and the events since."""

    history: tuple[Any, ...]

    def when(self, decide: Callable[..., Any], *arguments: Any, **named: Any) -> CommandResult:
        """Decides by the state after the history, which is the first argument of the decision."""
        try:
            found = decide(*self._state(decide), *arguments, **named)
        except CommandRejected as rejection:
            return CommandResult(self.history, rejection=rejection)
        return CommandResult(self.history, tuple(_flat(found)))

    def _state(self, decide: Callable[..., Any]) -> tuple[Any, ...]:
        if not self.history:
            return ()
        first, *others = self.history
        state, events = (None, self.history) if isinstance(first, DomainEvent) else (first, others)
        if events:
            evolve = _evolve(next(iter(get_type_hints(decide).values())) if state is None else type(state))
            for event in events:
                state = evolve(state, event)
        return (state,)


def given(*history: Any) -> Given:
    return Given(history)


def _flat(found: Any) -> Iterator[Any]:
    if isinstance(found, (list, tuple)):
        for each in found:
            yield from _flat(each)
    elif found is not None:
        yield found


def _evolve(hint: Any) -> Callable[[Any, DomainEvent], Any]:
    """How a state changes by events: what its module says of it."""
    state = next((each for each in (*get_args(hint), hint) if isinstance(each, type) and each is not type(None)), None)
    assert state is not None, f"no state: {hint}"
    for name, value in vars(sys.modules[state.__module__]).items():
        if (
            name.startswith("evolve")
            and (getattr(value, "state", None) or get_type_hints(value).get("return")) is state
        ):
            found: Callable[[Any, DomainEvent], Any] = value
            return found
    raise AssertionError(f"{state.__module__} does not say how {state.__name__} evolves")
