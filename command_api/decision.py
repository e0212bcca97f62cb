"""What every decide function shares: who asks and when, and how it refuses. Pure; knows no HTTP and no store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar
from uuid import UUID

State = TypeVar("State")
Evolve = Callable[[State | None, Any], State]
"""Gives the state after an event; the state before is none for an aggregate's first event."""

Kind = Literal["invalid", "conflict", "missing", "forbidden"]


class Refused(Exception):
    """The decision is no. `code` is stable, `message` is one sentence for a person, `field` names the culprit."""

    def __init__(self, kind: Kind, code: str, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.code = code
        self.message = message
        self.field = field


class AnotherKind(Exception):
    """The event does not happen to this kind of thing: an id of a partner, say, where a website was asked for."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks for a decision, and when. No account: the system itself (a policy), which may do what an admin may."""

    at: datetime
    account_id: UUID | None = None
    is_admin: bool = False

    def may_act_for(self, owner: UUID) -> bool:
        return self.account_id is None or self.is_admin or self.account_id == owner


def by_system(at: datetime | None = None) -> Asked:
    return Asked(at or datetime.now(UTC))


def step(aggregate_id: UUID, version: int, asked: Asked) -> dict[str, Any]:
    """The fields that every event has, for the event that follows `version`."""
    return {
        "originator_id": aggregate_id,
        "originator_version": version + 1,
        "timestamp": asked.at,
        "actor_id": asked.account_id,
    }


def begun(state: State | None, event: Any) -> State:
    """The state before the event. Raises `AnotherKind` when there is none: no history of that kind begins with it."""
    if state is None:
        raise AnotherKind(f"{event.NAME} does not begin this history")
    return state


def invalid(code: str, message: str, field: str | None = None) -> Refused:
    return Refused("invalid", code, message, field)


def conflict(code: str, message: str, field: str | None = None) -> Refused:
    return Refused("conflict", code, message, field)


def missing(what: str) -> Refused:
    """Also for what belongs to somebody else: nobody learns that it exists."""
    return Refused("missing", "not_found", f"There is no such {what}.")
