"""A notice: somebody is to be told of something. What causes one is a rule for a kind of event."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from uuid import UUID

from schemas.base import DomainEvent

E = TypeVar("E", bound=DomainEvent)


@dataclass(frozen=True, slots=True)
class Notice:
    """`about`: notices of one kind about the same thing are one, with a count, until they are seen.

    `to`: an account, or the followers of `thread_id` but those in `but`; with `admins`, every admin but those. Nothing
    personal in `title` and `path`.
    """

    kind: str
    about: str
    to: UUID | None
    actor_id: UUID | None = None
    thread_id: UUID | None = None
    post_id: UUID | None = None
    title: str = ""
    path: str = ""
    but: tuple[UUID, ...] = ()
    admins: bool = False


Rule = Callable[[Any], Iterable[Notice]]
RULES: Final[dict[type[DomainEvent], Rule]] = {}
LaterRule = Callable[[Any, Any], Iterable[Notice]]
LATER_RULES: Final[dict[type[DomainEvent], LaterRule]] = {}
"""Of events that do not name whom they concern: they are handed the first event of the same history too, which does."""


def on(event_class: type[E]) -> Callable[[Callable[[E], Iterable[Notice]]], Callable[[E], Iterable[Notice]]]:
    """Registers the decorated function as what an event of this class tells whom."""

    def register(rule: Callable[[E], Iterable[Notice]]) -> Callable[[E], Iterable[Notice]]:
        if event_class in RULES:
            raise TypeError(f"{event_class.__name__} has a rule already")
        RULES[event_class] = rule
        return rule

    return register


def on_later(event_class: type[E]) -> Callable[[LaterRule], LaterRule]:
    """`on` for `LATER_RULES`."""

    def register(rule: LaterRule) -> LaterRule:
        if event_class in LATER_RULES:
            raise TypeError(f"{event_class.__name__} has a rule already")
        LATER_RULES[event_class] = rule
        return rule

    return register
