"""The history of a projection or of a dead letter, as far as deciding needs it: how long it is."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.base import DomainEvent


@dataclass(frozen=True, slots=True)
class History:
    """What was done so far."""

    version: int


def evolve(_: History | None, event: DomainEvent) -> History:
    return History(event.originator_version)
