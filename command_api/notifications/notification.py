"""Notifications and the rules that create them per event type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar
from uuid import UUID

from schemas.base import DomainEvent
from schemas.events.accounts import Role

ADMINS: Final = (Role.ADMIN,)
MODERATORS: Final = (Role.MODERATOR, Role.ADMIN)

Rule = TypeVar("Rule", bound=Callable[..., "Notifications"])


@dataclass(frozen=True, slots=True)
class OutgoingNotification:
    """A notification. Unseen ones of the same kind and `about` are merged, with a count.

    `to`: an account, or `None` for the followers of `thread_id` except `but`; with `roles`, everybody who has one of
    them except `but`.
    `title` and `path` contain no personal data: `{actor}`, `{thread}`, `{listing}` and `{website}` in the title are
    named when it is shown, as its reader may see them (`schemas.notifications`).
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
    roles: tuple[Role, ...] = ()
    listing_id: UUID | None = None
    website_id: UUID | None = None


Notifications = Iterable[OutgoingNotification]
RULES: Final[dict[type[DomainEvent], Callable[[Any], Notifications]]] = {}
LATER_RULES: Final[dict[type[DomainEvent], Callable[[Any, Any], Notifications]]] = {}
"""Rules of events that do not name the recipient: they also get the first event of the stream."""


def on(*event_classes: type[DomainEvent]) -> Callable[[Rule], Rule]:
    """Registers the rule of these event types."""
    return partial(_register, RULES, event_classes)


def on_later(*event_classes: type[DomainEvent]) -> Callable[[Rule], Rule]:
    """Registers a rule as `on` does, in `LATER_RULES`."""
    return partial(_register, LATER_RULES, event_classes)


def _register(
    rules: dict[type[DomainEvent], Callable[..., Notifications]], event_classes: Sequence[type[DomainEvent]], rule: Rule
) -> Rule:
    for event_class in event_classes:
        if event_class in rules:
            raise TypeError(f"{event_class.__name__} has a rule already")
        rules[event_class] = rule
    return rule
