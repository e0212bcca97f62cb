"""Declares the changes of an event, field by field, once per event class: for the state of an aggregate, and for a row.

An event sets the fields that it has by the same name or by another, fields that get its time, and constants.
`Evolution` folds the events of an aggregate into its state this way (`evolve(state, event)`), and
`infra.kernel.postgres.event_table` has the same words for tables. What needs more is a function.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from schemas.base import DomainEvent

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")
E = TypeVar("E", bound=DomainEvent)
Fields = Mapping[str, Any]
_HEAD: Final = frozenset(DomainEvent.model_fields)
"""The fields of every event; no field is named so to be copied."""


class UnexpectedEvent(Exception):
    """The event belongs to another aggregate type, for example when a partner's id is passed as a website's."""


@dataclass(frozen=True, slots=True)
class EventAssignment:
    """The assignments of an event. `copied`: a field, and what reads it from the event; `at`: fields that get the
    event's time; `keeps`: a copied field that is `None` stays as it was."""

    copied: Mapping[str, Callable[[Any], Any]]
    at: tuple[str, ...] = ()
    keeps: bool = False
    constants: Mapping[str, Any] = field(default_factory=dict)

    def values(self, event: DomainEvent) -> dict[str, Any]:
        """The fields that `event` sets, by name."""
        assigned = {name: read(event) for name, read in self.copied.items()}
        if self.keeps:
            assigned = {name: value for name, value in assigned.items() if value is not None}
        assigned.update(dict.fromkeys(self.at, event.timestamp))
        assigned.update(self.constants)
        return assigned


Names = str | Collection[str]
"""One name, or several; an empty text is none."""


def change_of(
    event_class: type[DomainEvent],
    names: Collection[str],
    *,
    but: Names = (),
    at: Names = (),
    takes: Mapping[str, str] | None = None,
    keeps: bool = False,
    constants: Mapping[str, Any],
) -> EventAssignment:
    """Returns what `event_class` sets of the fields `names`: all that it has, `but` those; `takes`: a field, and its
    path in the event (`price.amount`). Raises `TypeError` for what neither has."""
    but, at, takes = _names(but), _names(at), dict(takes or {})
    if unknown := {*but, *at, *takes, *constants} - set(names):
        raise TypeError(f"{event_class.__name__}: there is no {', '.join(sorted(unknown))}")
    if unknown := {path.partition(".")[0] for path in takes.values()} - event_class.model_fields.keys():
        raise TypeError(f"{event_class.__name__} has no {', '.join(sorted(unknown))}")
    others = _HEAD.union(but, at, takes, constants)
    same = {name: name for name in event_class.model_fields if name in names and name not in others}
    paths = {name: attrgetter(path) for name, path in {**same, **takes}.items()}
    return EventAssignment(paths, at, keeps, dict(constants))


def _names(given: Names) -> tuple[str, ...]:
    return tuple(filter(None, [given] if isinstance(given, str) else given))


class Evolution(Generic[S]):
    """Folds the events of an aggregate into its state: `evolve(state, event)`, for the first event `evolve(None, …)`.

    `state` is a frozen data class with `version`. Every event class is declared with `begins`, `begun`, `follows`,
    `on` or `ignores`; another one raises `UnexpectedEvent`, as does one that cannot be the first.
    """

    def __init__(self, state: type[S]) -> None:
        self.state = state
        self._new: Callable[..., S] = state
        self.__module__, self.__qualname__ = state.__module__, state.__qualname__
        self._names = {each.name for each in fields(state)} - {"id", "version"}
        self._has_id = "id" in state.__dataclass_fields__
        self._begins: dict[type[DomainEvent], Callable[[Any], Fields]] = {}
        self._follows: dict[type[DomainEvent], Callable[[S, Any], Fields]] = {}

    def begins(
        self,
        event_class: type[DomainEvent],
        /,
        *,
        but: Names = (),
        at: Names = (),
        takes: Mapping[str, str] | None = None,
        **constants: Any,
    ) -> Evolution[S]:
        """A new state: what the event has, `but` those; the others have the defaults of the data class."""
        change = change_of(event_class, self._names, but=but, at=at, takes=takes, constants=constants)
        self._once(event_class)
        self._begins[event_class] = change.values
        return self

    def follows(
        self,
        event_class: type[DomainEvent],
        /,
        *,
        but: Names = (),
        at: Names = (),
        takes: Mapping[str, str] | None = None,
        keeps: bool = False,
        **constants: Any,
    ) -> Evolution[S]:
        """Sets what the event has, `but` those; with `keeps`, nothing to `None`."""
        change = change_of(event_class, self._names, but=but, at=at, takes=takes, keeps=keeps, constants=constants)
        self._once(event_class)
        self._follows[event_class] = lambda _, event: change.values(event)
        return self

    def ignores(self, *event_classes: type[DomainEvent]) -> Evolution[S]:
        """Declares that these events change the version alone."""
        for event_class in event_classes:
            self._once(event_class)
            self._follows[event_class] = lambda *_: {}
        return self

    def on(self, *event_classes: type[E]) -> Callable[[Callable[[S, E], Fields]], Callable[[S, E], Fields]]:
        """The decorated function says what an event of these classes sets, by hand."""

        def register(function: Callable[[S, E], Fields]) -> Callable[[S, E], Fields]:
            for event_class in event_classes:
                self._once(event_class)
                self._follows[event_class] = function
            return function

        return register

    def begun(self, event_class: type[E]) -> Callable[[Callable[[E], Fields]], Callable[[E], Fields]]:
        """The decorated function says what a new state has after an event of the class, by hand."""

        def register(function: Callable[[E], Fields]) -> Callable[[E], Fields]:
            self._once(event_class)
            self._begins[event_class] = function
            return function

        return register

    def __call__(self, state: S | None, event: DomainEvent) -> S:
        begins = self._begins.get(type(event))
        if begins is not None:
            head = {"id": event.originator_id} if self._has_id else {}
            return self._new(version=event.originator_version, **head, **begins(event))
        follows = self._follows.get(type(event))
        if follows is None:
            raise UnexpectedEvent(f"{event.NAME} does not happen to {self.state.__name__}")
        if state is None:
            raise UnexpectedEvent(f"{event.NAME} does not begin this history")
        return replace(state, version=event.originator_version, **follows(state, event))

    def _once(self, event_class: type[DomainEvent]) -> None:
        if event_class in self._begins or event_class in self._follows:
            raise TypeError(f"{self.state.__name__} declares {event_class.__name__} twice")
