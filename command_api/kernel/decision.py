"""Shared types of all decide functions: command context and rejections. Pure; independent of HTTP and store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar
from uuid import UUID

from schemas.evolution import UnexpectedEvent

State = TypeVar("State")
Evolve = Callable[[State | None, Any], State]
"""Returns the state after an event; the previous state is `None` for an aggregate's first event."""

Kind = Literal["invalid", "conflict", "missing", "forbidden"]


class CommandRejected(Exception):
    """A command is rejected. `code` is stable, `message` is one sentence for users, `field` names the invalid field;
    `more` has further members of the problem document."""

    def __init__(
        self, kind: Kind, code: str, message: str, field: str | None = None, more: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.code = code
        self.message = message
        self.field = field
        self.more = dict(more or {})


@dataclass(frozen=True, slots=True)
class OnBehalf:
    """An admin acts on what is another account's: whose it is, why, and on what (`thing`: as its owner calls it). Only
    the routes of admins give one."""

    owner_id: UUID
    reason: str
    thing_id: UUID
    thing: str


@dataclass(frozen=True, slots=True)
class CommandContext:
    """Actor and time of a command. Without an account the actor is the system, which has an admin's permissions.
    `on_behalf`: for whom an admin acts; the audit trail has it.

    `correlation_id`, `causation_id` (`schemas.envelope.MessageIds`): where they are empty, the unit of work takes those
    of the request or message that its thread handles.
    """

    at: datetime
    account_id: UUID | None = None
    is_admin: bool = False
    correlation_id: str = ""
    causation_id: str = ""
    on_behalf: OnBehalf | None = None

    def may_act_for(self, owner: UUID) -> bool:
        """Returns whether the actor is the owner, the system, or an admin who acts for this owner and says why."""
        return self.account_id in (None, owner) or (self.on_behalf is not None and self.on_behalf.owner_id == owner)

    @property
    def moderates(self) -> bool:
        """Returns whether the actor is the system, or an admin; a context may add its moderators."""
        return self.account_id is None or self.is_admin

    def require_account(self) -> UUID:
        """Returns the actor's account. Raises `TypeError` for the system, for which no account acts."""
        if self.account_id is None:
            raise TypeError("this command needs an account")
        return self.account_id


def system_context(at: datetime | None = None) -> CommandContext:
    """Returns the context of a command that the system issues; its time is now unless `at` is given."""
    return CommandContext(at or datetime.now(UTC))


def event_metadata(aggregate_id: UUID, version: int, context: CommandContext) -> dict[str, Any]:
    """Returns the common fields of the event that follows `version`."""
    return {
        "originator_id": aggregate_id,
        "originator_version": version + 1,
        "timestamp": context.at,
        "actor_id": context.account_id,
    }


def require_existing(state: State | None, event: Any) -> State:
    """Returns the state before the event. Raises `UnexpectedEvent` without one: the event cannot be the first."""
    if state is None:
        raise UnexpectedEvent(f"{event.NAME} does not begin this history")
    return state


def invalid(code: str, message: str, field: str | None = None) -> CommandRejected:
    """Rejects invalid values: HTTP 400."""
    return CommandRejected("invalid", code, message, field)


def conflict(code: str, message: str, field: str | None = None, **more: Any) -> CommandRejected:
    """Rejects a command that the current state does not allow: HTTP 409."""
    return CommandRejected("conflict", code, message, field, more)


def not_found(what: str) -> CommandRejected:
    """Rejects with HTTP 404. Also used for objects of other accounts, whose existence is not revealed."""
    return CommandRejected("missing", "not_found", f"{what[:1].upper()}{what[1:]} not found.")
