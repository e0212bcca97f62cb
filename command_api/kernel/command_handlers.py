"""Commands, their handlers, and handlers of events: the registry that the `CommandBus` dispatches by.

A command is one frozen data class per intent (`<context>/commands.py`); its type parameter is what its handler
returns. A handler (`<context>/handlers.py`) is `def create_link(command, uow)`: it loads, decides, appends and returns
the answer.

Where one context's event ends what another one owns, the other context handles the event (`before`) in the same unit
of work: both happen or neither, and the contexts do not import each other. What follows from a stored event, such as a
timeout or a limit that it must keep, is declared by `after`, and what follows from the state of an aggregate before and
after its events by `after_change`: no handler that appends the event can forget it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar, dataclass_transform

from command_api.kernel.decision import CommandContext, CommandRejected, Evolve
from command_api.kernel.unit_of_work import Appended, EventHandlers, StateChange, UnitOfWork, noun_of
from schemas.base import DomainEvent

Answer = TypeVar("Answer", covariant=True)
Senders = Literal["accounts", "admins", "system"]
"""Who may send a command. The system may send every command, and public forms act as the system."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Command(Generic[Answer]):
    """Base of all commands; each is a frozen data class. Carries data only. `Answer`: what the handler returns; for a
    command of an HTTP request the response model, or `None`."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


C = TypeVar("C", bound=Command[Any])
E = TypeVar("E", bound=DomainEvent)
State = TypeVar("State")
H = TypeVar("H")
Handler = Callable[[Any, UnitOfWork], Any]
EventHandler = Callable[[E, UnitOfWork], None]
Consequence = Callable[[E, Appended], None]
ChangeHandler = Callable[[StateChange[State], Appended], None]


class CommandHandlers:
    """The handlers of one context, or of all (`CommandHandlers.merged`)."""

    def __init__(self) -> None:
        self._handlers: dict[type[Command[Any]], tuple[Handler, Senders]] = {}
        self.event_handlers = EventHandlers({}, {}, {})
        """Of each event, in the order of registration."""

    @classmethod
    def merged(cls, parts: Iterable[CommandHandlers]) -> CommandHandlers:
        """Returns the handlers of all `parts`."""
        made = cls()
        for part in parts:
            for command_class, (handler, senders) in part._handlers.items():
                made._register(command_class, handler, senders)
            registries: Any = zip(made.event_handlers, part.event_handlers, strict=True)
            for own, others in registries:
                for key, handlers in others.items():
                    own.setdefault(key, []).extend(handlers)
        return made

    def on(
        self, command_class: type[Command[Answer]], *, senders: Senders
    ) -> Callable[[Callable[[C, UnitOfWork], Answer]], Callable[[C, UnitOfWork], Answer]]:
        """Registers the decorated function as the handler of `command_class`."""

        def register(handler: Callable[[C, UnitOfWork], Answer]) -> Callable[[C, UnitOfWork], Answer]:
            self._register(command_class, handler, senders)
            return handler

        return register

    def before(self, *event_classes: type[E]) -> Callable[[EventHandler[E]], EventHandler[E]]:
        """Registers the decorated function to run before each event of these classes is stored, under the store's
        lock. It may append events, write rows, and reject the command."""
        return _registering(self.event_handlers.before, event_classes)

    def after(self, *event_classes: type[E]) -> Callable[[Consequence[E]], Consequence[E]]:
        """Registers the decorated function to run after each event of these classes is stored, in the same transaction.
        Of events that are appended together, all are stored before. It may do what `before` may."""
        return _registering(self.event_handlers.after, event_classes)

    def after_change(
        self, first: type[DomainEvent], evolve: Evolve[State]
    ) -> Callable[[ChangeHandler[State]], ChangeHandler[State]]:
        """Registers the decorated function to run once an append has changed an aggregate that begins with `first`, and
        whose events alone have its noun; after the handlers of the events. It may do what `before` may."""

        def register(handler: ChangeHandler[State]) -> ChangeHandler[State]:
            self.event_handlers.changes.setdefault(noun_of(first), []).append((evolve, handler))
            return handler

        return register

    def handle(self, command: Command[Answer], uow: UnitOfWork) -> Answer:
        """Runs the command's handler. Raises `CommandRejected` for a sender who may not send it."""
        handler, senders = self._handlers[type(command)]
        if not _may_send(senders, uow.context):
            raise CommandRejected("forbidden", "forbidden", "You may not do this.")
        answer: Answer = handler(command, uow)
        return answer

    def _register(self, command_class: type[Command[Any]], handler: Handler, senders: Senders) -> None:
        if command_class in self._handlers:
            raise TypeError(f"{command_class.__name__} has two handlers")
        self._handlers[command_class] = (handler, senders)


def _registering(
    handlers: dict[type[DomainEvent], list[H]], event_classes: Iterable[type[DomainEvent]]
) -> Callable[[H], H]:
    def register(handler: H) -> H:
        for event_class in event_classes:
            handlers.setdefault(event_class, []).append(handler)
        return handler

    return register


def _may_send(senders: Senders, context: CommandContext) -> bool:
    if context.account_id is None:
        return True
    return senders == "accounts" or (senders == "admins" and context.is_admin)
